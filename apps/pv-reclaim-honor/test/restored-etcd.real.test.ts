import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { persistentVolumeClaims, persistentVolumes, type ObjectMeta } from '@holdfast/core';
import {
  bumpedVersions,
  bumpMissing,
  describeUnless,
  eventually,
  startPair,
  writeOldLease,
  type Pair,
} from '@holdfast/scenario';
import {
  controlPlaneMissing,
  startRealControlPlane,
  type BumpedVersions,
  type RealControlPlane,
} from '@holdfast/testing';
import { csiFinalizer } from './objects.ts';
import type { Stage, Storage } from './stage.ts';
import { useStorageScenes } from './storage-scene.ts';

/*
 * What an administrator does: stop etcd, put a backup in its place, start it and the API server. A leader and a standby
 * run meanwhile.
 */

const app = 'pv-reclaim-honor';
const hour = 3_600_000;

for (const release of ['1.36', '1.31'] as const) {
  describeUnless(
    controlPlaneMissing({ backend: 'real', release }),
    `etcd of ${release} restored from a backup`,
    () => {
      const open = useStorageScenes(afterAll);
      let plane: RealControlPlane;
      let stage: Stage;
      let storage: Storage;
      let pair: Pair;
      /**
       * Made when the lease was six hours old: `v` is bound and not held yet, and the undo window of `over` has ended.
       */
      let old: string;

      const metaOf = async (name: string): Promise<ObjectMeta | undefined> =>
        (await stage.find(persistentVolumes, { name }))?.metadata;
      const isHeld = async (name: string): Promise<boolean> =>
        (await metaOf(name))?.finalizers?.includes(csiFinalizer) ?? false;
      const setPhase = async (name: string, phase: 'Bound' | 'Released'): Promise<void> => {
        await stage.client.patch(
          persistentVolumes,
          { name },
          [{ op: 'add', path: '/status', value: { phase } }],
          { subresource: 'status' },
        );
      };
      const annotate = async (name: string, annotations: Readonly<Record<string, string>>): Promise<void> => {
        await stage.client.patch(persistentVolumes, { name }, [
          { op: 'add', path: '/metadata/annotations', value: annotations },
        ]);
      };
      const createVolume = async (name: string, claimUid: string): Promise<string> => {
        await storage.driver.addVolume(name);
        const { metadata } = await stage.client.create(persistentVolumes, undefined, {
          metadata: { name },
          spec: {
            capacity: { storage: '1Gi' },
            accessModes: ['ReadWriteOnce'],
            persistentVolumeReclaimPolicy: 'Delete',
            csi: { driver: storage.driver.name, volumeHandle: name },
            claimRef: { namespace: 'default', name, uid: claimUid },
          },
        });
        return metadata.uid;
      };
      /** A volume that is Bound; its binder is the test. */
      const bind = async (name: string): Promise<void> => {
        const { metadata } = await stage.client.create(persistentVolumeClaims, 'default', {
          metadata: { name },
          spec: {
            accessModes: ['ReadWriteOnce'],
            resources: { requests: { storage: '1Gi' } },
            volumeName: name,
          },
        });
        await createVolume(name, metadata.uid);
        await setPhase(name, 'Bound');
      };
      /** A volume whose claim is gone, and whose undo window ended five hours ago. */
      const leaveMarked = async (name: string): Promise<void> => {
        const uid = await createVolume(name, 'gone');
        await annotate(name, {
          'holdfast.dev/reclaim-grace': '1h',
          'holdfast.dev/delete-after': new Date(Date.now() - 5 * hour).toISOString(),
          'holdfast.dev/delete-after-uid': uid,
          'holdfast.dev/delete-after-claim-uid': 'gone',
        });
        await setPhase(name, 'Released');
      };
      /** Somebody still wants its storage: what is deleted of it then is called off in time. */
      const callOff = async (name: string): Promise<void> => {
        await stage.client.patch(persistentVolumes, { name }, [
          { op: 'replace', path: '/spec/persistentVolumeReclaimPolicy', value: 'Retain' },
          { op: 'remove', path: '/metadata/annotations' },
        ]);
      };
      /** What is released now is marked: the leader works on volumes. */
      const marksReleased = async (name: string): Promise<void> => {
        await createVolume(name, 'gone');
        await annotate(name, { 'holdfast.dev/reclaim-grace': '1h' });
        await setPhase(name, 'Released');
        await eventually(
          `${name} is marked`,
          async () => (await metaOf(name))?.annotations?.['holdfast.dev/delete-after'] !== undefined,
          60_000,
        );
      };
      /** The backup had `over` with the time of its window past, and it is neither deleted nor going to be. */
      const keepsOver = async (): Promise<void> => {
        const { annotations, deletionTimestamp } = (await metaOf('over')) ?? {};
        expect(annotations).toHaveProperty(['holdfast.dev/delete-after']);
        expect(deletionTimestamp).toBeUndefined();
        for (const name of ['over', 'v']) {
          expect(storage.driver.hasVolume(name)).toBe(true);
        }
        expect(await pair.ledAgain()).toBeDefined();
      };

      beforeAll(async () => {
        ({ plane, stage, storage } = await open(startRealControlPlane({ release })));
        await writeOldLease(stage.client, app);
        await bind('v');
        await leaveMarked('over');
        old = await plane.backUp();
        await callOff('over');
        const { client, kubeconfigFile } = stage;
        const flags = [`--csi-address=${storage.driver.address}`, '--feature-gates=ReclaimGracePeriod=true'];
        pair = startPair({ app, client, kubeconfigFile, flags });
        await pair.renewLease();
      }, 120_000);

      afterAll(() => pair.kill());

      const restoreOld = async (how?: BumpedVersions): Promise<void> => {
        await eventually('v is held', () => isHeld('v'), 60_000);
        await bind('lost');
        await eventually('lost is held', () => isHeld('lost'), 60_000);
        await plane.restore(old, how);
        expect(await metaOf('lost')).toBeUndefined();
        await eventually('v is held again', () => isHeld('v'), 60_000);
        await bind('later');
        await eventually('later is held', () => isHeld('later'), 60_000);
        await marksReleased('released');
        await keepsOver();
      };

      test('P8, R1: volume was bound and not yet held in the backup -> held again; one whose undo window has ended since -> kept', async () => {
        await restoreOld();
      }, 240_000);

      if (release === '1.31') {
        return;
      }

      test('P8, R1: restored again within the hour, and versions assigned again have passed all that were seen before anybody looks -> noticed all the same', async () => {
        // Of a backup that was made just now, the versions of a busy cluster soon pass those that were seen.
        const backup = await pair.whileFrozen(async () => {
          await bind('x');
          return plane.backUp();
        });
        await eventually('x is held', () => isHeld('x'), 60_000);
        await callOff('over');
        await pair.passVersion((await metaOf('over'))?.resourceVersion ?? '');
        await bind('y');
        await eventually('y is held', () => isHeld('y'), 60_000);
        const last = (await metaOf('y'))?.resourceVersion ?? '';
        await pair.leaseRenewed();
        await pair.whileFrozen(async () => {
          await plane.restore(backup);
          await pair.passVersion(last);
        });
        expect(await metaOf('y')).toBeUndefined();
        await eventually('x is held again', () => isHeld('x'), 60_000);
        await marksReleased('released-too');
        await keepsOver();
      }, 240_000);

      describeUnless(bumpMissing, 'and versions are bumped', () => {
        test(
          'P8, R1: those before count as compacted -> the same',
          () => restoreOld(bumpedVersions),
          240_000,
        );
      });
    },
  );
}
