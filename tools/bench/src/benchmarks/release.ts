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

/** Deleted claims that no pod uses, as after many workloads were removed while no controller ran. */
export const release: Benchmark<'claims' | 'namespaces'> = {
  name: 'release',
  summary: 'deleted, unused claims that the finalizer holds, until all are gone',
  sizes: {
    claims: { default: 5_000, description: 'claims that wait' },
    namespaces: { default: 10, description: 'namespaces that they are spread over' },
  },
  // The plugin would set the finalizer, too. Without it, the claims have exactly what is written here.
  disabledAdmissionPlugins: ['StorageObjectInUseProtection'],
  holdfast: { app: 'pvc-protection', flags: [] },
  upstream: {
    program: 'kube-controller-manager',
    controllers: ['persistentvolumeclaim-protection-controller'],
  },
  async prepare(api, sizes) {
    await createNamespaces(api, sizes.namespaces);
    // A failed round leaves some claims.
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
