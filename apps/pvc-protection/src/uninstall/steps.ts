import { persistentVolumeClaims, type JsonPatch, type PersistentVolumeClaim } from '@holdfast/core';
import type { ApiClient, UninstallStep } from '@holdfast/runtime';
import { slimClaim } from '../slim.ts';
import { removeConditionPatch } from '../unused-condition/condition-patch.ts';
import { decideUnused } from '../unused-condition/decide.ts';
import { finalizerStep } from './finalizer-step.ts';

export interface UninstallOptions {
  readonly client: ApiClient;
  /** Gate WaitForVolumeDetach. */
  readonly waitForDetach: boolean;
  /** How long another controller is waited for that might put the finalizer back, milliseconds. Default 30 s. */
  readonly patience?: number;
}

/** What the app puts on objects, and how `--uninstall` takes it back, whatever the gates are by then. */
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
