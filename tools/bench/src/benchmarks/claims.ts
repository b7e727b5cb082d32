import { collectionPath, namespaces, persistentVolumeClaims, type KubernetesObject } from '@holdfast/core';
import { metadataOnlyList, type ClusterApi } from '../cluster-api.ts';
import { eachAtOnce } from '../each-at-once.ts';

interface List {
  /** A metadata-only list without items has null, not an empty list. */
  readonly items: readonly KubernetesObject[] | null;
}

export interface ClaimRef {
  readonly namespace: string;
  readonly name: string;
}

/** Returns the names of the claims of a round, spread evenly over the namespaces. */
export function claimRefs(claims: number, namespaceCount: number): readonly ClaimRef[] {
  return Array.from({ length: claims }, (_, index) => ({
    namespace: namespaceName(index % namespaceCount),
    name: `claim-${String(index)}`,
  }));
}

function namespaceName(index: number): string {
  return `bench-${String(index)}`;
}

/** Creates those of the first `count` namespaces that do not exist. */
export async function createNamespaces(api: ClusterApi, count: number): Promise<void> {
  const { items } = await api.get<List>(collectionPath(namespaces), metadataOnlyList);
  const present = new Set(items?.map(({ metadata }) => metadata.name));
  const absent = Array.from({ length: count }, (_, index) => namespaceName(index)).filter(
    (name) => !present.has(name),
  );
  await eachAtOnce(absent, (name) => api.post(collectionPath(namespaces), { metadata: { name } }));
}

/** Lists all claims of the cluster, metadata only. */
export async function listClaims(api: ClusterApi): Promise<readonly KubernetesObject[]> {
  const { items } = await api.get<List>(collectionPath(persistentVolumeClaims), metadataOnlyList);
  return items ?? [];
}

/**
 * Creates claims whose class does not exist, so that they stay unbound and only a contestant ever touches
 * them.
 *
 * @param own fields of the spec that differ
 */
export async function createClaims(
  api: ClusterApi,
  refs: readonly ClaimRef[],
  finalizers: readonly string[],
  own: { readonly storageClassName?: string | undefined } = {},
): Promise<void> {
  const spec = {
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: '1Gi' } },
    storageClassName: 'none',
    ...own,
  };
  await eachAtOnce(refs, ({ namespace, name }) =>
    api.post(collectionPath(persistentVolumeClaims, namespace), { metadata: { name, finalizers }, spec }),
  );
}

/** Removes all finalizers from the claims that have any. Terminating ones are gone when this resolves. */
export async function stripFinalizers(api: ClusterApi, claims: readonly KubernetesObject[]): Promise<void> {
  const held = claims.filter(({ metadata }) => (metadata.finalizers ?? []).length > 0);
  await eachAtOnce(held, ({ metadata }) =>
    api.mergePatch(`${collectionPath(persistentVolumeClaims, metadata.namespace)}/${metadata.name}`, {
      metadata: { finalizers: null },
    }),
  );
}

/** Deletes all claims of the namespaces. Those with finalizers stay, terminating. */
export async function deleteClaims(api: ClusterApi, inNamespaces: Iterable<string>): Promise<void> {
  await eachAtOnce(inNamespaces, (namespace) =>
    api.delete(collectionPath(persistentVolumeClaims, namespace)),
  );
}
