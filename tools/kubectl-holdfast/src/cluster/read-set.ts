import {
  claimUses,
  controllerOf,
  isTerminating,
  persistentVolumeClaims,
  persistentVolumes,
  pods,
  statefulSets,
  storageClasses,
  type ApiResource,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
  type StatefulSet,
} from '@holdfast/core';
import { find, listAll, type ApiClient, type ConnectedClient } from '@holdfast/runtime';
import { parseClaimName, stemsOf, type WorkloadResource } from '@holdfast/statefulset-pvc-retention/decide';
import type { Classes, NamedVolume } from '../plan/volume-fate.ts';
import type { OwnerState, World } from '../plan/world.ts';
import { NotFound } from './not-found.ts';
import { readOwners } from './owners.ts';
import { claimFields, setFields, usingPodFields, volumeFields } from './projections.ts';
import { unlessRefused } from './refused.ts';
import { isSameKind } from './workload-kinds.ts';

/** From this many volumes on, listing all of them is cheaper than one request for each. */
const many = 16;

export interface SetState {
  readonly world: World;
  /** The volumes of the set's claims that may be read, by name. */
  readonly volumes: ReadonlyMap<string, NamedVolume>;
  readonly classes: Classes;
}

/** Identifies a set, and the other kinds of sets that might make claims of the same names. */
export interface SetRef {
  readonly namespace: string;
  readonly name: string;
  /** Default: StatefulSets of `apps`. */
  readonly resource?: WorkloadResource;
  /** Default: only StatefulSets of `apps`. */
  readonly kinds?: Promise<readonly WorkloadResource[]>;
}

/**
 * Reads a set, its claims and everything that decides about them: one list each of the claims, pods and sets
 * of its namespace.
 *
 * @throws NotFound if there is no such set; what the client throws
 */
export async function readSet(
  client: ConnectedClient,
  { namespace, name, resource = statefulSets, kinds = Promise.resolve([]) }: SetRef,
): Promise<SetState> {
  const [set, claims, namespacePods, sets, classes, others] = await Promise.all([
    // Only the fields that other kinds have in common with StatefulSets are read.
    find(client, resource as ApiResource<StatefulSet>, { namespace, name }),
    listed(listAll(client, persistentVolumeClaims, { namespace, projection: claimFields, limit: page })),
    readPods(client, namespace),
    readSets(client, namespace),
    readClasses(client),
    kinds.then((all) => readOtherKinds(client, namespace, all)),
  ]);
  if (set === undefined) {
    throw new NotFound(
      isSameKind(resource, statefulSets) ? 'statefulset' : `${resource.plural}.${resource.group}`,
      name,
      namespace,
    );
  }
  const stems = new Set(stemsOf(set));
  const own = claims.filter((claim) => stems.has(parseClaimName(claim)?.stem ?? ''));
  const [world, volumes] = await Promise.all([
    openWorld(client, {
      ...{ resource, set, claims: own, pods: namespacePods },
      sets: [...sets, ...others.sets],
      unread: others.unread,
    }),
    readVolumes(client, own),
  ]);
  return { world, volumes, classes };
}

/**
 * Reads the sets of other kinds than StatefulSet. Returns them with the kinds that are not served or may not
 * be listed.
 */
async function readOtherKinds(
  client: Pick<ApiClient, 'listPages'>,
  namespace: string,
  kinds: readonly WorkloadResource[],
): Promise<{ readonly sets: readonly StatefulSet[]; readonly unread: readonly WorkloadResource[] }> {
  const read = await Promise.all(
    kinds
      .filter((kind) => !isSameKind(kind, statefulSets))
      .map(async (kind) => ({
        kind,
        sets: await unlessRefused(listed(listAll(client, kind as ApiResource<StatefulSet>, { namespace }))),
      })),
  );
  return {
    sets: read.flatMap(({ sets = [] }) => sets),
    unread: read.flatMap(({ kind, sets }) => (sets === undefined ? [kind] : [])),
  };
}

/**
 * Objects per page. They are read as protobuf, so pages are small, and a second page would take another round
 * trip.
 */
const page = 5_000;

export function readPods(client: Pick<ApiClient, 'listPages'>, namespace: string): Promise<readonly Pod[]> {
  return listed(listAll(client, pods, { namespace, projection: usingPodFields, limit: page }));
}

export function readSets(
  client: Pick<ApiClient, 'listPages'>,
  namespace: string,
): Promise<readonly StatefulSet[]> {
  return listed(listAll(client, statefulSets, { namespace, projection: setFields, limit: page }));
}

