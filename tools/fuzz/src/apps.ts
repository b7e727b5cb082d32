import { parseFeatureGates } from '@holdfast/core';
import {
  createTenure,
  createWebhookServer,
  parseCommandLine,
  type ApiClient,
  type Clock,
  type Command,
  type Controller,
  type EventRecorder,
  type FlagTable,
  type Follower,
  type WebhookServer,
} from '@holdfast/runtime';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { command as reclaimCommand } from '../../../apps/pv-reclaim-honor/src/config.ts';
import { createPvReclaimHonor } from '../../../apps/pv-reclaim-honor/src/controller.ts';
import { gates as reclaimGates } from '../../../apps/pv-reclaim-honor/src/gates.ts';
import { createCsiDrivers, type CsiDrivers } from '../../../apps/pv-reclaim-honor/src/csi/csi-drivers.ts';
import { listStorage } from '../../../apps/pv-reclaim-honor/src/leak-report/list-storage.ts';
import { provisionerSecret } from '../../../apps/pv-reclaim-honor/src/provisioner-secret.ts';
import { admissionWebhooks } from '../../../apps/pvc-protection/src/admission/webhooks.ts';
import { command as protectionCommand } from '../../../apps/pvc-protection/src/config.ts';
import { createPvcProtection } from '../../../apps/pvc-protection/src/controller.ts';
import { gates as protectionGates } from '../../../apps/pvc-protection/src/gates.ts';
import { command as classCommand } from '../../../apps/retroactive-default-sc/src/config.ts';
import { createRetroactiveDefault } from '../../../apps/retroactive-default-sc/src/controller.ts';
import { gates as classGates } from '../../../apps/retroactive-default-sc/src/gates.ts';
import { command as retentionCommand } from '../../../apps/statefulset-pvc-retention/src/config.ts';
import { createStatefulSetPvcRetention } from '../../../apps/statefulset-pvc-retention/src/controller.ts';
import { gates as retentionGates } from '../../../apps/statefulset-pvc-retention/src/gates.ts';
import { workloadsFlag } from '../../../apps/statefulset-pvc-retention/src/workloads-flag.ts';

/*
 * The only file here that imports the apps. Running a process for each input would take a hundred times as
 * long, and its time could not be advanced.
 */

export const appNames = [
  'pvc-protection',
  'statefulset-pvc-retention',
  'pv-reclaim-honor',
  'retroactive-default-sc',
] as const;

export type AppName = (typeof appNames)[number];

/** What an app's `main.ts` passes to its controller. */
export interface Surroundings {
  readonly client: ApiClient;
  /** All its writes are dry runs. */
  readonly dryClient: ApiClient;
  readonly logger: Logger;
  readonly registry: Registry;
  readonly events: EventRecorder;
  readonly clock: Clock;
  /** The wall clock of the world, including its API server. */
  readonly date: () => Date;
  /** The folder below which volumes have their data. */
  readonly root: string;
}

export interface AppParts {
  readonly informers: readonly Follower[];
  readonly controllers: readonly Controller[];
}

const shared = { namespaces: [], concurrentSyncs: 4 } as const;

/** Creates each app for a world as its `main.ts` does. */
export const createApp: Readonly<Record<AppName, (surroundings: Surroundings) => AppParts>> = {
  'pvc-protection': ({ date, ...surroundings }) =>
    createPvcProtection({
      ...surroundings,
      ...shared,
      gates: parseFeatureGates(protectionGates, 'ClaimUnusedCondition=true'),
      now: date,
    }),
  'statefulset-pvc-retention': ({ date, ...surroundings }) =>
    createStatefulSetPvcRetention({
      ...surroundings,
      ...shared,
      gates: parseFeatureGates(retentionGates, 'DeletionGracePeriod=true'),
      workloads: workloadsFlag.schema.parse('apps/v1/StatefulSet,apps.kruise.io/v1beta1/StatefulSet'),
      yieldToStockController: false,
      now: date,
      serverTime: date,
      tenure: createTenure(surroundings.clock),
    }),
  'pv-reclaim-honor': ({ date, root, ...surroundings }) =>
    createPvReclaimHonor({
      ...surroundings,
      ...shared,
      gates: parseFeatureGates(reclaimGates, 'ReclaimGracePeriod=true'),
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
  'retroactive-default-sc': ({ dryClient, ...surroundings }) =>
    createRetroactiveDefault({
      ...surroundings,
      ...shared,
      connectForDryRun: () => dryClient,
      gates: parseFeatureGates(classGates, ''),
    }),
};

/**
 * Returns the command line of an app. Its type does not list the flags, because each flag is given arbitrary
 * text.
 */
export function commandOf(app: AppName): Command<FlagTable> {
  return commands[app] as unknown as Command<FlagTable>;
}

const commands = {
  'pvc-protection': protectionCommand,
  'statefulset-pvc-retention': retentionCommand,
  'pv-reclaim-honor': reclaimCommand,
  'retroactive-default-sc': classCommand,
} as const;

export { createCsiDrivers, listStorage, provisionerSecret, type CsiDrivers };

/** Creates pvc-protection's webhooks with all its gates on, on a local port, as its `main.ts` does. */
export function createProtectionWebhooks(
  surroundings: Pick<Surroundings, 'client' | 'logger' | 'registry' | 'clock'>,
): WebhookServer {
  const line = parseCommandLine(
    protectionCommand,
    ['--webhook-bind-address=127.0.0.1:0', '--webhook-self-signed', '--webhook-namespace=ops'],
    {},
  );
  if (line.kind !== 'run') {
    throw new Error('the flags ask for no run');
  }
  const gates = parseFeatureGates(protectionGates, 'TerminatingClaimGuard=true');
  const { client } = surroundings;
  return createWebhookServer({
    ...surroundings,
    config: line.values,
    routes: admissionWebhooks({ client, gates, namespaces: [] }).routes,
    configurations: [],
  });
}
