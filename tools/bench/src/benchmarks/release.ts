import { finalizers, persistentVolumeClaims } from '@holdfast/core';
import type { Benchmark } from '../benchmark.ts';
import {
  claimRefs,
  createClaims,
  createNamespaces,
  deleteClaims,
  listClaims,
  stripFinalizers,
} from './claims.ts';

/** Deleted claims that no pod uses, as after the removal of many workloads while no controller ran. */
export const release: Benchmark<'claims' | 'namespaces'> = {
  name: 'release',
  summary: 'deleted, unused claims that the finalizer holds, until all are gone',
  sizes: {
    claims: { default: 5_000, description: 'claims that wait' },
    namespaces: { default: 10, description: 'namespaces that they are spread over' },
  },
  // It would set the finalizer as well; without it, what the claims carry is what is written here.
  disabledAdmissionPlugins: ['StorageObjectInUseProtection'],
  holdfast: { app: 'pvc-protection', flags: [] },
  upstream: { controllers: ['persistentvolumeclaim-protection-controller'], flags: [] },
  async prepare(api, sizes) {
    await createNamespaces(api, sizes.namespaces);
    // A failed round leaves some.
    await stripFinalizers(api, await listClaims(api));
    const refs = claimRefs(sizes.claims, sizes.namespaces);
    await createClaims(api, refs, [finalizers.pvcProtection]);
    await deleteClaims(api, new Set(refs.map(({ namespace }) => namespace)));
  },
  goal: (sizes) => ({
    resource: persistentVolumeClaims,
    watched: 'metadata',
    objects: sizes.claims,
    reached: ({ type }) => type === 'DELETED',
  }),
};
