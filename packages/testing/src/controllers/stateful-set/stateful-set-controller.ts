import {
  controllerOf,
  guardedPatch,
  isTerminated,
  isTerminating,
  keyOf,
  objectKey,
  parseKey,
  persistentVolumeClaims,
  pods,
  statefulSets,
  type ApiResource,
  type JsonPatch,
  type KubernetesObject,
  type ObjectRef,
  type PersistentVolumeClaim,
  type Pod,
  type StatefulSet,
} from '@holdfast/core';
import { matcherOf } from '@holdfast/apiserver';
import type { ApiClient } from '../api-client.ts';
import type { Cache } from '../cache.ts';
import type { Controller } from '../controller.ts';
import { isStale, wantedReferences } from './claim-retention.ts';
import {
  claimDraft,
  claimName,
  claimTemplates,
  controllerReference,
  isWanted,
  ordinalOf,
  ordinalRange,
  podDraft,
  podIndexLabel,
  podNameLabel,
  revisionLabel,
} from './identity.ts';
import {
  belongsTo,
  controllerRevisions,
  nextRevision,
  superfluousRevisions,
  type ControllerRevision,
} from './revisions.ts';

export interface StatefulSetControllerOptions {
  /**
   * Whether to follow `spec.persistentVolumeClaimRetentionPolicy` (default), or to ignore it, as with the
   * feature gate off.
   */
  readonly retention?: boolean;
}

/**
 * Stands in for kube-controller-manager's StatefulSet controller (pkg/controller/statefulset): ordered and
 * parallel pod management, start ordinals, claims, rolling updates with a partition, OnDelete, adoption,
 * revision history, status, and retention of claims.
 *
 * It watches claims, so that it recreates a pod as soon as the claim of the earlier one is gone; the real
 * controller waits for a change of the set or of its pods. It ignores `maxUnavailable`, since upstream's gate
 * for it is off by default.
 */
export function statefulSetController(options: StatefulSetControllerOptions = {}): Controller {
  const { retention = true } = options;
  return {
    name: 'statefulset-controller',
    async setUp({ client, now, watch }) {
      const sets = await watch(statefulSets, ({ object }) => [objectKey(object)]);
      const setsOf = (object: KubernetesObject): string[] => {
        const { namespace = '' } = object.metadata;
        const controller = controllerOf(object);
        if (controller !== undefined) {
          return controller.kind === 'StatefulSet' ? [keyOf({ namespace, name: controller.name })] : [];
        }
        return sets
          .list()
          .filter((set) => set.metadata.namespace === namespace && selects(set)(object.metadata.labels))
          .map(objectKey);
      };
      const both = ({
        object,
        previous,
      }: {
        object: KubernetesObject;
        previous: KubernetesObject | undefined;
      }) => [...setsOf(object), ...(previous === undefined ? [] : setsOf(previous))];
      const podCache = await watch(pods, both);
      // Revisions trigger no look, as in the real controller: a set in foreground deletion would recreate
      // each revision that is deleted, and never end.
      const revisionCache = await watch(controllerRevisions, () => []);
      const claimCache = await watch(persistentVolumeClaims, ({ object }) =>
        sets
          .list()
          .filter((set) => isClaimOf(set, object))
          .map(objectKey),
      );
      return async (key) => {
        const set = sets.get(key);
        if (set === undefined) {
          return undefined;
        }
        return sync({
          client,
          now: now(),
          set,
          retention,
          claims: claimCache,
          pods: await ownPods(client, set, podCache),
          revisions: await ownRevisions(client, set, revisionCache),
        });
      };
    },
  };
}

interface Sync {
  readonly client: ApiClient;
  /** When the pass began, milliseconds since the epoch. */
  readonly now: number;
  readonly set: StatefulSet;
  readonly retention: boolean;
  readonly claims: Cache<PersistentVolumeClaim>;
  readonly pods: readonly Pod[];
  readonly revisions: readonly ControllerRevision[];
}

/**
 * Makes one pass. Returns the milliseconds until a ready pod counts as available, if the set waits for one.
 */
async function sync(work: Sync): Promise<number | undefined> {
  const { client, set, revisions } = work;
  const update = await updateRevision(client, set, revisions);
  const current = revisions.find(({ metadata }) => metadata.name === set.status?.currentRevision) ?? update;
  const deletedForUpdate = isTerminating(set) ? 0 : await converge(work, current, update);
  await writeStatus(work, current, update, deletedForUpdate);

  const live = new Set([
    current.metadata.name,
    update.metadata.name,
    ...work.pods.map((pod) => revisionOf(pod) ?? ''),
  ]);
  for (const { metadata } of superfluousRevisions(set, revisions, live)) {
    await client.delete(controllerRevisions, refOf(metadata));
  }
  const waits = work.pods.filter(isRunningAndReady).map((pod) => availableIn(work, pod));
  const longest = Math.max(0, ...waits);
  return longest > 0 ? longest : undefined;
}

