import {
  guardedPatch,
  isScheduled,
  isTerminated,
  isTerminating,
  keyOf,
  nodes,
  objectKey,
  parseKey,
  persistentVolumeClaims,
  pods,
  type JsonPatchOperation,
  type ObjectRef,
  type PersistentVolumeClaim,
  type Pod,
} from '@holdfast/core';
import { ApiError, createApiClient, type ApiClient } from './api-client.ts';
import type { Cache } from './cache.ts';
import type { Controller, Plane } from './controller.ts';

export interface KubeletOptions {
  /** Its node, which is created where there is none. Default `node-1`. */
  readonly node?: string;
  /**
   * When a pod that is deleted ends: at once, as a program does that heeds SIGTERM (default), or after its grace period, as one
   * that does not.
   */
  readonly ends?: 'at once' | 'after the grace period';
  /**
   * Bind and start a pod only when each claim it names exists, is bound and is not being deleted, as the scheduler and the
   * kubelet do. Default false: for planes where nobody binds claims.
   */
  readonly needsBoundClaims?: boolean;
  /** Bind pods to the node, in the scheduler's place. Default true; false where a scheduler runs. */
  readonly schedules?: boolean;
}

/**
 * Stands in for a kubelet and a scheduler with one node to choose from: binds unscheduled pods, starts and readies them, and ends
 * those that are deleted, in a terminal phase first (KEP-3329) and then with a delete of no grace. Evicted pods come to it as
 * deleted ones. A pod in a terminal phase stays as it is; containers are not restarted.
 */
export function kubelet(options: KubeletOptions = {}): Controller {
  const { node = 'node-1', ends = 'at once', needsBoundClaims = false, schedules = true } = options;
  return {
    name: 'kubelet',
    async setUp({ client, now, watch }) {
      await register(client, node);
      const usersOf = new Map<string, Set<string>>();
      const cache = await watch(pods, ({ object }) => {
        for (const claim of claimKeysOf(object)) {
          usersOf.set(claim, (usersOf.get(claim) ?? new Set()).add(objectKey(object)));
        }
        return [objectKey(object)];
      });
      const claims = needsBoundClaims
        ? await watch(persistentVolumeClaims, ({ object }) => usersOf.get(objectKey(object)) ?? [])
        : undefined;

      return async (key) => {
        const pod = cache.get(key);
        if (pod === undefined) {
          return undefined;
        }
        if (!isScheduled(pod)) {
          const mayStart = !isTerminating(pod) && !isGated(pod) && areClaimsReady(pod, claims);
          if (schedules && mayStart) {
            await client.bind(parseKey(key), node);
          }
          return undefined;
        }
        if (pod.spec?.nodeName !== node) {
          return undefined;
        }
        if (isTerminating(pod)) {
          return end(client, pod, ends, now());
        }
        if (pod.status?.phase === 'Pending' && areClaimsReady(pod, claims)) {
          await writeStatus(client, pod, 'Running', now());
        }
        return undefined;
      };
    },
  };
}

/**
 * Ends a pod's containers by themselves, as the kubelet would report it: all with exit code 0, or not.
 *
 * @param now when they end, milliseconds since the epoch. Default Date.now.
 */
export async function terminatePod(
  plane: Plane,
  pod: ObjectRef,
  phase: 'Succeeded' | 'Failed',
  now = Date.now,
): Promise<void> {
  const client = createApiClient(plane.kubeconfig, 'holdfast-stand-in/kubelet');
  try {
    // Whoever else writes the pod at the same time, such as the kubelet, is done after a try or two.
    for (let tries = 1; ; tries += 1) {
      const found = await client.get(pods, pod);
      if (found === undefined) {
        throw new Error(`pod ${keyOf(pod)} is not there to be ${phase}`);
      }
      try {
        await writeStatus(client, found, phase, now());
        return;
      } catch (error) {
        if (!(error instanceof ApiError) || tries === 5) {
          throw error;
        }
      }
    }
  } finally {
    client.close();
  }
}

