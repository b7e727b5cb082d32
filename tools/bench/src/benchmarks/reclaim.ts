import { join } from 'node:path';
import { persistentVolumes } from '@holdfast/core';
import { startCsiDriver } from '@holdfast/testing';
import type { Benchmark } from '../benchmark.ts';
import { eachAtOnce } from '../each-at-once.ts';
import { createVolume, removeVolumes } from './volumes.ts';

const driver = 'csi.example.com';

/**
 * Volumes of a CSI driver whose claims were deleted while no controller ran. They have no data on a storage,
 * so that only the controllers' own work is measured. The driver is a stand-in within the bench.
 */
export const reclaim: Benchmark<'volumes'> = {
  name: 'reclaim',
  summary: 'released volumes of policy Delete, until storage and object of each are gone',
  sizes: { volumes: { default: 3_000, description: 'volumes that are released' } },
  disabledAdmissionPlugins: ['StorageObjectInUseProtection'],
  open: async (folder) => {
    const { address, stop } = await startCsiDriver({
      name: driver,
      folder: join(folder, 'volumes'),
      socket: join(folder, 'csi.sock'),
    });
    return { flags: [`--csi-address=${address}`], close: stop };
  },
  holdfast: { app: 'pv-reclaim-honor', flags: ['--host-path-root=none'] },
  upstream: { program: 'csi-provisioner' },
  async prepare(api, sizes) {
    await removeVolumes(api);
    await eachAtOnce(Array(sizes.volumes).keys(), (index) =>
      createVolume(api, { name: `disk-${String(index)}`, driver, phase: 'Released' }),
    );
  },
  goal: (sizes) => ({
    resource: persistentVolumes,
    watched: 'metadata',
    objects: sizes.volumes,
    reached: ({ type }) => type === 'DELETED',
  }),
};
