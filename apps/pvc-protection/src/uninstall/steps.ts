import { persistentVolumeClaims, type JsonPatch, type PersistentVolumeClaim } from '@holdfast/core';
import type { UninstallStep } from '@holdfast/runtime';
import { slimClaim } from '../slim.ts';
import { removeConditionPatch } from '../unused-condition/condition-patch.ts';
import { decideUnused } from '../unused-condition/decide.ts';
import { finalizerStep, type UninstallOptions } from './finalizer-step.ts';

/**
 * Returns what the app puts on objects, and how `--uninstall` takes it back, whatever the gates are by then.
 */
export function uninstallSteps(options: UninstallOptions): readonly UninstallStep<PersistentVolumeClaim>[] {
  return [finalizerStep(options), conditionStep];
}

const conditionStep: UninstallStep<PersistentVolumeClaim> = {
  what: 'condition Unused',
  resource: persistentVolumeClaims,
  projection: slimClaim,
  subresource: 'status',
  takeBack: (claim): JsonPatch | undefined =>
    decideUnused({ claim, cachedPods: [], livePods: undefined, enabled: false }).kind === 'remove'
      ? removeConditionPatch(claim)
      : undefined,
};
