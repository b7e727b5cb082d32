import type { PersistentVolume, PersistentVolumeClaim } from '@holdfast/core';
import { isBoundTo } from '@holdfast/pv-reclaim-honor/decide';
import type { Reclaimer } from '../../cluster/reclaimer.ts';

/**
 * Returns the claim with the UID in claimRef, or else one that says that it is bound to the volume, unless the named
 * one does; undefined if there is none. Of several, one that pv-reclaim-honor sees counts.
 *
 * @param named the claim at the namespace and name in claimRef.
 */
export function claimElsewhere(
  claims: readonly PersistentVolumeClaim[],
  {
    volume,
    named,
    holdfast,
  }: {
    readonly volume: PersistentVolume;
    readonly named: PersistentVolumeClaim | undefined;
    readonly holdfast: Pick<Reclaimer, 'namespaces'> | undefined;
  },
): PersistentVolumeClaim | undefined {
  const hasUid = claims.find(({ metadata }) => metadata.uid === volume.spec?.claimRef?.uid);
  if (hasUid !== undefined || (named !== undefined && isBoundTo(named, volume))) {
    return hasUid;
  }
  const bound = claims.filter((each) => isBoundTo(each, volume));
  return bound.find(({ metadata }) => holdfast?.namespaces.includes(metadata.namespace ?? '')) ?? bound[0];
}
