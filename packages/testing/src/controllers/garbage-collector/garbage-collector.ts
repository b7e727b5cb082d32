import {
  guardedPatch,
  hasFinalizer,
  isTerminating,
  pointer,
  removeFinalizerPatch,
  type ApiResource,
  type JsonPatchOperation,
  type KubernetesObject,
  type ObjectRef,
  type OwnerReference,
} from '@holdfast/core';
import type { ApiClient } from '../api-client.ts';
import type { Change } from '../cache.ts';
import type { Controller } from '../controller.ts';
import { discoverKinds, type Kinds } from '../kinds.ts';
import {
  createGraph,
  foregroundFinalizer,
  isDeletingDependents,
  orphanFinalizer,
  ownersOf,
  refersTo,
  type Graph,
  type Node,
} from './graph.ts';

/**
 * Stands in for kube-controller-manager's garbage collector (pkg/controller/garbagecollector). It deletes
 * objects whose owners are all gone, carries out background and foreground deletion, and orphans dependents.
 * It looks up owners live before it deletes anything, and each delete has the UID and resourceVersion that it
 * looked at as preconditions.
 *
 * Like the real one, it keeps Events out of its graph: there are thousands of them and they own nothing. It
 * knows only the kinds that were served when it started. Like the real one, it leaves alone an object whose
 * owner is of a kind that is not served, and a cluster-scoped object with a namespaced owner.
 */
export const garbageCollector: Controller = collectorOf(({ kind }) => kind !== 'Event');

/**
 * The same for tests in which only objects of a few kinds have owners or are owners. It follows no other kind,
 * and starts ten times as fast: following a kind takes two requests and a connection, and there are sixty.
 *
 * @param kinds such as `Pod`, of whatever group. An owner of another kind is looked up before anything is
 *   deleted, but its deletion is not noticed, nor are its dependents orphaned.
 */
export function garbageCollectorOf(...kinds: readonly string[]): Controller {
  return collectorOf(({ kind }) => kinds.includes(kind));
}

function collectorOf(isFollowed: (resource: ApiResource<KubernetesObject>) => boolean): Controller {
  return {
    name: 'garbage-collector-controller',
    async setUp({ client, watch }) {
      const graph = createGraph();
      const kinds = await discoverKinds(client);
      await Promise.all(
        kinds.deletable.filter(isFollowed).map((resource) =>
          watch(resource, (change) => {
            const node = { resource, object: change.object };
            if (change.isGone) {
              graph.remove(change.object.metadata.uid);
            } else {
              graph.put(node);
            }
            return affectedBy(change, graph);
          }),
        ),
      );
      return async (uid) => {
        const node = graph.get(uid);
        if (node !== undefined) {
          await collect({ client, kinds, graph }, node);
        }
        return undefined;
      };
    },
  };
}

interface Collection {
  readonly client: ApiClient;
  readonly kinds: Kinds;
  readonly graph: Graph;
}

/** Returns the UIDs to look at after a change. */
function affectedBy({ object, previous, isGone }: Change<KubernetesObject>, graph: Graph): string[] {
  const { uid } = object.metadata;
  const needsLook = !isGone && (ownersOf(object).length > 0 || isTerminating(object));
  const owners = [...ownersOf(previous), ...ownersOf(object)].flatMap((reference) => {
    const owner = graph.get(reference.uid);
    return owner !== undefined && isDeletingDependents(owner.object) ? [reference.uid] : [];
  });
  const dependents =
    isGone || isDeletingDependents(object)
      ? graph.dependentsOf(uid).map((dependent) => dependent.object.metadata.uid)
      : [];
  return [...(needsLook ? [uid] : []), ...dependents, ...owners];
}

async function collect(collection: Collection, node: Node): Promise<void> {
  const { object } = node;
  if (isTerminating(object)) {
    if (hasFinalizer(object, orphanFinalizer)) {
      await orphanDependents(collection, node);
    } else if (hasFinalizer(object, foregroundFinalizer)) {
      await finishForeground(collection, node);
    }
    return;
  }
  if (ownersOf(object).some((reference) => !isSolid(collection.graph, reference, node))) {
    await collectUnowned(collection, node);
  }
}

/** Judges by the graph alone. Whether an owner is absent is always asked of the server. */
function isSolid(graph: Graph, reference: OwnerReference, dependent: Node): boolean {
  const owner = graph.get(reference.uid);
  return owner !== undefined && refersTo(reference, dependent, owner) && !isDeletingDependents(owner.object);
}

async function orphanDependents({ client, graph }: Collection, owner: Node): Promise<void> {
  const { uid } = owner.object.metadata;
  for (const dependent of graph.dependentsOf(uid)) {
    const live = await readLive(client, dependent);
    if (live !== undefined) {
      await removeOwners(client, { ...dependent, object: live }, new Set([uid]));
    }
  }
  await removeFinalizer(client, owner, orphanFinalizer);
}

