import type { FeatureGateSpecs } from '@holdfast/core';

export const gates = {
  StatefulSetAutoDeletePVC: {
    stage: 'beta',
    default: true,
    since: '0.1.0',
    description:
      'Apply the policies; off: treat each policy as Retain, and remove the references that this program wrote.',
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
      'Mark claims when their set is scaled down or deleted, and delete them after the time in holdfast.dev/scale-down-grace or holdfast.dev/set-deletion-grace.',
  },
} as const satisfies FeatureGateSpecs;

export type GateName = keyof typeof gates;
