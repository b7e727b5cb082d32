import { parseFeatureGates } from '@holdfast/core';
import { connect, createTenure, loadKubeConfig, type Controller, type Follower } from '@holdfast/runtime';
import type { AppSurroundings, StagedApp } from '@holdfast/scenario/stage';
import { Registry } from 'prom-client';
import { createPvReclaimHonor } from '../../../apps/pv-reclaim-honor/src/controller.ts';
import { gates as reclaimGates } from '../../../apps/pv-reclaim-honor/src/gates.ts';
import { createPvcProtection } from '../../../apps/pvc-protection/src/controller.ts';
import { gates as protectionGates } from '../../../apps/pvc-protection/src/gates.ts';
import { createRetroactiveDefault } from '../../../apps/retroactive-default-sc/src/controller.ts';
import { gates as classGates } from '../../../apps/retroactive-default-sc/src/gates.ts';
import { createStatefulSetPvcRetention } from '../../../apps/statefulset-pvc-retention/src/controller.ts';
import { gates as retentionGates } from '../../../apps/statefulset-pvc-retention/src/gates.ts';
import { workloadsFlag } from '../../../apps/statefulset-pvc-retention/src/workloads-flag.ts';
import type { AppName } from './model.ts';

/*
 * The only file outside the apps that imports them. All other tools run them as processes; but processes have
 * no common clock, and here the undo windows, back-offs and leases of a world must pass together.
 */

export interface AppOptions {
  /** The wall clock of the world. */
  readonly date: () => Date;
  /** The folder below which volumes have their data. */
  readonly root: string;
  readonly kubeconfigFile: () => string;
}

interface Parts {
  readonly informers: readonly Follower[];
  readonly controllers: readonly Controller[];
}

const concurrentSyncs = 4;

/** Creates each app for a world as its `main.ts` does, with its undo windows on. */
const create: Readonly<Record<AppName, (surroundings: AppSurroundings, options: AppOptions) => Parts>> = {
  'pvc-protection': (surroundings, { date }) =>
    createPvcProtection({
      ...surroundings,
      gates: parseFeatureGates(protectionGates, ''),
      namespaces: [],
      concurrentSyncs,
      now: date,
    }),
  'statefulset-pvc-retention': (surroundings, { date }) =>
    createStatefulSetPvcRetention({
      ...surroundings,
      gates: parseFeatureGates(retentionGates, 'DeletionGracePeriod=true'),
      namespaces: [],
      workloads: workloadsFlag.schema.parse('apps/v1/StatefulSet'),
      concurrentSyncs,
      yieldToStockController: false,
      now: date,
      serverTime: date,
      tenure: createTenure(surroundings.clock),
    }),
  'pv-reclaim-honor': (surroundings, { date, root }) =>
    createPvReclaimHonor({
      ...surroundings,
      gates: parseFeatureGates(reclaimGates, 'ReclaimGracePeriod=true'),
      namespaces: [],
      concurrentSyncs,
      mode: 'reclaim',
      dryRun: false,
      csiAddresses: [],
      csiTimeout: 10_000,
      csiFinalizer: 'external-provisioner.volume.kubernetes.io/finalizer',
      migratedPlugins: [],
      hostPathRoot: root,
      threads: 16,
      now: date,
      serverTime: date,
      tenure: createTenure(surroundings.clock),
    }),
  'retroactive-default-sc': (surroundings, { kubeconfigFile }) =>
    createRetroactiveDefault({
      ...surroundings,
      connectForDryRun: () =>
        connect({
          kubeConfig: () => loadKubeConfig({ kubeconfig: kubeconfigFile(), insecureHttp: true }),
          registry: new Registry(),
          program: 'retroactive-default-sc',
          version: '0',
          dryRun: true,
        }),
      gates: parseFeatureGates(classGates, ''),
      namespaces: [],
      concurrentSyncs,
    }),
};

/** @param made called with the informers of each start */
export function stagedApp(
  name: AppName,
  made: (informers: readonly Follower[]) => void,
): StagedApp<AppOptions> {
  return {
    name,
    create: (surroundings, options) => {
      const parts = create[name](surroundings, options);
      made(parts.informers);
      return parts;
    },
  };
}
