import { guardedPatch, pointer, testAbsent, type JsonPatch } from './json-patch.ts';
import type { KubernetesObject } from './resources.ts';

/** Whether this finalizer is on the object. */
export function hasFinalizer(object: KubernetesObject, finalizer: string): boolean {
  return object.metadata.finalizers?.includes(finalizer) ?? false;
}

/** Deletion was asked for; the object stays until its last finalizer is gone, and can't come back. */
export function isTerminating(object: KubernetesObject): boolean {
  return object.metadata.deletionTimestamp !== undefined;
}

/**
 * Appends the finalizer; the others keep their order.
 *
 * The whole list is tested, since two writers that both append would leave the name there twice. The API server refuses
 * (422) to add to an object that is terminating by then.
 *
 * @throws Error when the finalizer is there already.
 */
export function addFinalizerPatch(object: KubernetesObject, finalizer: string): JsonPatch {
  if (hasFinalizer(object, finalizer)) {
    throw new Error(`finalizer "${finalizer}" is already on ${object.metadata.name}: nothing to add`);
  }
  const present = object.metadata.finalizers ?? [];
  const path = pointer('metadata', 'finalizers');
  return guardedPatch(
    object,
    present.length === 0
      ? [testAbsent(path), { op: 'add', path, value: [finalizer] }]
      : [
          { op: 'test', path, value: present },
          { op: 'add', path: `${path}/-`, value: finalizer },
        ],
  );
}

/**
 * Removes this finalizer and no other: when the list changed meanwhile, so that another stands at its place, the patch fails.
 *
 * @throws Error when the finalizer is not there.
 */
export function removeFinalizerPatch(object: KubernetesObject, finalizer: string): JsonPatch {
  const index = object.metadata.finalizers?.indexOf(finalizer) ?? -1;
  if (index < 0) {
    throw new Error(`finalizer "${finalizer}" is not on ${object.metadata.name}: nothing to remove`);
  }
  const path = pointer('metadata', 'finalizers', index);
  return guardedPatch(object, [
    { op: 'test', path, value: finalizer },
    { op: 'remove', path },
  ]);
}