async function updateRevision(
  client: ApiClient,
  set: StatefulSet,
  revisions: readonly ControllerRevision[],
): Promise<ControllerRevision> {
  const step = nextRevision(set, revisions);
  switch (step.kind) {
    case 'is there':
      return step.update;
    case 'raise':
      return client.update(controllerRevisions, { ...step.old, revision: step.revision });
    case 'create':
      return client.create(controllerRevisions, step.draft);
  }
}

/**
 * Whether the pass goes on to the next pod. An ordered set takes one step per pass; a parallel one never
 * stops.
 */
type Step = 'next' | 'stop';

/**
 * Creates, deletes and repairs pods. Returns the number of pods that were deleted because of their revision.
 */
async function converge(
  work: Sync,
  current: ControllerRevision,
  update: ControllerRevision,
): Promise<number> {
  const { set, pods: present } = work;
  const isOrdered = set.spec?.podManagementPolicy !== 'Parallel';
  const byOrdinal = new Map(present.map((pod) => [ordinalOf(set, pod.metadata.name) ?? -1, pod]));
  const { start, end } = ordinalRange(set);
  const wanted = Array.from({ length: end - start }, (_, index) => start + index);
  const condemned = [...byOrdinal]
    .filter(([ordinal]) => ordinal >= 0 && !isWanted(set, ordinal))
    .sort(([a], [b]) => b - a);

  for (const ordinal of wanted) {
    const step = await mend(work, ordinal, byOrdinal.get(ordinal), { current, update, isOrdered });
    if (step === 'stop' && isOrdered) {
      return 0;
    }
  }
  for (const [ordinal, pod] of condemned) {
    await retainClaims(work, ordinal, pod);
  }

  const unhealthy = [
    ...wanted.map((ordinal) => byOrdinal.get(ordinal)),
    ...condemned.toReversed().map(([, pod]) => pod),
  ].find((pod) => pod === undefined || isUnavailable(work, pod));
  for (const [, pod] of condemned) {
    if (isTerminating(pod)) {
      if (isOrdered) {
        return 0;
      }
      continue;
    }
    if (isOrdered && isUnavailable(work, pod) && pod !== unhealthy) {
      return 0;
    }
    await deletePod(work.client, pod);
    if (isOrdered) {
      return 0;
    }
  }

  if (set.spec?.updateStrategy?.type === 'OnDelete') {
    return 0;
  }
  const partition = set.spec?.updateStrategy?.rollingUpdate?.partition ?? 0;
  // As upstream, the partition counts from the first replica here, but by ordinal where a pod is created.
  for (const ordinal of wanted.slice(partition).toReversed()) {
    const pod = byOrdinal.get(ordinal);
    if (pod === undefined) {
      return 0;
    }
    if (revisionOf(pod) !== update.metadata.name && !isTerminating(pod)) {
      await deletePod(work.client, pod);
      return 1;
    }
    if (isUnavailable(work, pod)) {
      return 0;
    }
  }
  return 0;
}

interface Target {
  readonly current: ControllerRevision;
  readonly update: ControllerRevision;
  readonly isOrdered: boolean;
}

async function mend(work: Sync, ordinal: number, pod: Pod | undefined, target: Target): Promise<Step> {
  const { client } = work;
  if (pod === undefined) {
    await createPod(work, ordinal, target);
    return 'stop';
  }
  if (isTerminated(pod)) {
    if (!isTerminating(pod)) {
      await deletePod(client, pod);
    }
    return 'stop';
  }
  if (pod.status?.phase === 'Pending') {
    if (!(await createClaims(work, ordinal))) {
      return 'stop';
    }
    await retainClaims(work, ordinal, pod);
  }
  if (target.isOrdered && isUnavailable(work, pod)) {
    return 'stop';
  }
  await retainClaims(work, ordinal, pod);
  await mendLabels(client, pod, ordinal);
  return 'next';
}

async function createPod(work: Sync, ordinal: number, { current, update }: Target): Promise<void> {
  const { client, set, claims, retention } = work;
  const podName = `${set.metadata.name}-${ordinal}`;
  const mustWait =
    retention &&
    claimsOf(set, ordinal).some((key) => {
      const claim = claims.get(key);
      return claim !== undefined && isStale(claim, set, podName);
    });
  if (mustWait || !(await createClaims(work, ordinal))) {
    return;
  }
  const partition = set.spec?.updateStrategy?.rollingUpdate?.partition;
  const isBelow = partition !== undefined && ordinal < ordinalRange(set).start + partition;
  const revision = isBelow ? current : update;
  await client.create(pods, podDraft(set, revision.data.spec.template, revision.metadata.name, ordinal));
}

