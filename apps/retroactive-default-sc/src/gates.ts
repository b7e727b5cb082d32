import type { FeatureGateSpecs } from '@holdfast/core';

export const gates = {
  RetroactiveDefaultStorageClass: {
    stage: 'beta',
    default: true,
    since: '0.1.0',
    description: 'Give claims the default class after they were made; off: nothing is written.',
    kep: 'KEP-3333',
  },
} as const satisfies FeatureGateSpecs;

export type GateName = keyof typeof gates;
