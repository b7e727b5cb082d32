import type { WindowKeepers } from '../plan/vacancy-wait.ts';
import type { AtWork } from './holdfast-at-work.ts';
import { reclaimerOf } from './reclaimer.ts';
import { claimWindowKeeper } from './window-keeper.ts';

/** The controllers that end undo windows. */
export const windowApps = ['statefulset-pvc-retention', 'pv-reclaim-honor'] as const;

/** Returns who ends the undo windows, for claims and for volumes. */
export function windowKeepers(atWork: Readonly<Record<(typeof windowApps)[number], AtWork>>): WindowKeepers {
  return {
    ofClaims: (namespace) => claimWindowKeeper(atWork['statefulset-pvc-retention'], namespace),
    ofVolume: (volume) => reclaimerOf(atWork['pv-reclaim-honor'], volume).keeper,
  };
}
