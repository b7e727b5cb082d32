import { randomUUID } from 'node:crypto';

/**
 * By the signals of reconciles: a worker has one signal for all of its own, one after the other, so that the loop finds the id of the one under way
 * without having to make one for controllers that want none.
 */
const ids = new WeakMap<AbortSignal, string>();

/** Names the reconcile that this signal can stop, until its worker begins the next one. */
export function nameReconcile(signal: AbortSignal): string {
  const id = randomUUID();
  ids.set(signal, id);
  return id;
}

/** The fields of a log line about the reconcile that this signal can stop: its id in controller-runtime's spelling, if it has one. */
export function reconcileFields(signal: AbortSignal | undefined): { readonly reconcileID?: string } {
  const reconcileID = signal === undefined ? undefined : ids.get(signal);
  return reconcileID === undefined ? {} : { reconcileID };
}
