import type { FeatureGateSpecs } from '@holdfast/core';

export const gates = {
  StorageObjectInUseProtection: {
    stage: 'GA',
    default: true,
    since: '0.1.0',
    description:
      'Add the finalizer to claims; off: add none, but still remove it from claims that are released.',
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
    description:
      'Serve a webhook that refuses to bind a pod to a node while one of its claims is terminating.',
  },
  ClaimUnusedCondition: {
    stage: 'alpha',
    default: false,
    since: '0.1.0',
    description:
      'Set condition Unused in the status of claims, which shows since when no pod names them; off: remove it.',
  },
} as const satisfies FeatureGateSpecs;

export type GateName = keyof typeof gates;
