import type { FeatureGates } from '@holdfast/core';
import { gates, type GateName } from '@holdfast/pvc-protection/decide';
import { gatesOf, looksAfter, type AtWork } from './holdfast-at-work.ts';

/** The gates of pvc-protection; undefined: it is not at work in the namespace, or nobody knows. */
export function protectionGates(atWork: AtWork, namespace: string): FeatureGates<GateName> | undefined {
  return atWork.state === 'atWork' && looksAfter(atWork, namespace) ? gatesOf(gates, atWork) : undefined;
}
