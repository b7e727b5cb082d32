import {
  collectionPath,
  persistentVolumeClaims,
  storageClasses,
  type KubernetesObject,
  type PersistentVolumeClaim,
} from '@holdfast/core';
import type { Benchmark } from '../benchmark.ts';
import { metadataOnlyList } from '../cluster-api.ts';
import {
  claimRefs,
  createClaims,
  createNamespaces,
  deleteClaims,
  listClaims,
  stripFinalizers,
} from './claims.ts';

const className = 'bench-default';

/**
 * Claims that were created before there was a default class, as when a cluster is installed; then the class
 * is created.
 */
export const defaultClass: Benchmark<'claims' | 'namespaces'> = {
  name: 'default-class',
  summary: 'claims without a class as a default one comes, until each has it',
  sizes: {
    claims: { default: 3_000, description: 'claims that wait' },
    namespaces: { default: 10, description: 'namespaces that they are spread over' },
  },
  // The first plugin would assign the class when the claim is created, if the class existed. The second would
  // hold deleted claims.
  disabledAdmissionPlugins: ['DefaultStorageClass', 'StorageObjectInUseProtection'],
  holdfast: { app: 'retroactive-default-sc', flags: [] },
  upstream: { program: 'kube-controller-manager', controllers: ['persistentvolume-binder-controller'] },
  async prepare(api, sizes) {
    const { items } = await api.get<{ readonly items: readonly KubernetesObject[] | null }>(
      collectionPath(storageClasses),
      metadataOnlyList,
    );
    await Promise.all(
      (items ?? []).map(({ metadata }) => api.delete(`${collectionPath(storageClasses)}/${metadata.name}`)),
    );
    await createNamespaces(api, sizes.namespaces);
    const present = await listClaims(api);
    await stripFinalizers(api, present);
    await deleteClaims(api, new Set(present.map(({ metadata }) => metadata.namespace ?? '')));
    await createClaims(api, claimRefs(sizes.claims, sizes.namespaces), [], { storageClassName: undefined });
  },
  setOff: (api) =>
    api.post(collectionPath(storageClasses), {
      metadata: {
        name: className,
        annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' },
      },
      provisioner: 'example.com/disk',
    }),
  goal: (sizes) => ({
    resource: persistentVolumeClaims,
    // Metadata does not show the class.
    watched: 'object',
    objects: sizes.claims,
    reached: ({ object }) => (object as PersistentVolumeClaim).spec?.storageClassName === className,
  }),
};