/**
 * Returns false while a claim of an earlier pod is being deleted; the end of that claim brings the set back
 * here.
 */
async function createClaims({ client, set, claims }: Sync, ordinal: number): Promise<boolean> {
  let areThere = true;
  for (const template of claimTemplates(set)) {
    const key = keyOf({ namespace: set.metadata.namespace ?? '', name: claimName(set, template, ordinal) });
    const claim = claims.get(key);
    if (claim === undefined) {
      const draft = claimDraft(set, template, ordinal);
      // The cache might not yet hold what was created a moment ago.
      if ((await client.get(persistentVolumeClaims, parseKey(key))) === undefined) {
        await client.create(persistentVolumeClaims, draft);
      }
    } else if (isTerminating(claim)) {
      areThere = false;
    }
  }
  return areThere;
}

async function retainClaims(work: Sync, ordinal: number, pod: Pod): Promise<void> {
  if (!work.retention) {
    return;
  }
  const { name, uid } = pod.metadata;
  for (const key of claimsOf(work.set, ordinal)) {
    const claim = work.claims.get(key);
    if (claim === undefined) {
      continue;
    }
    const ownerReferences = wantedReferences(claim, work.set, { name, uid, ordinal });
    if (ownerReferences === undefined) {
      continue;
    }
    const updated = { ...claim, metadata: { ...claim.metadata, ownerReferences } };
    await work.client.update(persistentVolumeClaims, updated);
  }
}

async function mendLabels(client: ApiClient, pod: Pod, ordinal: number): Promise<void> {
  const { name, labels = {} } = pod.metadata;
  if (labels[podNameLabel] === name) {
    return;
  }
  const value = { ...labels, [podNameLabel]: name, [podIndexLabel]: String(ordinal) };
  const path = '/metadata/labels';
  await client.patch(pods, refOf(pod.metadata), guardedPatch(pod, [{ op: 'add', path, value }]));
}

async function deletePod(client: ApiClient, { metadata }: Pod): Promise<void> {
  await client.delete(pods, refOf(metadata), { preconditions: { uid: metadata.uid } });
}

async function writeStatus(
  work: Sync,
  current: ControllerRevision,
  update: ControllerRevision,
  deletedForUpdate: number,
): Promise<void> {
  const { client, set, pods: present } = work;
  const count = (holds: (pod: Pod) => boolean): number => present.filter(holds).length;
  const has = (revision: ControllerRevision) => (pod: Pod) =>
    !isTerminating(pod) && revisionOf(pod) === revision.metadata.name;
  const replicas = present.length;
  const readyReplicas = count(isRunningAndReady);
  const updatedReplicas = count(has(update));
  const wanted = set.spec?.replicas ?? 1;
  const isComplete =
    set.spec?.updateStrategy?.type === 'RollingUpdate' &&
    [updatedReplicas, readyReplicas, replicas].every((number) => number === wanted);
  const status: Readonly<Record<string, number | string>> = {
    observedGeneration: set.metadata.generation ?? 0,
    replicas,
    readyReplicas,
    availableReplicas: count((pod) => isRunningAndReady(pod) && availableIn(work, pod) === 0),
    currentReplicas: isComplete ? updatedReplicas : Math.max(0, count(has(current)) - deletedForUpdate),
    updatedReplicas,
    currentRevision: isComplete ? update.metadata.name : current.metadata.name,
    updateRevision: update.metadata.name,
    collisionCount: 0,
  };
  const before: Readonly<Record<string, unknown>> = { ...set.status };
  // Zeros are left out of the JSON.
  if (Object.entries(status).every(([field, value]) => (before[field] ?? 0) === value)) {
    return;
  }
  await client.update(
    statefulSets,
    { ...set, status: { ...set.status, ...status } } as StatefulSet,
    'status',
  );
}

/**
 * Returns the set's pods: its own and the orphans that it adopts. It releases pods whose labels no longer
 * match.
 */
async function ownPods(client: ApiClient, set: StatefulSet, cache: Cache<Pod>): Promise<readonly Pod[]> {
  const own: Pod[] = [];
  for (const pod of cache.list()) {
    const { namespace, name } = pod.metadata;
    if (namespace !== set.metadata.namespace || ordinalOf(set, name) === undefined) {
      continue;
    }
    const isOurs = controllerOf(pod)?.uid === set.metadata.uid;
    const fits = selects(set)(pod.metadata.labels);
    if (isOurs && fits) {
      own.push(pod);
    } else if (isOurs) {
      await release(client, set, pod);
    } else if (fits && controllerOf(pod) === undefined && !isTerminating(pod) && !isTerminating(set)) {
      own.push(await adopt(client, pods, set, pod));
    }
  }
  return own;
}

