import { spawn, type ChildProcess } from 'node:child_process';
import { cp, readdir, readFile, readlink, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { persistentVolumeClaims, persistentVolumes } from '@holdfast/core';
import { eventually } from '@holdfast/scenario';
import { controlPlaneMissing, startRealControlPlane, type RealControlPlane } from '@holdfast/testing';
import { csiFinalizer } from './objects.ts';
import type { Stage, Storage } from './stage.ts';
import { useBinderScenes } from './storage-scene.ts';

/* What an administrator does: stop etcd, put a backup in its place, start it and the API server. The versions count on from the backup's. */

for (const release of ['1.36', '1.31'] as const) {
  const suite = controlPlaneMissing({ backend: 'real', release }) === undefined ? describe : describe.skip;

  suite(`etcd of ${release} restored from a backup`, () => {
    const open = useBinderScenes(afterAll);
    let plane: RealControlPlane;
    let stage: Stage;
    let storage: Storage;
    const restarted: ChildProcess[] = [];

    beforeAll(async () => {
      ({ plane, stage, storage } = await open(startRealControlPlane({ release })));
    }, 120_000);

    afterAll(() => restarted.forEach((each) => each.kill('SIGKILL')));

    const isHeld = async (name: string): Promise<boolean> =>
      (await stage.find(persistentVolumes, { name }))?.metadata.finalizers?.includes(csiFinalizer) ?? false;

    /** A volume that is Bound; its binder is the test. */
    const bind = async (name: string): Promise<void> => {
      const claim = await stage.client.create(persistentVolumeClaims, 'default', {
        metadata: { name },
        spec: {
          accessModes: ['ReadWriteOnce'],
          resources: { requests: { storage: '1Gi' } },
          volumeName: name,
        },
      });
      await stage.client.create(persistentVolumes, undefined, {
        metadata: { name },
        spec: {
          capacity: { storage: '1Gi' },
          accessModes: ['ReadWriteOnce'],
          persistentVolumeReclaimPolicy: 'Delete',
          csi: { driver: storage.driver.name, volumeHandle: name },
          claimRef: { namespace: 'default', name, uid: claim.metadata.uid },
        },
      });
      await stage.client.patch(
        persistentVolumes,
        { name },
        [{ op: 'add', path: '/status', value: { phase: 'Bound' } }],
        { subresource: 'status' },
      );
    };

    test('P8: volume was bound and not yet held in the backup -> held again; so is one that is bound after', async () => {
      await bind('v');
      const folder = dirname(plane.kubeconfigFile);
      const etcd = await etcdIn(folder);
      process.kill(etcd, 'SIGSTOP');
      await cp(join(folder, 'etcd'), join(folder, 'backup'), { recursive: true });
      process.kill(etcd, 'SIGCONT');

      await stage.startController({ csiAddresses: [storage.driver.address] });
      await eventually('v is held', () => isHeld('v'));
      await bind('lost');
      await eventually('lost is held', () => isHeld('lost'));

      const programs = await Promise.all([etcd, plane.apiServerPid].map(commandOf));
      for (const pid of [plane.apiServerPid, etcd]) {
        process.kill(pid, 'SIGKILL');
        await eventually(`process ${String(pid)} has ended`, () => !isRunning(pid));
      }
      for (const file of await readdir(folder)) {
        if (file.startsWith('etcd') && file.includes('.sock')) {
          await rm(join(folder, file));
        }
      }
      await rename(join(folder, 'etcd'), join(folder, 'broken'));
      await rename(join(folder, 'backup'), join(folder, 'etcd'));
      for (const [command = '', ...args] of programs) {
        restarted.push(spawn(command, args, { cwd: folder, stdio: 'ignore' }));
      }
      await eventually(
        'the API server serves',
        () =>
          stage.find(persistentVolumes, { name: 'lost' }).then(
            (found) => found === undefined,
            () => false,
          ),
        60_000,
      );
      expect(await isHeld('v')).toBe(false);

      await eventually('v is held again', () => isHeld('v'), 60_000);
      await bind('later');
      await eventually('later is held', () => isHeld('later'), 60_000);
    }, 240_000);
  });
}

/** The process that has the control plane's folder for its own. */
async function etcdIn(folder: string): Promise<number> {
  for (const pid of await readdir('/proc')) {
    const found = await Promise.all([
      readlink(`/proc/${pid}/cwd`),
      readFile(`/proc/${pid}/comm`, 'utf8'),
    ]).catch(() => []);
    if (/^\d+$/.test(pid) && found[0] === folder && found[1] === 'etcd\n') {
      return Number(pid);
    }
  }
  throw new Error(`no etcd runs in ${folder}`);
}

async function commandOf(pid: number): Promise<readonly string[]> {
  return (await readFile(`/proc/${String(pid)}/cmdline`, 'utf8')).split('\0').slice(0, -1);
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
