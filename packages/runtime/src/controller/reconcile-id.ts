import { randomUUID } from 'node:crypto';

/**
 * The ids of reconciles by their signals. So the loop finds the id of a reconcile, and none has to be made for
 * controllers that do not use it.
 */
const ids = new WeakMap<AbortSignal, string>();

/** Assigns an id to the reconcile that this signal can stop. */
export function nameReconcile(signal: AbortSignal): string {
  const id = randomUUID();
  ids.set(signal, id);
  return id;
}

/**
 * Returns the fields for log lines about the reconcile that this signal can stop: its id, in
 * controller-runtime's spelling, if it has one.
 */
export function reconcileFields(signal: AbortSignal | undefined): { readonly reconcileID?: string } {
  const reconcileID = signal === undefined ? undefined : ids.get(signal);
  return reconcileID === undefined ? {} : { reconcileID };
}
