import type { KubernetesObject } from '@holdfast/core';
import type { Kept } from './owns.ts';

/**
 * Fields by which a controller of objects knows whether an object is being deleted, what holds it, and what
 * has changed.
 */
const needed = ['deletionTimestamp', 'finalizers', 'generation'] as const;

/**
 * Checks that the cache keeps these fields, because a field that it drops looks absent. Otherwise an object
 * being deleted would be reconciled as if it were not, its finalizer would be added again and again, and a
 * status would be written for another generation.
 *
 * @throws Error for a kind that is kept without one of these fields.
 */
export function checkKeepsMetadata<T extends KubernetesObject>({ resource, projection }: Kept<T>): void {
  if (projection === undefined) {
    return;
  }
  // The projection is tried on an object that has all of them.
  const metadata = {
    ...{ name: 'object', uid: '1', resourceVersion: '1' },
    ...{ deletionTimestamp: '2000-01-01T00:00:00Z', finalizers: ['example.com/it'], generation: 1 },
  };
  const kept = projection.fromJson({ kind: resource.kind, metadata } as KubernetesObject as T).metadata;
  const missing = needed.find((field) => kept[field] === undefined);
  if (missing !== undefined) {
    throw new Error(
      `the cache of ${resource.plural} does not keep metadata.${missing}, without which a ${resource.kind} that is being deleted, or has changed, looks as if it were not; ` +
        `add metadata: { ${missing}: true } to its projection`,
    );
  }
}
