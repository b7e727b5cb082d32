import {
  persistentVolumeClaims,
  persistentVolumes,
  pods,
  statefulSets,
  storageClasses,
  volumeAttachments,
  type KubernetesObject,
} from '@holdfast/core';
import {
  createInformer,
  createLogger,
  slept,
  type Clock,
  type ConnectedClient,
  type Informer,
  type InformerMetrics,
} from '@holdfast/runtime';
import { readAtWork, type AtWork } from '../cluster/holdfast-at-work.ts';
import {
  attachmentFields,
  claimFields,
  setFields,
  usingPodFields,
  volumeFields,
} from '../cluster/projections.ts';
import { protectionGates } from '../cluster/protection.ts';
import { windowApps, windowKeepers } from '../cluster/window-keepers.ts';
import { untilAborted } from '../follow/until-aborted.ts';
import type { WindowKeepers } from '../plan/vacancy-wait.ts';
import type { Seen } from './picture-of.ts';

export interface FollowOptions {
  readonly client: ConnectedClient;
  /** Undefined for all. */
  readonly namespace: string | undefined;
  readonly clock: Clock;
  /** Called for each change. */
  readonly changed: () => void;
}

export interface Following {
  seen(): Seen;
  /** Returns what cannot be seen, and why: sentences without full stops. */
  troubles(): readonly string[];
  /** Whether every resource has been listed or refused. */
  isComplete(): boolean;
  /** Follows until aborted; never rejects. */
  run(signal: AbortSignal): Promise<void>;
}

/** Milliseconds between two checks of whether the controllers are at work. */
const pause = 30_000;

/** The same while the API server cannot be reached. */
const shortPause = 5_000;

/** Milliseconds: informers receive something at least every 50 s if all is well. */
const mostSilence = 90_000;

/**
 * Creates the caches from which the page is drawn. They keep the fields of each object on which the answers
 * depend.
 */
export async function follow({ client, namespace, clock, changed }: FollowOptions): Promise<Following> {
  const failing = new Set<string>();
  const leftOut = new Set<string>();
  const silences = new Map<string, () => number>();
  const heard = (name: string): void => {
    if (failing.delete(name)) {
      changed();
    }
  };
  const metrics: InformerMetrics = {
    listed: heard,
    watchStarted: heard,
    failed: (name) => {
      failing.add(name);
      changed();
    },
    skipped: (name) => {
      leftOut.add(name);
      changed();
    },
    follow: (name, { staleness }) => void silences.set(name, staleness),
  };
  const logger = await createLogger('kubectl-holdfast', {
    logLevel: 'error',
    logFormat: 'json',
    dryRun: false,
  });
  // The page names the kinds that may not be read, and shows the rest.
  const shared = { client, clock, metrics, logger, optional: true };
  const inNamespace = { ...shared, ...(namespace === undefined ? {} : { namespaces: [namespace] }) };
  const informers = {
    sets: createInformer({ ...inNamespace, resource: statefulSets, projection: setFields }),
    pods: createInformer({ ...inNamespace, resource: pods, projection: usingPodFields }),
    claims: createInformer({ ...inNamespace, resource: persistentVolumeClaims, projection: claimFields }),
    volumes: createInformer({ ...shared, resource: persistentVolumes, projection: volumeFields }),
    classes: createInformer({ ...shared, resource: storageClasses }),
    attachments: createInformer({ ...shared, resource: volumeAttachments, projection: attachmentFields }),
  };
  const all = Object.values(informers) as readonly Informer<KubernetesObject>[];
  for (const informer of all) {
    informer.addHandler({ added: changed, updated: changed, deleted: changed });
  }
  let protection: AtWork | undefined;
  let keepers: WindowKeepers | undefined;
  /** Why the API server could not be reached. */
  let unreachable: string | undefined;
  const answered = new Set<string>();

  const objects = <T extends KubernetesObject>({ store }: Informer<T>): readonly T[] => [...store.values()];
  const readable = <T extends KubernetesObject>(informer: Informer<T>): readonly T[] | undefined =>
    informer.hasSynced() ? objects(informer) : undefined;

  async function lookAtWork(signal: AbortSignal): Promise<void> {
    do {
      try {
        const looking = readAtWork(client, ['pvc-protection', ...windowApps]);
        const atWork = await untilAborted(looking, signal);
        protection = atWork['pvc-protection'];
        keepers = windowKeepers(atWork);
        unreachable = undefined;
      } catch (error) {
        if (signal.aborted) {
          return;
        }
        // The last known state stays.
        unreachable = error instanceof Error ? error.message : String(error);
      }
      changed();
    } while (await slept(clock, unreachable === undefined ? pause : shortPause, signal));
  }

  async function noteAnswer(informer: Informer<KubernetesObject>, signal: AbortSignal): Promise<void> {
    try {
      await informer.answered(signal);
      answered.add(informer.name);
      changed();
    } catch {
      // Aborted.
    }
  }

  return {
    seen: () => ({
      namespace,
      sets: objects(informers.sets),
      pods: objects(informers.pods),
      claims: objects(informers.claims),
      volumes: readable(informers.volumes),
      classes: readable(informers.classes),
      attachments: readable(informers.attachments),
      protection: (of) => (protection === undefined ? undefined : protectionGates(protection, of)),
      keepers,
    }),
    isComplete: () => answered.size === all.length,
    troubles: () => [
      ...(unreachable === undefined
        ? all.flatMap(troubleOf)
        : [
            `the API server could not be reached, this is the last known state: ${unreachable}; see kubectl cluster-info`,
          ]),
      ...[...leftOut].map((name) => `some ${name} are invalid and are left out`),
    ],
    run: async (signal) => {
      await Promise.all([
        ...all.map((informer) => informer.run(signal)),
        ...all.map((informer) => noteAnswer(informer, signal)),
        lookAtWork(signal),
      ]);
    },
  };

  function troubleOf({ name, hasSynced, isFollowing }: Informer<KubernetesObject>): readonly string[] {
    if (!isFollowing()) {
      return !answered.has(name)
        ? []
        : hasSynced()
          ? [`${name} can not be read any more, and are shown as they were: kubectl auth can-i watch ${name}`]
          : [`${name} can not be read: kubectl auth can-i list ${name}`];
    }
    return failing.has(name) || (silences.get(name)?.() ?? 0) > mostSilence
      ? [`${name} are shown as they were: the API server does not answer for them`]
      : [];
  }
}
