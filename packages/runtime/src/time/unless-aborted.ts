/**
 * Settles as the promise does, or throws the signal's reason once that is aborted. Use it for promises that
 * might ignore a signal, or never settle. What the promise does afterwards is ignored.
 */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) {
      abort();
    }
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
