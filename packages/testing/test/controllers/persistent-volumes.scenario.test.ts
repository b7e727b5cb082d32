import { expect, jest, test } from '@jest/globals';
import {
  namespaces,
  persistentVolumeClaims,
  persistentVolumes,
  storageClasses,
  type PersistentVolume,
  type PersistentVolumeClaim,
} from '@holdfast/core';
import { dynamicProvisioner } from '../../src/controllers/volumes/dynamic-provisioner.ts';
import { persistentVolumeBinder } from '../../src/controllers/volumes/persistent-volume-binder.ts';
import { persistentVolumeProtection } from '../../src/controllers/volumes/persistent-volume-protection.ts';
import { onEveryStage, type Stage } from './stages.ts';

jest.setTimeout(60_000);

const yes = { 'pv.kubernetes.io/bind-completed': 'yes' };
const byController = { 'pv.kubernetes.io/bound-by-controller': 'yes' };
const protectedVolume = ['kubernetes.io/pv-protection'];

onEveryStage(
  'volumes',
  {
    controllers: ['persistentvolume-binder-controller', 'persistentvolume-protection-controller'],
    standIns: () => [persistentVolumeBinder, persistentVolumeProtection],
    extras: () => [dynamicProvisioner()],
  },
  (stage) => {
    test('three volumes of the class of the claim -> bound to the smallest that fits', async () => {
      const world = await newWorld(stage());
      await world.volume('small', { capacity: { storage: '500Mi' } });
      await world.volume('large', { capacity: { storage: '3Gi' } });
      await world.volume('fitting', { capacity: { storage: '1536Mi' } });
      await world.claim('c');
      const free = { phase: 'Available', annotations: {}, claim: undefined, finalizers: protectedVolume };
      await world.settles({
        claims: { c: { phase: 'Bound', volume: 'fitting', annotations: { ...yes, ...byController } } },
        volumes: {
          small: free,
          large: free,
          fitting: { phase: 'Bound', annotations: byController, claim: 'c', finalizers: protectedVolume },
        },
      });
      const claim = await world.readClaim('c');
      expect(claim.status).toMatchObject({ accessModes: ['ReadWriteOnce'], capacity: { storage: '1536Mi' } });
    });

    test.each([
      ['other access modes', { accessModes: ['ReadOnlyMany'] }],
      ['another class', { storageClassName: 'other' }],
      ['another volume mode', { volumeMode: 'Block' }],
    ])('volume with %s -> the claim stays pending', async (_what, spec) => {
      const world = await newWorld(stage());
      await world.volume('v', spec);
      await world.claim('c');
      await world.settles({
        claims: { c: { phase: 'Pending', volume: undefined, annotations: {} } },
        volumes: {
          v: { phase: 'Available', annotations: {}, claim: undefined, finalizers: protectedVolume },
        },
      });
    });

    test('volume reserved for a claim by name -> bound to it, though a smaller one fits; not marked as by the controller', async () => {
      const world = await newWorld(stage());
      await world.volume('smaller');
      await world.volume('reserved', {
        capacity: { storage: '9Gi' },
        claimRef: { namespace: world.namespace, name: 'c' },
      });
      await world.claim('c');
      await world.settles({
        claims: { c: { phase: 'Bound', volume: 'reserved', annotations: { ...yes, ...byController } } },
        volumes: {
          smaller: { phase: 'Available', annotations: {}, claim: undefined, finalizers: protectedVolume },
          reserved: { phase: 'Bound', annotations: {}, claim: 'c', finalizers: protectedVolume },
        },
      });
    });

    test('claim names its volume -> bound to it, not marked as by the controller', async () => {
      const world = await newWorld(stage());
      await world.volume('v');
      await world.claim('c', { volumeName: world.nameOf('v') });
      await world.settles({
        claims: { c: { phase: 'Bound', volume: 'v', annotations: yes } },
        volumes: {
          v: { phase: 'Bound', annotations: byController, claim: 'c', finalizers: protectedVolume },
        },
      });
    });

    test('bound claim deleted, policy Retain -> the volume is released and stays', async () => {
      const world = await newWorld(stage());
      await world.volume('v');
      await world.claim('c');
      await world.bound('c');
      await world.deleteClaim('c');
      await world.settles({
        claims: {},
        volumes: {
          v: { phase: 'Released', annotations: byController, claim: 'c', finalizers: protectedVolume },
        },
      });
    });

    test.each([
      ['of a driver', 'Released', { csi: { driver: 'example.com', volumeHandle: 'v' }, hostPath: undefined }],
      ['that no plugin deletes', 'Failed', { hostPath: { path: '/nowhere' } }],
    ])('bound claim deleted, policy Delete, volume %s -> %s', async (_what, phase, spec) => {
      const world = await newWorld(stage());
      await world.volume('v', { persistentVolumeReclaimPolicy: 'Delete', ...spec });
      await world.claim('c');
      await world.bound('c');
      await world.deleteClaim('c');
      await world.settles({
        claims: {},
        volumes: { v: { phase, annotations: byController, claim: 'c', finalizers: protectedVolume } },
      });
    });

    test('volume of a bound claim deleted -> protected until the claim is gone', async () => {
      const world = await newWorld(stage());
      await world.volume('v');
      await world.claim('c');
      await world.bound('c');
      await stage().client.delete(persistentVolumes, { name: world.nameOf('v') });
      await world.settles({
        claims: { c: { phase: 'Bound', volume: 'v', annotations: { ...yes, ...byController } } },
        volumes: {
          v: { phase: 'Bound', annotations: byController, claim: 'c', finalizers: protectedVolume },
        },
      });
      await world.deleteClaim('c');
      await world.settles({ claims: {}, volumes: {} });
    });

    test('volume of a bound claim taken away by force -> the claim is lost', async () => {
      const world = await newWorld(stage());
      await world.volume('v');
      await world.claim('c');
      await world.bound('c');
      const name = world.nameOf('v');
      await stage().client.delete(persistentVolumes, { name });
      await stage().client.patch(persistentVolumes, { name }, [
        { op: 'remove', path: '/metadata/finalizers' },
      ]);
      await world.settles({
        claims: { c: { phase: 'Lost', volume: 'v', annotations: { ...yes, ...byController } } },
        volumes: {},
      });
    });

    test.each(['Delete', 'Retain'])(
      'claim of a class with a provisioner, %s -> a volume is made and bound; the claim deleted -> deleted or kept',
      async (reclaimPolicy) => {
        const world = await newWorld(stage());
        const storageClassName = await world.storageClass({ reclaimPolicy });
        await world.claim('c', { storageClassName });
        const claim = await world.bound('c');
        const volumeName = `pvc-${claim.metadata.uid}`;
        expect(claim.metadata.annotations).toEqual({
          ...yes,
          ...byController,
          'volume.kubernetes.io/storage-provisioner': 'stand-in.holdfast.dev',
          'volume.beta.kubernetes.io/storage-provisioner': 'stand-in.holdfast.dev',
        });
        const read = (): Promise<PersistentVolume | undefined> =>
          stage().client.get(persistentVolumes, { name: volumeName });
        const volume = await read();
        expect(volume?.metadata.annotations).toEqual({
          'pv.kubernetes.io/provisioned-by': 'stand-in.holdfast.dev',
        });
        expect(volume?.spec?.claimRef?.uid).toBe(claim.metadata.uid);
        await world.deleteClaim('c');
        const left = reclaimPolicy === 'Retain' ? 'Released' : undefined;
        await stage().settles(async () => (await read())?.status?.phase, left);
      },
    );

    test('class waits for the first consumer -> pending until a node is chosen', async () => {
      const world = await newWorld(stage());
      const storageClassName = await world.storageClass({ volumeBindingMode: 'WaitForFirstConsumer' });
      await world.claim('c', { storageClassName });
      await world.settles({
        claims: { c: { phase: 'Pending', volume: undefined, annotations: {} } },
        volumes: {},
      });
      const path = '/metadata/annotations';
      const value = { 'volume.kubernetes.io/selected-node': 'node-1' };
      const ref = { namespace: world.namespace, name: 'c' };
      await stage().client.patch(persistentVolumeClaims, ref, [{ op: 'add', path, value }]);
      await world.bound('c');
    });
  },
);

