import { join } from 'node:path';
import { persistentVolumes } from '@holdfast/core';
import { processUsage, startCsiDriver } from '@holdfast/testing';
import { followProgress } from '../progress.ts';
import { holdfastApp } from '../holdfast-app.ts';
import { settled } from '../settle.ts';
import { withApp } from './app-run.ts';
import type { Trial, TrialStage } from './trial.ts';
import { createVolume, isHeld, removeVolumes, volumesPath } from '../benchmarks/volumes.ts';

/**
 * Overlapping volumes are judged together. Thousands of volumes on one piece of storage must not cost
 * thousands of times as much.
 */
export const sharedHandles: Trial<'volumes'> = {
  name: 'shared-handles',
  summary:
    'a label is changed on each of many volumes over one piece of storage, and on as many over their own',
  sizes: { volumes: { default: 5_000, description: 'volumes of either kind' } },
  apps: ['pv-reclaim-honor'],
  disabledAdmissionPlugins: ['StorageObjectInUseProtection'],
  async measure(stage, { volumes }) {
    const { folder } = stage.arena;
    const driver = await startCsiDriver({
      folder: join(folder, 'volumes'),
      socket: join(folder, 'csi.sock'),
    });
    try {
      const own = await change(stage, driver, volumes, (name) => name);
      const one = await change(stage, driver, volumes, () => 'shared');
      return [
        { title: 'CPU for a label on each, handles of their own', value: own.cpuSeconds, unit: 'seconds' },
        { title: 'CPU for a label on each, one handle', value: one.cpuSeconds, unit: 'seconds' },
        {
          title: 'one handle / handles of their own',
          value: one.cpuSeconds / own.cpuSeconds,
          unit: 'times',
          aim: 2,
        },
        { title: 'peak memory, handles of their own', value: own.peakResidentBytes, unit: 'bytes' },
        { title: 'peak memory, one handle', value: one.peakResidentBytes, unit: 'bytes' },
      ];
    } finally {
      await driver.stop();
    }
  },
};

/** Returns the CPU time from idle to idle, with patches as fast as the API server accepts them. */
async function change(
  stage: TrialStage,
  driver: { readonly name: string; readonly address: string },
  volumes: number,
  handleOf: (name: string) => string,
): Promise<{ readonly cpuSeconds: number; readonly peakResidentBytes: number }> {
  const { plane, api, signal } = stage.arena;
  const names = Array.from({ length: volumes }, (_, index) => `disk-${String(index)}`);
  stage.say(`preparing ${String(volumes)} volumes, ${handleOf(names[0] ?? '')} and so on`);
  await removeVolumes(api);
  const program = holdfastApp(stage.bundleOf('pv-reclaim-honor'), plane.kubeconfigFile, [
    '--host-path-root=none',
    `--csi-address=${driver.address}`,
  ]);
  await Promise.all(
    names.map((name) =>
      createVolume(api, { name, driver: driver.name, handle: handleOf(name), phase: 'Bound' }),
    ),
  );
  const held = await followProgress(api, {
    resource: persistentVolumes,
    watched: 'metadata',
    objects: volumes,
    reached: ({ object }) => isHeld(object),
  });
  try {
    return await withApp(stage, program, async ({ pid }) => {
      await held.done;
      await settled(pid, signal);
      stage.say('changing a label on each');
      const before = await processUsage(pid);
      await Promise.all(
        names.map((name) =>
          api.mergePatch(`${volumesPath}/${name}`, { metadata: { labels: { changed: 'yes' } } }),
        ),
      );
      await settled(pid, signal);
      const after = await processUsage(pid);
      return {
        cpuSeconds: after.cpuSeconds - before.cpuSeconds,
        peakResidentBytes: after.peakResidentBytes,
      };
    });
  } finally {
    held.close();
  }
}