/** Dependents are looked at on their own. The owner may go once none of them blocks it. */
async function finishForeground({ client, graph }: Collection, owner: Node): Promise<void> {
  const { uid } = owner.object.metadata;
  const isBlocked = graph
    .dependentsOf(uid)
    .some(({ object }) =>
      ownersOf(object).some((reference) => reference.uid === uid && reference.blockOwnerDeletion === true),
    );
  if (!isBlocked) {
    await removeFinalizer(client, owner, foregroundFinalizer);
  }
}

async function collectUnowned(collection: Collection, node: Node): Promise<void> {
  const { client, graph } = collection;
  const live = await readLive(client, node);
  if (live === undefined || isTerminating(live)) {
    return;
  }
  const current = { ...node, object: live };
  const verdicts = new Map<OwnerReference, Verdict>();
  for (const reference of ownersOf(live)) {
    const verdict = await judge(collection, current, reference);
    if (verdict === 'unknown') {
      return;
    }
    verdicts.set(reference, verdict);
  }
  if (verdicts.size === 0) {
    return;
  }
  const references = (verdict: Verdict): readonly OwnerReference[] =>
    [...verdicts].filter(([, given]) => given === verdict).map(([reference]) => reference);

  const waiting = references('waiting');
  if (references('solid').length > 0) {
    const superfluous = [...references('absent'), ...waiting].map(({ uid }) => uid);
    if (superfluous.length > 0) {
      await removeOwners(client, current, new Set(superfluous));
    }
    return;
  }
  const dependents = graph.dependentsOf(live.metadata.uid);
  if (waiting.length > 0 && dependents.length > 0) {
    // A dependent that waits for its own dependents might, through them, be waiting for this object: such a
    // circle must not block the deletion.
    const isUnblocked = dependents.some(({ object }) => isDeletingDependents(object));
    const target = isUnblocked ? await unblockOwners(client, current) : current;
    await deleteAsSeen(client, target, 'Foreground');
    return;
  }
  const policy = hasFinalizer(live, orphanFinalizer)
    ? 'Orphan'
    : hasFinalizer(live, foregroundFinalizer)
      ? 'Foreground'
      : 'Background';
  await deleteAsSeen(client, current, policy);
}

/** The verdict about an owner reference; `unknown` if it cannot be resolved. */
type Verdict = 'solid' | 'absent' | 'waiting' | 'unknown';

async function judge({ client, kinds }: Collection, node: Node, reference: OwnerReference): Promise<Verdict> {
  const resource = kinds.find(reference.apiVersion, reference.kind);
  if (resource === undefined) {
    return 'unknown';
  }
  const { namespace } = node.object.metadata;
  if (resource.namespaced && namespace === undefined) {
    return 'unknown';
  }
  const ref = resource.namespaced && namespace !== undefined ? { namespace } : {};
  const owner = await client.get(resource, { ...ref, name: reference.name });
  if (owner?.metadata.uid !== reference.uid) {
    return 'absent';
  }
  return isDeletingDependents(owner) ? 'waiting' : 'solid';
}

async function readLive(
  client: ApiClient,
  { resource, object }: Node,
): Promise<KubernetesObject | undefined> {
  const live = await client.get(resource, refOf(object));
  return live?.metadata.uid === object.metadata.uid ? live : undefined;
}

function refOf({ metadata: { namespace, name } }: KubernetesObject): ObjectRef {
  return namespace === undefined ? { name } : { namespace, name };
}

async function deleteAsSeen(
  client: ApiClient,
  { resource, object }: Node,
  propagationPolicy: 'Orphan' | 'Foreground' | 'Background',
): Promise<void> {
  const { uid, resourceVersion } = object.metadata;
  const options = { preconditions: { uid, resourceVersion }, propagationPolicy };
  await client.delete(resource, refOf(object), options);
}

async function removeFinalizer(client: ApiClient, node: Node, finalizer: string): Promise<void> {
  const live = await readLive(client, node);
  if (live === undefined || !hasFinalizer(live, finalizer)) {
    return;
  }
  await client.patch(node.resource, refOf(live), removeFinalizerPatch(live, finalizer));
}

async function removeOwners(client: ApiClient, node: Node, uids: ReadonlySet<string>): Promise<void> {
  const kept = ownersOf(node.object).filter(({ uid }) => !uids.has(uid));
  if (kept.length < ownersOf(node.object).length) {
    await writeOwners(client, node, kept);
  }
}

async function unblockOwners(client: ApiClient, node: Node): Promise<Node> {
  const free = ownersOf(node.object).map((reference) => ({ ...reference, blockOwnerDeletion: false }));
  return { ...node, object: await writeOwners(client, node, free) };
}

function writeOwners(
  client: ApiClient,
  { resource, object }: Node,
  references: readonly OwnerReference[],
): Promise<KubernetesObject> {
  const path = pointer('metadata', 'ownerReferences');
  const operations: readonly JsonPatchOperation[] = [
    { op: 'test', path, value: ownersOf(object) },
    references.length === 0 ? { op: 'remove', path } : { op: 'replace', path, value: references },
  ];
  return client.patch(resource, refOf(object), guardedPatch(object, operations));
}
