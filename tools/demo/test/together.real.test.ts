import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  eventsV1,
  namespaces,
  persistentVolumeClaims,
  persistentVolumes,
  pods,
  statefulSets,
  storageClasses,
  type KubernetesObject,
  type ObjectRef,
  type ApiResource,
} from '@holdfast/core';
import { isNotFound, type ApiClient } from '@holdfast/runtime';
import { describeUnless, eventually } from '@holdfast/scenario';
import {
  controlPlaneMissing,
  kubelet,
  startController,
  startCsiDriver,
  startRealControlPlane,
  type CsiDriver,
  type RealControlPlane,
  type RunningController,
} from '@holdfast/testing';
import { connectAs } from '../src/cluster.ts';
import { appNames, runApp, samplesOf, type RunningApp } from './four-apps.ts';
import { followWrites, type WriteLog } from './write-log.ts';

/*
 * The four apps beside the stock controllers of a release in which those do the same work: whoever is first, they must
 * agree, and come to rest.
 */

const controllers = [
  'statefulset-controller',
  'garbage-collector-controller',
  'persistentvolume-binder-controller',
  'persistentvolume-protection-controller',
  'persistentvolumeclaim-protection-controller',
  'ephemeral-volume-controller',
  'pod-garbage-collector-controller',
  'namespace-controller',
  'serviceaccount-controller',
];
const options = { backend: 'real', release: '1.36', controllers } as const;

/** How long nothing may be written in a settled cluster. */
const settledSeconds = Number(process.env['HOLDFAST_SETTLED_SECONDS'] ?? '20');
/**
 * How often that is waited for: a request that failed under load is sent again after its backoff, but a fight writes
 * each time.
 */
const mostWaits = 4;
/** A set whose status follows its pods takes the most, nine or so. Who fights goes past it within seconds. */
const mostWrites = 20;
const watched: readonly ApiResource<KubernetesObject>[] = [
  persistentVolumeClaims,
  persistentVolumes,
  statefulSets,
  storageClasses,
  pods,
];