async function ownRevisions(
  client: ApiClient,
  set: StatefulSet,
  cache: Cache<ControllerRevision>,
): Promise<readonly ControllerRevision[]> {
  const own: ControllerRevision[] = [];
  for (const revision of cache.list()) {
    if (revision.metadata.namespace !== set.metadata.namespace) {
      continue;
    }
    if (!belongsTo(set, revision, selects(set))) {
      continue;
    }
    const isOrphan = controllerOf(revision) === undefined;
    own.push(
      isOrphan && !isTerminating(set) ? await adopt(client, controllerRevisions, set, revision) : revision,
    );
  }
  return own.sort((a, b) => a.revision - b.revision);
}

/**
 * The name might belong to another set in the meantime: adoption requires a live read that returns this UID.
 */
async function adopt<T extends KubernetesObject>(
  client: ApiClient,
  resource: ApiResource<T>,
  set: StatefulSet,
  orphan: T,
): Promise<T> {
  const live = await client.get(statefulSets, refOf(set.metadata));
  if (live?.metadata.uid !== set.metadata.uid || isTerminating(live)) {
    return orphan;
  }
  const { ownerReferences = [] } = orphan.metadata;
  const value = [...ownerReferences, controllerReference('apps/v1', 'StatefulSet', set)];
  return client.patch(resource, refOf(orphan.metadata), replaceOwners(orphan, value));
}

async function release(client: ApiClient, set: StatefulSet, pod: Pod): Promise<void> {
  const kept = (pod.metadata.ownerReferences ?? []).filter(({ uid }) => uid !== set.metadata.uid);
  await client.patch(pods, refOf(pod.metadata), replaceOwners(pod, kept));
}

function replaceOwners(object: KubernetesObject, value: readonly object[]): JsonPatch {
  const path = '/metadata/resourceVersion';
  return guardedPatch(object, [
    { op: 'test', path, value: object.metadata.resourceVersion },
    { op: 'add', path: '/metadata/ownerReferences', value },
  ]);
}

function selects(set: StatefulSet): (labels: Readonly<Record<string, string>> | undefined) => boolean {
  const { matchLabels, matchExpressions } = set.spec?.selector ?? {};
  const matches = matcherOf({
    ...(matchLabels === undefined ? {} : { matchLabels: { ...matchLabels } }),
    ...(matchExpressions === undefined
      ? {}
      : {
          matchExpressions: matchExpressions.map(({ key, operator, values }) => ({
            key,
            operator,
            values: [...(values ?? [])],
          })),
        }),
  });
  return (labels) => matches(labels === undefined ? undefined : { ...labels });
}

function isClaimOf(set: StatefulSet, { metadata }: PersistentVolumeClaim): boolean {
  return (
    set.metadata.namespace === metadata.namespace &&
    claimTemplates(set).some((template) =>
      metadata.name.startsWith(`${template.metadata?.name ?? ''}-${set.metadata.name}-`),
    )
  );
}

function claimsOf(set: StatefulSet, ordinal: number): readonly string[] {
  const { namespace = '' } = set.metadata;
  return claimTemplates(set).map((template) => keyOf({ namespace, name: claimName(set, template, ordinal) }));
}

function revisionOf(pod: Pod): string | undefined {
  return pod.metadata.labels?.[revisionLabel];
}

function readyCondition(pod: Pod): { readonly lastTransitionTime?: string } | undefined {
  return pod.status?.conditions?.find(({ type, status }) => type === 'Ready' && status === 'True');
}

function isRunningAndReady(pod: Pod): boolean {
  return pod.status?.phase === 'Running' && readyCondition(pod) !== undefined;
}

/** Returns the milliseconds until a ready pod has been ready for `minReadySeconds`. */
function availableIn({ set, now }: Sync, pod: Pod): number {
  const minimum = (set.spec?.minReadySeconds ?? 0) * 1000;
  if (minimum === 0) {
    return 0;
  }
  const since = Date.parse(readyCondition(pod)?.lastTransitionTime ?? '');
  return Math.max(0, since + minimum - now);
}

function isUnavailable(work: Sync, pod: Pod): boolean {
  return isTerminating(pod) || !isRunningAndReady(pod) || availableIn(work, pod) > 0;
}

function refOf({ namespace, name }: KubernetesObject['metadata']): ObjectRef {
  return namespace === undefined ? { name } : { namespace, name };
}
