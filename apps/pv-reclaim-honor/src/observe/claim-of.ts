import type { ObjectRef, PersistentVolume } from '@holdfast/core';

/** Returns the namespace and name in the volume's `claimRef`; undefined if it names no claim. */
export function claimOf({ spec }: PersistentVolume): ObjectRef | undefined {
  const { namespace = '', name = '' } = spec?.claimRef ?? {};
  return name === '' ? undefined : { namespace, name };
}