describeUnless(
  controlPlaneMissing(options),
  'the four apps and the stock controllers on one control plane',
  () => {
    let plane: RealControlPlane;
    let client: ApiClient;
    let folder: string;
    let driver: CsiDriver;
    let node: RunningController;
    let log: WriteLog;
    let apps: readonly RunningApp[];
    let namespace: string;

    beforeAll(async () => {
      plane = await startRealControlPlane(options);
      client = connectAs('together-test', plane.kubeconfigFile);
      folder = await mkdtemp(join(tmpdir(), 'holdfast-together-'));
      driver = await startCsiDriver({ folder: join(folder, 'volumes'), socket: join(folder, 'csi.sock') });
      node = await startController(plane, kubelet());
      log = await followWrites(client, watched, settledSeconds + 600);
      apps = appNames.map((name) =>
        runApp(name, [
          `--kubeconfig=${plane.kubeconfigFile}`,
          // A lease is renewed for ever: it would be the one write that never ends.
          '--leader-elect=false',
          ...(name === 'pv-reclaim-honor' ? [`--csi-address=${driver.address}`] : []),
        ]),
      );
      await Promise.all(apps.map((app) => app.address('metrics')));
      namespace = (await client.create(namespaces, undefined, { metadata: { generateName: 'life-' } }))
        .metadata.name;
    }, 120_000);

    afterAll(async () => {
      expect(await Promise.all(apps.map((app) => app.stop()))).toEqual(
        apps.map(() => ({ code: 0, signal: null })),
      );
      await log.stop();
      await node.stop();
      await driver.stop();
      await client.close();
      await plane.stop();
      await rm(folder, { recursive: true, force: true });
    }, 60_000);

    const find = async <T extends KubernetesObject>(
      resource: ApiResource<T>,
      ref: ObjectRef,
    ): Promise<T | undefined> => {
      try {
        return await client.get(resource, ref);
      } catch (error) {
        if (isNotFound(error)) {
          return undefined;
        }
        throw error;
      }
    };
    const at = (name: string): ObjectRef => ({ namespace, name });
    const claim = (name: string) => find(persistentVolumeClaims, at(name));
    const ownersOf = async (name: string) => (await claim(name))?.metadata.ownerReferences ?? [];
    const volume = (name: string) => find(persistentVolumes, { name });
    const gone = (name: string): Promise<void> =>
      eventually(`claim ${name} is gone`, async () => (await claim(name)) === undefined, 40_000);
    const claimSpec = (storageClassName?: string, volumeName?: string) => ({
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      ...(storageClassName === undefined ? {} : { storageClassName }),
      ...(volumeName === undefined ? {} : { volumeName }),
    });
    const createClaim = (name: string, storageClassName?: string, volumeName?: string) =>
      client.create(persistentVolumeClaims, namespace, {
        metadata: { name },
        spec: claimSpec(storageClassName, volumeName),
      });
    const createPod = (name: string, claimName: string) =>
      client.create(pods, namespace, {
        metadata: { name },
        spec: {
          terminationGracePeriodSeconds: 1,
          containers: [{ name: 'c', image: 'example.com/none' }],
          volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }],
        },
      });
    const runs = (name: string): Promise<void> =>
      eventually(
        `pod ${name} runs`,
        async () => (await find(pods, at(name)))?.status?.phase === 'Running',
        40_000,
      );
    const createSet = (name: string) =>
      client.create(statefulSets, namespace, {
        metadata: { name },
        spec: {
          replicas: 2,
          serviceName: name,
          selector: { matchLabels: { app: name } },
          persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Delete' },
          template: {
            metadata: { labels: { app: name } },
            spec: {
              terminationGracePeriodSeconds: 1,
              containers: [{ name: 'c', image: 'example.com/none' }],
            },
          },
          volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: claimSpec('none') }],
        },
      });

    test('a StatefulSet with Delete and Delete is scaled down and deleted -> its claims go; those of another stay', async () => {
      for (const set of ['web', 'stays']) {
        await createSet(set);
        await runs(`${set}-1`);
        for (const name of [`data-${set}-0`, `data-${set}-1`]) {
          await eventually(`${name} is owned`, async () => {
            const owners = await ownersOf(name);
            return owners.length === 1 && owners[0]?.kind === 'StatefulSet';
          });
        }
      }
      await client.patch(statefulSets, at('web'), [{ op: 'replace', path: '/spec/replicas', value: 1 }]);
      await gone('data-web-1');
      expect((await claim('data-web-0'))?.metadata.deletionTimestamp).toBeUndefined();
      await client.delete(statefulSets, at('web'), { propagationPolicy: 'Background' });
      await gone('data-web-0');
      for (const name of ['data-stays-0', 'data-stays-1']) {
        expect((await claim(name))?.metadata.deletionTimestamp).toBeUndefined();
      }
    }, 120_000);

    test('a StatefulSet is made while the stock controllers are away -> ours leaves its claims to them, and they leave what ours once wrote', async () => {
      await plane.stopControllerManager();
      expect(plane.controllerManagerPid).toBeUndefined();
      const { uid } = (await createSet('alone')).metadata;
      const set = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'alone', uid, controller: true };
      await createClaim('data-alone-0', 'none');
      await createClaim('data-alone-1', 'none');
      const ours = [{ ...set, blockOwnerDeletion: false }];
      await client.patch(persistentVolumeClaims, at('data-alone-1'), [
        { op: 'add', path: '/metadata/ownerReferences', value: ours },
      ]);
      await plane.startControllerManager({ controllers });
      await runs('alone-0');
      await runs('alone-1');
      await eventually('data-alone-0 is owned', async () => (await ownersOf('data-alone-0')).length === 1);
      expect(await ownersOf('data-alone-0')).toEqual([{ ...set, blockOwnerDeletion: true }]);
      expect(await ownersOf('data-alone-1')).toEqual(ours);
    }, 120_000);

    test('claims are deleted in use -> each stays until its pod ends; that of a pod that does not end stays for good', async () => {
      for (const name of ['used', 'held']) {
        await createClaim(name, 'none');
        await createPod(`user-of-${name}`, name);
        await runs(`user-of-${name}`);
        await client.delete(persistentVolumeClaims, at(name));
      }
      for (const name of ['used', 'held']) {
        await eventually(`${name} is told to be postponed`, async () =>
          (await client.list(eventsV1, { namespace })).items.some(
            ({ reason, regarding }) => reason === 'DeletionPostponed' && regarding?.name === name,
          ),
        );
      }
      await client.delete(pods, at('user-of-used'));
      await gone('used');
      expect(await claim('held')).toMatchObject({
        metadata: { finalizers: ['kubernetes.io/pvc-protection'], deletionTimestamp: expect.any(String) },
      });
    }, 120_000);

    test('claims wait for a default class -> have it once there is one', async () => {
      const waiting = ['early-0', 'early-1', 'early-2'];
      for (const name of waiting) {
        await createClaim(name);
      }
      await client.create(storageClasses, undefined, {
        metadata: { name: 'gold', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
        provisioner: 'example.com/disk',
      });
      for (const name of waiting) {
        await eventually(
          `${name} has class gold`,
          async () => (await claim(name))?.spec?.storageClassName === 'gold',
        );
      }
    }, 60_000);

    test('a volume is deleted before its claim -> its folder goes with the claim; that of another stays', async () => {
      for (const name of ['disk', 'other']) {
        await driver.addVolume(name);
        await client.create(persistentVolumes, undefined, {
          metadata: { name, annotations: { 'pv.kubernetes.io/provisioned-by': driver.name } },
          spec: {
            capacity: { storage: '1Gi' },
            accessModes: ['ReadWriteOnce'],
            persistentVolumeReclaimPolicy: 'Delete',
            storageClassName: 'disks',
            csi: { driver: driver.name, volumeHandle: name },
          },
        });
        // The stock binder that loses a write to the protection controller takes the volume up again with its next sync
        // only.
        await eventually(`${name} is protected and free`, async () => {
          const found = await volume(name);
          return (
            found?.status?.phase === 'Available' &&
            found.metadata.finalizers?.includes('kubernetes.io/pv-protection') === true
          );
        });
        await createClaim(`on-${name}`, 'disks', name);
        await eventually(
          `${name} is bound and held`,
          async () => {
            const found = await volume(name);
            return (
              found?.status?.phase === 'Bound' &&
              (await claim(`on-${name}`))?.status?.phase === 'Bound' &&
              found.metadata.finalizers?.includes('external-provisioner.volume.kubernetes.io/finalizer') ===
                true
            );
          },
          45_000,
        );
      }
      await client.delete(persistentVolumes, { name: 'disk' });
      expect((await volume('disk'))?.metadata.deletionTimestamp).toBeDefined();
      expect(driver.hasVolume('disk')).toBe(true);
      await client.delete(persistentVolumeClaims, at('on-disk'));
      await gone('on-disk');
      await eventually('the volume is gone', async () => (await volume('disk')) === undefined, 40_000);
      expect(existsSync(join(folder, 'volumes', 'disk'))).toBe(false);
      expect(driver.hasVolume('other')).toBe(true);
      expect(driver.deletions.map(({ handle, code }) => ({ handle, code }))).toEqual([
        { handle: 'disk', code: 'OK' },
      ]);
    }, 180_000);

    /** The writes that each app has ever sent, by its own count. */
    const writesOfApps = async (): Promise<Readonly<Record<string, number>>> => {
      const counted = apps.map(async (app) => {
        const samples = samplesOf(await app.metrics(), 'rest_client_requests_total');
        const writes = samples.filter((sample) => /method="(POST|PUT|PATCH|DELETE)"/.test(sample));
        return [app.name, writes.reduce((sum, sample) => sum + Number(sample.split(' ').at(-1)), 0)] as const;
      });
      return Object.fromEntries(await Promise.all(counted));
    };

    const resourceVersions = async (): Promise<readonly string[]> => {
      const lists = await Promise.all(watched.map((resource) => client.list(resource)));
      return lists.flatMap((list, index) =>
        list.items.map(
          ({ metadata }) =>
            `${watched[index]?.kind ?? ''} ${metadata.name} ${metadata.uid} ${metadata.resourceVersion}`,
        ),
      );
    };

    const everythingWritten = async (): Promise<object> => ({
      byApps: await writesOfApps(),
      seen: log.writes,
      objects: await resourceVersions(),
    });

    test(
      `a settled cluster -> no app writes anything for ${String(settledSeconds)} s, and no object changes`,
      async () => {
        expect(settledSeconds).toBeGreaterThan(0);
        expect((await claim('held'))?.metadata.deletionTimestamp).toBeDefined();
        const writes = await writesOfApps();
        for (const name of appNames) {
          // Each has had its part in it: one that never wrote would pass here for nothing. This one gives way to the
          // stock controller.
          const hasPart = name !== 'statefulset-pvc-retention';
          expect({ name, hasPart, writes: writes[name] }).toEqual({
            name,
            hasPart: (writes[name] ?? 0) > 0,
            writes: expect.any(Number),
          });
        }
        let before = await everythingWritten();
        let after = before;
        for (let waited = 0; waited < mostWaits; waited++) {
          before = after;
          await pause(settledSeconds * 1000);
          after = await everythingWritten();
          if (JSON.stringify(after) === JSON.stringify(before)) {
            break;
          }
        }
        expect(after).toEqual(before);
      },
      mostWaits * settledSeconds * 1000 + 30_000,
    );

    test('what was written from first to last -> no metadata went back and forth, no object was written without end', async () => {
      const backAndForth = (): readonly string[] =>
        log
          .histories()
          .filter(({ metadata }) => new Set(metadata).size < metadata.length)
          .map(({ object, metadata }) => [object, ...metadata].join('\n  '));
      expect(log.histories().length).toBeGreaterThan(15);
      expect(backAndForth()).toStrictEqual([]);
      expect(log.histories().filter(({ writes }) => writes > mostWrites)).toStrictEqual([]);

      // That a fight would have been seen:
      const label = '/metadata/labels';
      await client.patch(storageClasses, { name: 'gold' }, [{ op: 'add', path: label, value: { a: 'b' } }]);
      await client.patch(storageClasses, { name: 'gold' }, [{ op: 'remove', path: label }]);
      await eventually('the log has it', () => backAndForth().length === 1);
    });
  },
);
