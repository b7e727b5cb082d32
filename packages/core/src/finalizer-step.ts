import { addFinalizerPatch, hasFinalizer, isTerminating, removeFinalizerPatch } from './finalizers.ts';
import type { JsonPatch } from './json-patch.ts';
import type { KubernetesObject } from './resources.ts';

/** What a controller does next with an object that it has to clean up after; see {@link finalizerStep}. */
export type FinalizerStep =
  /** Send the patch, and do nothing else: nothing may be made for an object that could go without notice. */
  | { readonly kind: 'add'; readonly patch: JsonPatch }
  /** Bring about what the object asks for. */
  | { readonly kind: 'apply' }
  /** Take back what `apply` has made. Look again until it is gone. */
  | { readonly kind: 'cleanup' }
  /** Send the patch: the object may go, as far as this finalizer is concerned. */
  | { readonly kind: 'remove'; readonly patch: JsonPatch }
  /** The object goes, and never got the finalizer or has lost it: nothing is ours to do. */
  | { readonly kind: 'none' };

/**
 * One step of the life of an object with a finalizer, from the object as it stands and from whether what was made for it is gone:
 *
 *     terminating   finalizer   cleaned up   step
 *     no            no          -            add
 *     no            yes         -            apply
 *     yes           yes         no           cleanup
 *     yes           yes         yes          remove
 *     yes           no          -            none
 *
 * Guarantees: `apply` only while the finalizer is on the object; once it was, `cleanup` until `cleanedUp` is true, whatever process asks. The patches
 * test the object's UID and the finalizers that they change, so that a snapshot that has grown old is refused (422 or 409) and changes nothing.
 *
 * Assumptions: `cleanedUp` is what was seen in the world, not what was done: a process that ends in between asks again. Both `apply` and `cleanup` may
 * be asked for any number of times, `cleanup` also where `apply` never was. Nobody else removes the finalizer: what was made stays then.
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