interface World {
  readonly namespace: string;
  /** Volumes have no namespace: their names get the world's mark. */
  nameOf(volume: string): string;
  volume(name: string, spec?: object): Promise<void>;
  claim(name: string, spec?: object): Promise<void>;
  /** Makes one and gives its name. */
  storageClass(settings: object): Promise<string>;
  readClaim(name: string): Promise<PersistentVolumeClaim>;
  /** Waits until the claim is bound. */
  bound(name: string): Promise<PersistentVolumeClaim>;
  /** Takes claim protection off, too: it is not what plays here. */
  deleteClaim(name: string): Promise<void>;
  settles(expected: { readonly claims: object; readonly volumes: object }): Promise<void>;
}

/** Scenarios share the volumes of a plane, so each has a class of its own where it names none. */
async function newWorld({ client, settles }: Stage): Promise<World> {
  const mark = crypto.randomUUID();
  const namespace = `pv-${mark}`;
  await client.create(namespaces, { metadata: { name: namespace } });
  const nameOf = (volume: string): string => `${volume}.${mark}`;
  const storageClassName = `static-${mark}`;
  const readClaim = async (name: string): Promise<PersistentVolumeClaim> => {
    const claim = await client.get(persistentVolumeClaims, { namespace, name });
    if (claim === undefined) {
      throw new Error(`claim ${name} is gone`);
    }
    return claim;
  };
  const short = (name: string | undefined): string | undefined => name?.replace(`.${mark}`, '');
  return {
    namespace,
    nameOf,
    readClaim,
    async volume(name, spec = {}) {
      await client.create(persistentVolumes, {
        metadata: { name: nameOf(name) },
        spec: {
          capacity: { storage: '1Gi' },
          accessModes: ['ReadWriteOnce'],
          persistentVolumeReclaimPolicy: 'Retain',
          hostPath: { path: '/nowhere' },
          storageClassName,
          ...spec,
        },
      });
      const phase = async (): Promise<unknown> =>
        (await client.get(persistentVolumes, { name: nameOf(name) }))?.status?.phase;
      await settles(phase, 'Available');
    },
    async claim(name, spec = {}) {
      await client.create(persistentVolumeClaims, {
        metadata: { name, namespace },
        spec: {
          accessModes: ['ReadWriteOnce'],
          resources: { requests: { storage: '1Gi' } },
          storageClassName,
          ...spec,
        },
      });
    },
    async storageClass(settings) {
      const name = `dynamic-${crypto.randomUUID()}`;
      await client.create(storageClasses, {
        metadata: { name },
        provisioner: 'stand-in.holdfast.dev',
        ...settings,
      });
      return name;
    },
    async bound(name) {
      await settles(async () => (await readClaim(name)).status?.phase, 'Bound');
      return readClaim(name);
    },
    async deleteClaim(name) {
      await client.delete(persistentVolumeClaims, { namespace, name });
      const path = '/metadata/finalizers';
      await client.patch(persistentVolumeClaims, { namespace, name }, [{ op: 'remove', path }]);
    },
    settles: (expected) =>
      settles(async () => {
        const claims = (await client.list(persistentVolumeClaims, namespace)).items;
        const volumes = (await client.list(persistentVolumes)).items.filter(({ metadata }) =>
          metadata.name.endsWith(mark),
        );
        return {
          claims: Object.fromEntries(
            claims.map(({ metadata, spec, status }) => [
              metadata.name,
              {
                phase: status?.phase,
                volume: short(spec?.volumeName),
                annotations: metadata.annotations ?? {},
              },
            ]),
          ),
          volumes: Object.fromEntries(
            volumes.map(({ metadata, spec, status }) => [
              metadata.name.replace(`.${mark}`, ''),
              {
                phase: status?.phase,
                annotations: metadata.annotations ?? {},
                claim: spec?.claimRef?.name,
                finalizers: metadata.finalizers,
              },
            ]),
          ),
        };
      }, expected),
  };
}
