import { guardedPatch, pointer, testAbsent, type JsonPatch, type PersistentVolume } from '@holdfast/core';

const list = pointer('metadata', 'finalizers');
const policy = pointer('spec', 'persistentVolumeReclaimPolicy');

/**
 * Takes finalizers off and puts others on in one write, so that the volume is never without one in between. The list and the
 * reclaim policy must still be those that were read.
 *
 * @throws Error when nothing would change.
 */
export function finalizerChangePatch(
  volume: PersistentVolume,
  { add, remove }: { readonly add: readonly string[]; readonly remove: readonly string[] },
): JsonPatch {
  const present = volume.metadata.finalizers ?? [];
  const next = [...present.filter((finalizer) => !remove.includes(finalizer))];
  next.push(...add.filter((finalizer) => !next.includes(finalizer)));
  if (next.length === present.length && next.every((finalizer, index) => finalizer === present[index])) {
    throw new Error(`volume ${volume.metadata.name} has the finalizers [${present.join(', ')}] already`);
  }
  return guardedPatch(volume, [
    { op: 'test', path: policy, value: volume.spec?.persistentVolumeReclaimPolicy ?? null },
    ...(present.length === 0
      ? [testAbsent(list), { op: 'add' as const, path: list, value: next }]
      : [
          { op: 'test' as const, path: list, value: present },
          { op: 'replace' as const, path: list, value: next },
        ]),
  ]);
}
