import { persistentVolumeClaims, withImmutableClass } from './persistent-volume-claim.ts';
import type { ResourceDefinition } from './resource-definition.ts';
import { statefulSets, withoutRetentionPolicy } from './stateful-set.ts';

/**
 * The feature gates of kube-apiserver that this server can turn off. They are on by default. Each changes one
 * field of one kind.
 */
export const apiServerFeatureGates = ['StatefulSetAutoDeletePVC', 'RetroactiveDefaultStorageClass'] as const;
/** A gate of kube-apiserver that can be turned off. */
export type ApiServerFeatureGate = (typeof apiServerFeatureGates)[number];

/** Throws for an unknown gate, because a test that misspells a gate would otherwise prove nothing. */
export function withFeatureGates(
  definitions: readonly ResourceDefinition[],
  gates: Readonly<Record<string, boolean>>,
): readonly ResourceDefinition[] {
  let gated = definitions;
  for (const [gate, isOn] of Object.entries(gates)) {
    if (!isKnown(gate)) {
      throw new Error(
        `no feature gate named "${gate}" in the embedded API server; there are ${apiServerFeatureGates.join(', ')}`,
      );
    }
    if (!isOn) {
      gated = turnOff(gated, gate);
    }
  }
  return gated;
}

function isKnown(gate: string): gate is ApiServerFeatureGate {
  return apiServerFeatureGates.some((known) => known === gate);
}

function turnOff(
  definitions: readonly ResourceDefinition[],
  gate: ApiServerFeatureGate,
): readonly ResourceDefinition[] {
  switch (gate) {
    case 'StatefulSetAutoDeletePVC':
      return definitions.map((definition) =>
        definition === statefulSets ? withoutRetentionPolicy(definition) : definition,
      );
    case 'RetroactiveDefaultStorageClass':
      return definitions.map((definition) =>
        definition === persistentVolumeClaims ? withImmutableClass(definition) : definition,
      );
  }
}
