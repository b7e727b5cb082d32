import type { PersistentVolumeClaim } from '@holdfast/core';
import { listNamed, type ApiClient, type Look, type Projection } from '@holdfast/runtime';
import { parseClaimName, workloadNamesOf } from './claim-name.ts';
import type { Live } from './decide/snapshot.ts';
import { stemsOf, type Workload, type WorkloadResource } from './workload.ts';

/** A kind that the app watches. */
export interface FollowedKind {
  readonly resource: WorkloadResource;
  /** Like the informer's: whether something that it does not show in the namespace does not exist. */
  isFollowing(namespace?: string): boolean;
}

/** A workload as the API server has it, with its kind. */
export interface FoundWorkload {
  readonly resource: WorkloadResource;
  readonly workload: Workload;
}

/** The workloads that make claims of some names, as the API server has them. */
export interface Rivals {
  readonly found: readonly FoundWorkload[];
  /** @param owner UID of the workload that is not a rival */
  of(claim: PersistentVolumeClaim, owner: string | undefined): Exclude<Live['rival'], 'notAsked'>;
}

/**
 * The most names that are looked for one by one. A claim's name can have 120 dashes, and each might be where the name
 * of a workload begins.
 */
const few = 8;

/**
 * Looks for all workloads, of every kind, that make claims of the names of these claims. Before a claim is
 * deleted directly, it is not enough that the cache shows no other.
 *
 * It uses lists, which state that they are empty: for a get, a server that does not serve the kind answers
 * 404 too. A kind that cannot be read might have such workloads, and one that is served again might not have
 * its objects yet.
 *
 * @param claims of one namespace
 * @param more names to look for as well
 * @throws what a list rejects with
 */
export async function lookForRivals(
  { client, kinds, projectionOf }: RivalsSource,
  claims: readonly PersistentVolumeClaim[],
  more: readonly string[],
  { signal, look }: { readonly signal: AbortSignal; readonly look: Look },
): Promise<Rivals> {
  const namespace = claims[0]?.metadata.namespace ?? '';
  const names = new Set([...more, ...claims.flatMap(workloadNamesOf)]);
  const byName = async (resource: WorkloadResource): Promise<readonly Workload[]> => {
    const lists = [...names].map((name) =>
      client.list(resource, {
        namespace,
        fieldSelector: `metadata.name=${name}`,
        projection: projectionOf(resource),
        signal,
        look,
      }),
    );
    return (await Promise.all(lists)).flatMap(({ items }) => items);
  };
  const amongAll = async (resource: WorkloadResource): Promise<readonly Workload[]> => {
    const options = { namespace, names, projection: projectionOf(resource), signal, look };
    const named: Workload[] = [];
    for await (const workload of listNamed(client, resource, options)) {
      named.push(workload);
    }
    return named;
  };
  const listed = kinds.filter((kind) => kind.isFollowing(namespace));
  const lists = listed.map(async ({ resource }): Promise<readonly FoundWorkload[]> => {
    const workloads = await (names.size > few ? amongAll(resource) : byName(resource));
    return workloads.map((workload) => ({ resource, workload }));
  });
  const found = (await Promise.all(lists)).flat();
  // Once and not for each claim: the API server accepts a workload of 50,000 templates.
  const makers = found.map(({ workload }) => ({
    uid: workload.metadata.uid,
    stems: new Set(stemsOf(workload)),
  }));
  // A kind that can be read since the lists began was not listed.
  const isBlind = kinds.some((kind) => !listed.includes(kind) || !kind.isFollowing(namespace));
  return {
    found,
    of: (claim, owner) => {
      const stem = parseClaimName(claim)?.stem ?? '';
      const isThere = makers.some(({ uid, stems }) => uid !== owner && stems.has(stem));
      return isThere ? 'there' : isBlind ? 'unseen' : 'none';
    },
  };
}

export interface RivalsSource {
  readonly client: ApiClient;
  readonly kinds: readonly FollowedKind[];
  projectionOf(resource: WorkloadResource): Projection<Workload>;
}
