import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { finalizers } from '@holdfast/core';
import { processUsage } from '@holdfast/testing';
import { metadataOnlyList } from '../cluster-api.ts';
import { settled } from '../settle.ts';
import { appByDefault, withApp } from './app-run.ts';
import type { Trial, TrialStage } from './trial.ts';
import { removeVolumes, volumesPath } from '../benchmarks/volumes.ts';

/**
 * Before a folder is deleted, it is compared with the folders of all other volumes. With many volumes, that
 * must not cost as much for each of them.
 */
export const hostPath: Trial<'volumes' | 'released'> = {
  name: 'host-path',
  summary: 'hostPath volumes are released at once, alone and among many that stay',
  sizes: {
    volumes: { default: 5_000, description: 'hostPath volumes, with those that are released' },
    released: { default: 1_000, description: 'of them that are released at once' },
  },
  apps: ['pv-reclaim-honor'],
  disabledAdmissionPlugins: ['StorageObjectInUseProtection'],
  async measure(stage, { volumes, released }) {
    const alone = await deleteSome(stage, released, 0);
    const among = await deleteSome(stage, released, volumes - released);
    return [
      { title: 'CPU until all are deleted, alone', value: alone.cpuSeconds, unit: 'seconds' },
      { title: 'CPU until all are deleted, among the others', value: among.cpuSeconds, unit: 'seconds' },
      {
        title: 'among the others / alone',
        value: among.cpuSeconds / alone.cpuSeconds,
        unit: 'times',
        aim: 4,
      },
      { title: 'wall time, alone', value: alone.seconds, unit: 'seconds' },
      { title: 'wall time, among the others', value: among.seconds, unit: 'seconds' },
    ];
  },
};

/** The label of the volumes that are released. */
const releasedLabel = 'released';
/** Milliseconds between two checks of how many are left. */
const lookEvery = 250;

/** Measures from the moment when the first of the volumes is released. */
async function deleteSome(
  stage: TrialStage,
  released: number,
  others: number,
): Promise<{ readonly cpuSeconds: number; readonly seconds: number }> {
  const { plane, api, folder, signal } = stage.arena;
  const root = join(folder, 'host-path');
  stage.say(`preparing ${String(released)} volumes and ${String(others)} others`);
  await removeVolumes(api);
  await rm(root, { recursive: true, force: true });
  const names = Array.from({ length: released }, (_, index) => `old-${String(index)}`);
  const create = async (name: string, policy: 'Delete' | 'Retain'): Promise<void> => {
    const path = join(root, name);
    await mkdir(path, { recursive: true });
    await writeFile(join(path, 'data'), name);
    await api.post(volumesPath, {
      metadata: {
        name,
        ...(policy === 'Delete'
          ? {
              finalizers: [finalizers.pvController, 'holdfast.dev/host-path'],
              labels: { [releasedLabel]: '' },
            }
          : {}),
      },
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        persistentVolumeReclaimPolicy: policy,
        storageClassName: 'none',
        hostPath: { path },
        claimRef: { namespace: 'default', name, uid: crypto.randomUUID() },
      },
    });
  };
  await Promise.all([
    ...names.map((name) => create(name, 'Delete')),
    ...Array.from({ length: others }, (_, index) => create(`kept-${String(index)}`, 'Retain')),
  ]);
  const program = appByDefault(stage.bundleOf('pv-reclaim-honor'), plane.kubeconfigFile, [
    '--leader-elect=false',
    `--host-path-root=${root}`,
  ]);
  return withApp(stage, program, async ({ pid }) => {
    await settled(pid, signal);
    stage.say('releasing');
    const before = await processUsage(pid);
    const began = performance.now();
    await Promise.all(
      names.map((name) => api.mergePatch(`${volumesPath}/${name}/status`, { status: { phase: 'Released' } })),
    );
    // Polls instead of watching, because the API server ends a watch that does not keep up with so many
    // changes at once.
    const left = `${volumesPath}?labelSelector=${releasedLabel}`;
    const countLeft = async (): Promise<number> =>
      // Go writes null for an empty list.
      (await api.get<{ readonly items: readonly unknown[] | null }>(left, metadataOnlyList)).items?.length ??
      0;
    while ((await countLeft()) > 0) {
      await sleep(lookEvery, undefined, { signal });
    }
    const seconds = (performance.now() - began) / 1000;
    const after = await processUsage(pid);
    return { cpuSeconds: after.cpuSeconds - before.cpuSeconds, seconds };
  });
}
