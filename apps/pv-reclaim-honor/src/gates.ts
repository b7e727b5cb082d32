import type { FeatureGateSpecs } from '@holdfast/core';

export const gates = {
  HonorPVReclaimPolicy: {
    stage: 'beta',
    default: true,
    since: '0.1.0',
    kep: 'KEP-2644',
    description:
      'Hold volumes with reclaim policy Delete until their storage is deleted; off: remove the finalizers that this controller has added.',
  },
  ReclaimGracePeriod: {
    stage: 'alpha',
    default: false,
    since: '0.2.0',
    description:
      'Mark released volumes, and delete their storage after the time in holdfast.dev/reclaim-grace; until then, a claim can get its volume back.',
  },
  LeakReport: {
    stage: 'alpha',
    default: false,
    since: '0.2.0',
    description:
      'Ask the CSI drivers for their storage volumes, and report those that no PersistentVolume has named for an hour.',
  },
} as const satisfies FeatureGateSpecs;

export type GateName = keyof typeof gates;
