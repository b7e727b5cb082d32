import { addFinalizerPatch, hasFinalizer, isTerminating, removeFinalizerPatch } from './finalizers.ts';
import type { JsonPatch } from './json-patch.ts';
import type { KubernetesObject } from './resources.ts';

/**
 * What a controller does next with an object that needs cleanup before it goes; see {@link finalizerStep}.
 */
export type FinalizerStep =
  /**
   * Send the patch, and do nothing else. Anything made before the finalizer is on the object could be left
   * behind, since the object could go unnoticed.
   */
  | { readonly kind: 'add'; readonly patch: JsonPatch }
  /** Bring about what the object asks for. */
  | { readonly kind: 'apply' }
  /** Undo what `apply` made, and look again until it is gone. */
  | { readonly kind: 'cleanup' }
  /** Send the patch: as far as this finalizer is concerned, the object can go. */
  | { readonly kind: 'remove'; readonly patch: JsonPatch }
  /**
   * The object is terminating without the finalizer, which it never had or has lost. There is nothing to do.
   */
  | { readonly kind: 'none' };

/**
 * Returns the next step in the life of an object with a finalizer, given the object and whether everything
 * made for it is gone:
 *
 *     terminating   finalizer   cleaned up   step
 *     no            no          -            add
 *     no            yes         -            apply
 *     yes           yes         no           cleanup
 *     yes           yes         yes          remove
 *     yes           no          -            none
 *
 * Guarantees: the step is `apply` only while the finalizer is on the object. An object that had it and is
 * terminating gets `cleanup` until `cleanedUp` is true, whichever process asks. The patches test the object's
 * UID and the finalizers that they change, so the API server refuses a patch made from a stale snapshot (422
 * or 409) and changes nothing.
 *
 * Assumptions: `cleanedUp` is what the caller observed in the world, not what it did, since a process that
 * ended in between has to ask again. `apply` and `cleanup` can be repeated any number of times, and `cleanup`
 * also comes where `apply` never ran. Nobody else removes the finalizer; otherwise what was made is left
 * behind.
 */
export function finalizerStep(
  object: KubernetesObject,
  finalizer: string,
  { cleanedUp }: { readonly cleanedUp: boolean },
): FinalizerStep {
  const has = hasFinalizer(object, finalizer);
  if (!isTerminating(object)) {
    return has ? { kind: 'apply' } : { kind: 'add', patch: addFinalizerPatch(object, finalizer) };
  }
  if (!has) {
    return { kind: 'none' };
  }
  return cleanedUp ? { kind: 'remove', patch: removeFinalizerPatch(object, finalizer) } : { kind: 'cleanup' };
}