/**
 * Assembles the world of a set with these of its claims.
 *
 * @param read the pods and sets: all those of the namespace
 */
export async function openWorld(
  client: Pick<ConnectedClient, 'document' | 'get' | 'serverTime'>,
  read: {
    readonly resource?: WorkloadResource;
    readonly set: StatefulSet;
    readonly claims: readonly PersistentVolumeClaim[];
    readonly pods: readonly Pod[];
    readonly sets: readonly StatefulSet[];
    readonly unread?: readonly WorkloadResource[];
  },
): Promise<World> {
  const { resource = statefulSets, set, claims, sets, unread = [] } = read;
  const { namespace = '', name, uid } = set.metadata;
  const names = new Set(claims.map(({ metadata }) => metadata.name));
  const concerns = (pod: Pod): boolean =>
    controllerOf(pod)?.uid === uid ||
    pod.metadata.name.startsWith(`${name}-`) ||
    claimUses(pod).some(({ claimName }) => names.has(claimName));
  const { around = [], elsewhere = [] } = Object.groupBy(read.pods, (pod) =>
    concerns(pod) ? 'around' : 'elsewhere',
  );
  const others = sets.filter(({ metadata }) => metadata.uid !== uid);
  const known = new Set([set, ...claims, ...read.pods, ...sets].map(({ metadata }) => metadata.uid));
  const references = claims.flatMap(({ metadata }) => metadata.ownerReferences ?? []);
  const going = new Set([set, ...around, ...claims].map((each) => each.metadata.uid));
  const owners = await readOwners(client, namespace, references, known, going);
  return {
    resource,
    set,
    unread,
    claims: new Map(claims.map((claim) => [claim.metadata.name, claim])),
    pods: around,
    shared: sharedNames(claims, others),
    owners: new Map([
      ...owners,
      ...[...others, ...elsewhere].map((each) => [each.metadata.uid, stateOf(each)] as const),
    ]),
    now: nowOf(client),
  };
}

function stateOf(owner: Pod | StatefulSet): OwnerState {
  return isTerminating(owner) ? 'leaving' : 'lives';
}

/**
 * Returns the later of the two clocks' times, because undo windows are measured by that one. Milliseconds
 * since 1970.
 */
export function nowOf(client: Pick<ApiClient, 'serverTime'>): number {
  return Math.max(Date.now(), client.serverTime()?.getTime() ?? 0);
}

/** Returns the names of the claims that the templates of these sets make, too. */
function sharedNames(
  claims: readonly PersistentVolumeClaim[],
  sets: readonly StatefulSet[],
): ReadonlySet<string> {
  const stems = new Set(sets.flatMap(stemsOf));
  return new Set(
    claims
      .filter((claim) => stems.has(parseClaimName(claim)?.stem ?? ''))
      .map(({ metadata }) => metadata.name),
  );
}

/** Reads the volumes that claims name, by name. */
async function readVolumes(
  client: Pick<ApiClient, 'get' | 'list' | 'listPages'>,
  claims: readonly PersistentVolumeClaim[],
): Promise<ReadonlyMap<string, NamedVolume>> {
  const names = [...new Set(claims.map(({ spec }) => spec?.volumeName ?? ''))].filter((name) => name !== '');
  if (names.length < many) {
    const found = await Promise.all(names.map((name) => readVolume(client, name)));
    return new Map(names.map((name, index) => [name, found[index]]));
  }
  const all = await unlessRefused(listVolumes(client));
  const byName = new Map(all?.map((volume) => [volume.metadata.name, volume]));
  return new Map(
    names.map((name) => [name, all === undefined ? undefined : (byName.get(name) ?? 'missing')]),
  );
}

export function listVolumes(client: Pick<ApiClient, 'listPages'>): Promise<readonly PersistentVolume[]> {
  return listed(listAll(client, persistentVolumes, { projection: volumeFields, limit: page }));
}

export function readVolume(client: Pick<ApiClient, 'get'>, name: string): Promise<NamedVolume> {
  return unlessRefused(
    find(client, persistentVolumes, { name }, { projection: volumeFields }).then(
      (volume) => volume ?? 'missing',
    ),
  );
}

/** Undefined if they may not be read. */
export function readClasses(client: Pick<ApiClient, 'listPages'>): Promise<Classes> {
  return unlessRefused(listed(listAll(client, storageClasses)));
}

export async function listed<T>(pages: AsyncIterable<T>): Promise<readonly T[]> {
  const items: T[] = [];
  for await (const item of pages) {
    items.push(item);
  }
  return items;
}
