import type { FeatureGateSpecs } from '@holdfast/core';

export const gates = {
  StorageObjectInUseProtection: {
    stage: 'GA',
    default: true,
    since: '0.1.0',
    description: 'Put the finalizer on claims; off: add none, but still release those that have it.',
  },
  WaitForVolumeDetach: {
    stage: 'beta',
    default: true,
    since: '0.1.0',
    description: 'A terminated pod holds its claims until their volumes are detached from its node.',
  },
  TerminatingClaimGuard: {
    stage: 'alpha',
    default: false,
    since: '0.1.0',
    description: 'Webhook: refuse to bind a pod to a node while one of its claims is terminating.',
  },
  ClaimUnusedCondition: {
    stage: 'alpha',
    default: false,
    since: '0.1.0',
    description: 'Show in the status of claims since when no pod names them; off: take that back.',
  },
} as const satisfies FeatureGateSpecs;

export type GateName = keyof typeof gates;
