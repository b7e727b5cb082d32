import { finalizers, hasFinalizer, persistentVolumeClaims } from '@holdfast/core';
import type { Benchmark } from '../benchmark.ts';
import { claimRefs, createClaims, createNamespaces, listClaims, stripFinalizers } from './claims.ts';

/** Unprotected claims, as on a cluster where protection has just been turned on. */
export const protect: Benchmark<'claims' | 'namespaces'> = {
  name: 'protect',
  summary: 'claims without the finalizer, until each has it',
  sizes: {
    claims: { default: 5_000, description: 'claims that wait' },
    namespaces: { default: 1, description: 'namespaces that they are spread over' },
  },
  disabledAdmissionPlugins: ['StorageObjectInUseProtection'],
  holdfast: { app: 'pvc-protection', flags: [] },
  upstream: {
    program: 'kube-controller-manager',
    controllers: ['persistentvolumeclaim-protection-controller'],
  },
  async prepare(api, sizes) {
    await createNamespaces(api, sizes.namespaces);
    const present = await listClaims(api);
    await stripFinalizers(api, present);
    const names = new Set(present.map(({ metadata }) => metadata.name));
    const absent = claimRefs(sizes.claims, sizes.namespaces).filter(({ name }) => !names.has(name));
    await createClaims(api, absent, []);
  },
  goal: (sizes) => ({
    resource: persistentVolumeClaims,
    watched: 'metadata',
    objects: sizes.claims,
    reached: ({ object }) => hasFinalizer(object, finalizers.pvcProtection),
  }),
};
