import { guardedPatch, pointer, testAbsent, type JsonPatch } from './json-patch.ts';
import type { KubernetesObject } from './resources.ts';

/** Returns whether this finalizer is on the object. */
export function hasFinalizer(object: KubernetesObject, finalizer: string): boolean {
  return object.metadata.finalizers?.includes(finalizer) ?? false;
}

/**
 * Returns whether the object is being deleted: it stays until its last finalizer is gone, and deletion cannot
 * be undone.
 */
export function isTerminating(object: KubernetesObject): boolean {
  return object.metadata.deletionTimestamp !== undefined;
}

/**
 * Returns a patch that appends the finalizer; the others keep their order.
 *
 * The patch tests the whole list, because two writers that both append would add the name twice. The API
 * server refuses (422) to add a finalizer to an object that is terminating by then.
 *
 * @throws Error if the finalizer is already there.
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
 * Returns a patch that removes this finalizer and no other. It fails if the list changed meanwhile so that
 * another finalizer is at the same index.
 *
 * @throws Error if the finalizer is not there.
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
