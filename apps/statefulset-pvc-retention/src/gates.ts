import type { FeatureGateSpecs } from '@holdfast/core';

export const gates = {
  StatefulSetAutoDeletePVC: {
    stage: 'beta',
    default: true,
    since: '0.1.0',
    description:
      'Carry out the policies. Off: each counts as Retain, and the references that this program made are removed.',
    kep: 'KEP-1847',
  },
  CollectMissedScaleDown: {
    stage: 'alpha',
    default: false,
    since: '0.1.0',
    description: 'Delete the claims of ordinals that were scaled down while no controller ran.',
  },
  DeletionGracePeriod: {
    stage: 'alpha',
    default: false,
    since: '0.1.0',
    description:
      'Mark claims on scale-down, and when their set is deleted, and delete them after the time in holdfast.dev/scale-down-grace or holdfast.dev/set-deletion-grace.',
  },
} as const satisfies FeatureGateSpecs;

export type GateName = keyof typeof gates;
