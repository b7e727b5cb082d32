import type { PersistentVolume, PersistentVolumeClaim } from '@holdfast/core';
import { isBoundTo } from '@holdfast/pv-reclaim-honor/decide';
import { seesClaimsOf, type Reclaimer } from '../../cluster/reclaimer.ts';

/**
 * Returns the claim with the UID in claimRef, or else one that says that it is bound to the volume, unless the named
 * one does; undefined if there is none. One that pv-reclaim-honor sees counts before all others.
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
  const bound =
    named !== undefined && isBoundTo(named, volume) ? [] : claims.filter((each) => isBoundTo(each, volume));
  const all = hasUid === undefined ? bound : [hasUid, ...bound];
  const isSeen = ({ metadata }: PersistentVolumeClaim): boolean =>
    holdfast !== undefined && seesClaimsOf(holdfast, metadata.namespace ?? '');
  return all.find(isSeen) ?? all[0];
}
