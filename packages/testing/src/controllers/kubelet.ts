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
  testAbsent,
  type JsonPatchOperation,
  type ObjectRef,
  type PersistentVolumeClaim,
  type Pod,
} from '@holdfast/core';
import { ApiError, type ApiClient } from './api-client.ts';
import { clientOf, type Plane } from './client-of.ts';
import type { Cache } from './cache.ts';
import type { Controller } from './controller.ts';

export interface KubeletOptions {
  /** The name of its node, which is created if it does not exist. Default `node-1`. */
  readonly node?: string;
  /**
   * When a deleted pod ends: at once, like a program that heeds SIGTERM (default), or after its grace period,
   * like one that ignores it.
   */
  readonly ends?: 'at once' | 'after the grace period';
  /**
   * Whether a pod is bound and started only when each claim that it names exists, is bound and is not being
   * deleted, as the scheduler and the kubelet require. Default false, for control planes on which nothing
   * binds claims.
   */
  readonly needsBoundClaims?: boolean;
  /**
   * Whether to bind pods to the node in place of the scheduler. Default true; give false if a scheduler runs.
   */
  readonly schedules?: boolean;
}

/**
 * Stands in for a kubelet and a scheduler that has a single node to choose from. It binds unscheduled pods,
 * starts them and makes them ready. It ends deleted pods, first by setting a terminal phase (KEP-3329) and
 * then by a delete without grace period. It treats evicted pods in the same way, since they arrive as deleted
 * ones. Pods in a terminal phase stay as they are; containers are not restarted.
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
 * Ends the containers of a pod as if they had exited by themselves, and reports it as the kubelet would: with
 * exit code 0 if the pod succeeded, and 1 if it failed.
 *
 * @param now when they end, milliseconds since the epoch. Default Date.now.
 */
export async function terminatePod(
  plane: Plane,
  pod: ObjectRef,
  phase: 'Succeeded' | 'Failed',
  now = Date.now,
): Promise<void> {
  const client = clientOf(plane, 'kubelet');
  try {
    // Another client that writes the pod at the same time, such as the kubelet, is done after a try or two.
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
  // A patch, since the node's version might have changed: kube-controller-manager annotates nodes as soon as
  // it sees them.
  await client.patch(nodes, { name }, [{ op: 'add', path: '/status', value: status }], 'status');
}

/** More than the pods of any test request, because nothing here tracks how much of a node is in use. */
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
    // The scheduler refuses a claim that is being deleted, but a pod that was bound before may still start.
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
  // With a grace period of 0 the kubelet has already let go of the pod: a finalizer is what keeps it.
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
    // Conditions that another client has written since the pod was read must not go.
    pod.status?.conditions === undefined
      ? testAbsent('/status/conditions')
      : { op: 'test', path: '/status/conditions', value: pod.status.conditions },
    { op: 'add', path: '/status/conditions', value: [...kept, ...conditions] },
    { op: 'add', path: '/status/containerStatuses', value: containerStatuses },
  ];
  await client.patch(pods, refOf(pod), guardedPatch(pod, operations), 'status');
}

/** The conditions that a kubelet writes. Others, such as PodScheduled, belong to other components. */
const reported: ReadonlySet<string> = new Set(['Initialized', 'Ready', 'ContainersReady']);

function refOf(pod: Pod): ObjectRef {
  return parseKey(objectKey(pod));
}
