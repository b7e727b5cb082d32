import { join } from 'node:path';
import { persistentVolumes } from '@holdfast/core';
import { startCsiDriver } from '@holdfast/testing';
import type { Benchmark } from '../benchmark.ts';
import { eachAtOnce } from '../each-at-once.ts';
import { createVolume, removeVolumes } from './volumes.ts';

const driver = 'csi.example.com';

/**
 * Volumes whose claims were deleted while no controller ran. kube-controller-manager deletes only hostPath
 * volumes itself, so these are its share. Ours are volumes of a CSI driver, which in upstream's world
 * csi-provisioner would delete. Neither kind has any data on a storage, so that only the controllers' own
 * work is measured.
 */
export const reclaim: Benchmark<'volumes'> = {
  name: 'reclaim',
  summary: 'released volumes of policy Delete, until storage and object of each are gone',
  sizes: { volumes: { default: 3_000, description: 'volumes that are released' } },
  disabledAdmissionPlugins: ['StorageObjectInUseProtection'],
  holdfast: {
    app: 'pv-reclaim-honor',
    flags: ['--host-path-root=none'],
    open: async (folder) => {
      const { address, stop } = await startCsiDriver({
        name: driver,
        folder: join(folder, 'volumes'),
        socket: join(folder, 'csi.sock'),
      });
      return { flags: [`--csi-address=${address}`], close: stop };
    },
  },
  upstream: { controllers: ['persistentvolume-binder-controller'], flags: [] },
  async prepare(api, sizes, contestant) {
    await removeVolumes(api);
    await eachAtOnce(Array(sizes.volumes).keys(), (index) => {
      const name = `disk-${String(index)}`;
      const source = contestant === 'holdfast' ? { driver } : { hostPath: `/tmp/holdfast-bench/${name}` };
      return createVolume(api, { name, ...source, phase: 'Released' });
    });
  },
  goal: (sizes) => ({
    resource: persistentVolumes,
    watched: 'metadata',
    objects: sizes.volumes,
    reached: ({ type }) => type === 'DELETED',
  }),
};
