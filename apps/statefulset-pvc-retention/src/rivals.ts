import type { PersistentVolumeClaim } from '@holdfast/core';
import type { ApiClient, Look, Projection } from '@holdfast/runtime';
import { parseClaimName, workloadNamesOf } from './claim-name.ts';
import type { Live } from './decide/snapshot.ts';
import { stemsOf, type Workload, type WorkloadResource } from './workload.ts';

/** A kind that is looked after. */
export interface FollowedKind {
  readonly resource: WorkloadResource;
  /** See the informer's: whether what it does not show in the namespace is not there. */
  isFollowing(namespace?: string): boolean;
}

/** A workload as the API server has it, with its kind. */
export interface FoundWorkload {
  readonly resource: WorkloadResource;
  readonly workload: Workload;
}

/** What makes claims of some names, as the API server has it. */
export interface Rivals {
  readonly found: readonly FoundWorkload[];
  /** @param owner UID of the workload that is no rival */
  of(claim: PersistentVolumeClaim, owner: string | undefined): Exclude<Live['rival'], 'notAsked'>;
}

/**
 * Looks for all workloads, of every kind, that make claims of the names of these claims: before a claim is deleted directly, the cache's word
 * that there is no other is not enough.
 *
 * By lists, which say that they are empty: a get is answered with 404 by a server that does not serve the kind too. A kind that can't be
 * read might have such workloads; and one that is served anew might not have its objects yet.
 *
 * @param claims of one namespace
 * @param more names to look for besides
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
  const lists = kinds
    .filter((kind) => kind.isFollowing(namespace))
    .flatMap(({ resource }) =>
      [...names].map(async (name): Promise<readonly FoundWorkload[]> => {
        const { items } = await client.list(resource, {
          namespace,
          fieldSelector: `metadata.name=${name}`,
          projection: projectionOf(resource),
          signal,
          look,
        });
        return items.map((workload) => ({ resource, workload }));
      }),
    );
  const found = (await Promise.all(lists)).flat();
  const isBlind = kinds.some((kind) => !kind.isFollowing(namespace));
  return {
    found,
    of: (claim, owner) => {
      const stem = parseClaimName(claim)?.stem ?? '';
      const isThere = found.some(
        ({ workload }) => workload.metadata.uid !== owner && stemsOf(workload).includes(stem),
      );
      return isThere ? 'there' : isBlind ? 'unseen' : 'none';
    },
  };
}

export interface RivalsSource {
  readonly client: ApiClient;
  readonly kinds: readonly FollowedKind[];
  projectionOf(resource: WorkloadResource): Projection<Workload>;
}
