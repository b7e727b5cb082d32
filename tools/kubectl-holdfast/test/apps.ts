import { parseFeatureGates } from '@holdfast/core';
import { createTenure } from '@holdfast/runtime';
import type { StagedApp } from '@holdfast/scenario/stage';
import { createPvcProtection } from '../../../apps/pvc-protection/src/controller.ts';
import { gates as protectionGates } from '../../../apps/pvc-protection/src/gates.ts';
import { createStatefulSetPvcRetention } from '../../../apps/statefulset-pvc-retention/src/controller.ts';
import { gates as retentionGates } from '../../../apps/statefulset-pvc-retention/src/gates.ts';
import { workloadsFlag } from '../../../apps/statefulset-pvc-retention/src/workloads-flag.ts';

/*
 * The only file of this project that imports apps as a whole: what a controller then does is compared with what was
 * said of it, hundreds of times, and a process for each would take longer than all the rest.
 */

/**
 * Stories of the apps, as their own test files tell them: each declares its tests when it is called, in the file that
 * calls it.
 */
export const storiesOfApps = {
  /** Of two seconds of CPU time. */
  short: [
    () => import('../../../apps/pvc-protection/test/protection.scenario.test.ts'),
    () => import('../../../apps/pvc-protection/test/running-container.scenario.test.ts'),
    () => import('../../../apps/statefulset-pvc-retention/test/claims-never-used.test.ts'),
    () => import('../../../apps/pv-reclaim-honor/test/recorded-hold.scenario.test.ts'),
  ],
  /** Of twelve. */
  long: [
    () => import('../../../apps/pvc-protection/test/unused-condition.scenario.test.ts'),
    () => import('../../../apps/statefulset-pvc-retention/test/retention.scenario.test.ts'),
    () => import('../../../apps/statefulset-pvc-retention/test/kep-test-plan.test.ts'),
    () => import('../../../apps/statefulset-pvc-retention/test/kep-test-plan.thorough.test.ts'),
    () => import('../../../apps/statefulset-pvc-retention/test/undo-window-plan.test.ts'),
    () => import('../../../apps/statefulset-pvc-retention/test/undo-window-alone.thorough.test.ts'),
    () => import('../../../apps/pv-reclaim-honor/test/reclaim.scenario.test.ts'),
    () => import('../../../apps/pv-reclaim-honor/test/in-tree.scenario.test.ts'),
    () => import('../../../apps/pv-reclaim-honor/test/undo-window.scenario.test.ts'),
    () => import('../../../apps/retroactive-default-sc/test/default-class.scenario.test.ts'),
  ],
} as const;

export interface RetentionOptions {
  readonly featureGates: string;
}

/** statefulset-pvc-retention, alone in its cluster. */
export const retention: StagedApp<RetentionOptions> = {
  name: 'statefulset-pvc-retention',
  create: (surroundings, { featureGates }) =>
    createStatefulSetPvcRetention({
      ...surroundings,
      gates: parseFeatureGates(retentionGates, featureGates),
      workloads: workloadsFlag.schema.parse('apps/v1/StatefulSet'),
      namespaces: [],
      concurrentSyncs: 10,
      yieldToStockController: false,
      tenure: createTenure(surroundings.clock),
    }),
};

export type ProtectionOptions = Readonly<Record<string, never>>;

/** pvc-protection with its defaults. */
export const protection: StagedApp<ProtectionOptions> = {
  name: 'pvc-protection',
  create: (surroundings) =>
    createPvcProtection({
      ...surroundings,
      gates: parseFeatureGates(protectionGates, ''),
      namespaces: [],
      concurrentSyncs: 10,
    }),
};
