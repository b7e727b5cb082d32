/** Waits no longer than to the abort. What was asked goes on by itself. @throws what `asked` throws; the signal's reason. */
export function untilAborted<T>(asked: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) {
      abort();
    }
    signal.addEventListener('abort', abort, { once: true });
    asked.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
