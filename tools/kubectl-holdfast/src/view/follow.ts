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
import { untilAborted } from '../follow/until-aborted.ts';
import type { Seen } from './picture-of.ts';

export interface FollowOptions {
  readonly client: ConnectedClient;
  /** Undefined: all. */
  readonly namespace: string | undefined;
  readonly clock: Clock;
  /** Called for each change. */
  readonly changed: () => void;
}

export interface Following {
  seen(): Seen;
  /** What can't be seen, and why: sentences without their full stops. */
  troubles(): readonly string[];
  /** Every resource has been listed or refused. */
  isComplete(): boolean;
  /** Follows until aborted; never rejects. */
  run(signal: AbortSignal): Promise<void>;
}

/** Between two looks at whether pvc-protection is at work, milliseconds. */
const pause = 30_000;

/** While the API server can't be asked, milliseconds. */
const shortPause = 5_000;

/** Informers hear of something at least every 50 s while all is well, milliseconds. */
const mostSilence = 90_000;

/** The caches that the page is drawn from: what they keep of each object is what the answers rest on. */
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
  // What may not be read is said on the page, and the rest shown.
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
  /** Why the API server could not be asked. */
  let unreachable: string | undefined;
  const answered = new Set<string>();

  const objects = <T extends KubernetesObject>({ store }: Informer<T>): readonly T[] => [...store.values()];
  const readable = <T extends KubernetesObject>(informer: Informer<T>): readonly T[] | undefined =>
    informer.hasSynced() ? objects(informer) : undefined;

  async function lookAtWork(signal: AbortSignal): Promise<void> {
    do {
      try {
        const looking = readAtWork(client, ['pvc-protection']);
        ({ 'pvc-protection': protection } = await untilAborted(looking, signal));
        unreachable = undefined;
      } catch (error) {
        if (signal.aborted) {
          return;
        }
        // What was known stays.
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
    }),
    isComplete: () => answered.size === all.length,
    troubles: () => [
      ...(unreachable === undefined
        ? all.flatMap(troubleOf)
        : [
            `the API server could not be asked, this is what was known: ${unreachable}; see kubectl cluster-info`,
          ]),
      ...[...leftOut].map((name) => `some ${name} are of no shape that can be read, and are left out`),
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
