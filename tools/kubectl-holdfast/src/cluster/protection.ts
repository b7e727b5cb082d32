import type { FeatureGates } from '@holdfast/core';
import { gates, type GateName } from '@holdfast/pvc-protection/decide';
import { atWorkIn } from './at-work-in.ts';
import { gatesOf, hiddenAmong, looksAfter, type AtWork } from './holdfast-at-work.ts';

/** The gates of pvc-protection; undefined if it is not at work in the namespace, or if that is not known. */
export function protectionGates(atWork: AtWork, namespace: string): FeatureGates<GateName> | undefined {
  const here = atWorkIn(atWork, namespace);
  return here.state === 'atWork' && looksAfter(here, namespace) ? gatesOf(gates, here) : undefined;
}

/** Why its gates might be others, or it might be at work after all; undefined if that is known. */
export function protectionHidden(atWork: AtWork, namespace: string): string | undefined {
  const here = atWorkIn(atWork, namespace);
  return looksAfter(here, namespace)
    ? hiddenAmong(here, ['feature-gates', 'namespaces', 'leader-elect-resource-name'])
    : undefined;
}
