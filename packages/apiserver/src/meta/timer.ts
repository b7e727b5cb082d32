/** Calls back once after some milliseconds, unless it is cancelled first. */
export type After = (milliseconds: number, callback: () => void) => { cancel(): void };

/** Timers in real time. They keep the process alive. */
export const systemTimer: After = (milliseconds, callback) => {
  const timer = setTimeout(callback, milliseconds);
  return { cancel: () => clearTimeout(timer) };
};
