import type { FeatureGateSpecs } from '@holdfast/core';

export const gates = {
  RetroactiveDefaultStorageClass: {
    stage: 'beta',
    default: true,
    since: '0.1.0',
    description: 'Assign the default class to claims after their creation; off: write nothing.',
    kep: 'KEP-3333',
  },
} as const satisfies FeatureGateSpecs;

export type GateName = keyof typeof gates;
