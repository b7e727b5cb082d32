import type { EventEmitter } from 'node:events';

const signals = ['SIGINT', 'SIGTERM'] as const;

/**
 * Aborts `stop` at the first signal, so that the run ends after the step under way and prints what was done. A
 * second signal ends the process, as if nothing listened.
 */
export function stopOnSignal(
  process: Pick<EventEmitter, 'on' | 'off'>,
  say: (text: string) => void,
  stop: AbortController,
): void {
  const end = (signal: (typeof signals)[number]): void => {
    for (const each of signals) {
      process.off(each, end);
    }
    const what = signal === 'SIGINT' ? 'Ctrl-C' : signal;
    say(`stopping after this step; ${what} again stops in the middle of it`);
    stop.abort(new Error(`stopped by ${what}; run it again to go on`));
  };
  for (const signal of signals) {
    process.on(signal, end);
  }
}