async function register(client: ApiClient, name: string): Promise<void> {
  if ((await client.get(nodes, { name })) !== undefined) {
    return;
  }
  const created = await client.create(nodes, { metadata: { name } });
  const conditions = [{ type: 'Ready', status: 'True', reason: 'KubeletReady' }];
  const status = { ...created.status, conditions, capacity };
  // A patch, since the node's version may be another one by now: kube-controller-manager annotates nodes as soon as it sees them.
  await client.patch(nodes, { name }, [{ op: 'add', path: '/status', value: status }], 'status');
}

/** More than the pods of any test ask for, since nothing here keeps count of what a node has left. */
const capacity = { cpu: '1k', memory: '1Ti', 'ephemeral-storage': '1Ti', pods: '10k' };

function claimKeysOf(pod: Pod): string[] {
  const { namespace = '' } = pod.metadata;
  return (pod.spec?.volumes ?? []).flatMap(({ persistentVolumeClaim }) =>
    persistentVolumeClaim === undefined ? [] : [keyOf({ namespace, name: persistentVolumeClaim.claimName })],
  );
}

function areClaimsReady(pod: Pod, claims: Cache<PersistentVolumeClaim> | undefined): boolean {
  if (claims === undefined) {
    return true;
  }
  return claimKeysOf(pod).every((key) => {
    const claim = claims.get(key);
    // The scheduler refuses a claim that is being deleted; a pod that it has bound before may start all the same.
    return claim?.status?.phase === 'Bound' && (isScheduled(pod) || !isTerminating(claim));
  });
}

function isGated(pod: Pod): boolean {
  return (pod.spec?.schedulingGates ?? []).length > 0;
}

async function end(
  client: ApiClient,
  pod: Pod,
  ends: NonNullable<KubeletOptions['ends']>,
  now: number,
): Promise<number | undefined> {
  const { uid, deletionTimestamp = '', deletionGracePeriodSeconds = 0 } = pod.metadata;
  const remaining = Date.parse(deletionTimestamp) - now;
  if (ends === 'after the grace period' && remaining > 0 && !isTerminated(pod)) {
    return remaining;
  }
  if (!isTerminated(pod)) {
    await writeStatus(client, pod, 'Succeeded', now);
  }
  // With a period of 0 it has let go already: what keeps the pod is a finalizer.
  if (deletionGracePeriodSeconds > 0) {
    await client.delete(pods, refOf(pod), { gracePeriodSeconds: 0, preconditions: { uid } });
  }
  return undefined;
}

async function writeStatus(
  client: ApiClient,
  pod: Pod,
  phase: 'Running' | 'Succeeded' | 'Failed',
  now: number,
): Promise<void> {
  const isRunning = phase === 'Running';
  const time = `${new Date(now).toISOString().slice(0, 19)}Z`;
  const kept = (pod.status?.conditions ?? []).filter(({ type }) => !reported.has(type));
  const conditions = [...reported].map((type) => ({
    type,
    status: isRunning || type === 'Initialized' ? 'True' : 'False',
    lastTransitionTime: time,
    ...(isRunning || type === 'Initialized'
      ? {}
      : { reason: phase === 'Failed' ? 'PodFailed' : 'PodCompleted' }),
  }));
  const state = isRunning
    ? { running: { startedAt: time } }
    : { terminated: { exitCode: phase === 'Failed' ? 1 : 0, startedAt: time, finishedAt: time } };
  const containerStatuses = (pod.spec?.containers ?? []).map(({ name, image = '' }) => ({
    name,
    image,
    imageID: '',
    ready: isRunning,
    started: isRunning,
    restartCount: 0,
    state,
  }));
  const operations: readonly JsonPatchOperation[] = [
    { op: 'add', path: '/status/phase', value: phase },
    { op: 'add', path: '/status/startTime', value: pod.status?.startTime ?? time },
    { op: 'add', path: '/status/conditions', value: [...kept, ...conditions] },
    { op: 'add', path: '/status/containerStatuses', value: containerStatuses },
  ];
  await client.patch(pods, refOf(pod), guardedPatch(pod, operations), 'status');
}

/** The conditions a kubelet writes; PodScheduled and others are not its own. */
const reported: ReadonlySet<string> = new Set(['Initialized', 'Ready', 'ContainersReady']);

function refOf(pod: Pod): ObjectRef {
  return parseKey(objectKey(pod));
}
