import type { KubernetesObject } from '@holdfast/core';
import type { Kept } from './owns.ts';

/** By which a controller of objects tells what is being deleted, what it holds, and what has changed. */
const needed = ['deletionTimestamp', 'finalizers', 'generation'] as const;

/**
 * What a cache leaves out is taken for absent: an object that is being deleted would be reconciled as if it were not, its finalizer added again and again, and a status
 * written for another generation.
 *
 * @throws Error for a kind that is kept without one of these fields.
 */
export function checkKeepsMetadata<T extends KubernetesObject>({ resource, projection }: Kept<T>): void {
  if (projection === undefined) {
    return;
  }
  // Tried on an object that has them.
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
