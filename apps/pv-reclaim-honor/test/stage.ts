import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  parseFeatureGates,
  persistentVolumeClaims,
  persistentVolumes,
  volumeAttachments,
  type PersistentVolume,
  type PersistentVolumeClaim,
} from '@holdfast/core';
import { createTenure, type ApiClient } from '@holdfast/runtime';
import { eventually, openStage as open, type Stage as StageOf } from '@holdfast/scenario';
import {
  persistentVolumeBinder,
  persistentVolumeProtection,
  startController,
  startCsiDriver,
  type ControlPlane,
  type CsiDriver,
  type CsiDriverOptions,
} from '@holdfast/testing';
import { createPvReclaimHonor, type PvReclaimHonorOptions } from '../src/controller.ts';
import { gates } from '../src/gates.ts';
import { csiFinalizer, pvProtection } from './objects.ts';

export interface Options {
  readonly featureGates?: string;
  /** Default: all. */
  readonly namespaces?: readonly string[];
  readonly mode?: PvReclaimHonorOptions['mode'];
  readonly csiAddresses?: readonly string[];
  readonly csiTimeout?: number;
  readonly csiFinalizer?: string;
  readonly migratedPlugins?: readonly string[];
  readonly hostPathRoot?: string | undefined;
  readonly dryRun?: boolean;
  readonly lookClock?: NonNullable<PvReclaimHonorOptions['lookClock']>;
  readonly now?: () => Date;
  readonly serverTime?: () => Date | undefined;
  readonly tenure?: PvReclaimHonorOptions['tenure'];
}

export type Stage = StageOf<Options>;

/** @param clientOf the client that the app gets, of that of the stage. Default: the same. */
export function openStage(
  plane: ControlPlane,
  clientOf: (client: ApiClient) => ApiClient = (client) => client,
): Promise<Stage> {
  return open(plane, {
    name: 'pv-reclaim-honor',
    create: (surroundings, { featureGates = '', ...options }: Options) =>
      createPvReclaimHonor({
        ...surroundings,
        client: clientOf(surroundings.client),
        gates: parseFeatureGates(gates, featureGates),
        namespaces: [],
        concurrentSyncs: 10,
        mode: 'reclaim',
        dryRun: false,
        csiAddresses: [],
        csiTimeout: 10_000,
        csiFinalizer,
        migratedPlugins: [],
        hostPathRoot: '/tmp/hostpath_pv',
        threads: 16,
        tenure: createTenure(surroundings.clock),
        ...options,
      }),
  });
}

/** With the controllers of a real kube-controller-manager that bind volumes and keep what is in use. */
export const withBinder = {
  controllers: [
    'persistentvolume-binder-controller',
    'persistentvolume-protection-controller',
    'persistentvolumeclaim-protection-controller',
  ],
};

/** The stock binder and volume protection: stand-ins, where kube-controller-manager is not there to do it. */
export async function startBinder(plane: ControlPlane): Promise<{ stop(): Promise<void> }> {
  if (plane.backend !== 'embedded') {
    return { stop: () => Promise.resolve() };
  }
  const running = await Promise.all(
    [persistentVolumeBinder, persistentVolumeProtection].map((each) => startController(plane, each)),
  );
  return {
    stop: async () => {
      await Promise.all(running.map((each) => each.stop()));
    },
  };
}

/** A folder of its own for a suite, with a CSI driver in it. */
export interface Storage {
  readonly folder: string;
  readonly driver: CsiDriver;
  close(): Promise<void>;
}

export async function openStorage(
  options: Pick<CsiDriverOptions, 'name' | 'canDeleteVolumes' | 'canListVolumes'> = {},
): Promise<Storage> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-reclaim-'));
  const driver = await startCsiDriver({
    folder: join(folder, 'volumes'),
    socket: join(folder, 'csi.sock'),
    ...options,
  });
  return {
    folder,
    driver,
    close: async () => {
      await driver.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Waits until the condition holds, as {@link eventually} does. */
export type Wait = typeof eventually;

export interface VolumeOptions {
  readonly policy?: 'Delete' | 'Retain';
  readonly source?: Partial<NonNullable<PersistentVolume['spec']>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
}

/** What a user, an administrator and the attach-detach controller do to one namespace and its volumes. */
export interface Hand {
  /** Name of the volume (and its handle) for a short name within this namespace. */
  nameOf(short: string): string;
  createVolume(short: string, options?: VolumeOptions): Promise<PersistentVolume>;
  /** A claim for that volume. */
  createClaim(short: string): Promise<PersistentVolumeClaim>;
  /** A volume that is bound to a claim of the same short name. */
  bound(short: string, options?: VolumeOptions): Promise<void>;
  /** The same, and our finalizer is on it. */
  held(short: string, options?: VolumeOptions, finalizer?: string): Promise<void>;
  volume(short: string): Promise<PersistentVolume | undefined>;
  finalizersOf(short: string): Promise<readonly string[] | 'gone'>;
  setPolicy(short: string, policy: 'Delete' | 'Retain'): Promise<void>;
  deleteVolume(short: string): Promise<void>;
  deleteClaim(short: string): Promise<void>;
  attach(short: string): Promise<void>;
  detach(short: string): Promise<void>;
  volumeIsGone(short: string): Promise<boolean>;
  claimIsGone(short: string): Promise<boolean>;
  /** How it waits for the cluster. */
  readonly wait: Wait;
}

/** @param wait default: in real time. */
export function handOf(stage: Stage, namespace: string, driver: CsiDriver, wait: Wait = eventually): Hand {
  const client: ApiClient = stage.client;
  const nameOf = (short: string): string => `${namespace}-${short}`;
  const hand: Hand = {
    nameOf,
    wait,
    createVolume: async (short, { policy = 'Delete', source, annotations, finalizers } = {}) => {
      const name = nameOf(short);
      if (source === undefined) {
        await driver.addVolume(name);
      }
      return client.create(persistentVolumes, undefined, {
        metadata: {
          name,
          ...(annotations === undefined ? {} : { annotations }),
          ...(finalizers === undefined ? {} : { finalizers }),
        },
        spec: {
          capacity: { storage: '1Gi' },
          accessModes: ['ReadWriteOnce'],
          persistentVolumeReclaimPolicy: policy,
          storageClassName: namespace,
          ...(source ?? { csi: { driver: driver.name, volumeHandle: name } }),
        },
      });
    },
    createClaim: (short) =>
      client.create(persistentVolumeClaims, namespace, {
        metadata: { name: short },
        spec: {
          accessModes: ['ReadWriteOnce'],
          resources: { requests: { storage: '1Gi' } },
          storageClassName: namespace,
          volumeName: nameOf(short),
        },
      }),
    bound: async (short, options) => {
      await hand.createVolume(short, options);
      // The stock binder that loses a write to the protection controller takes the volume up again with its next sync
      // only.
      await wait(`${short} is protected and free`, async () => {
        const volume = await hand.volume(short);
        return (
          volume?.status?.phase === 'Available' && volume.metadata.finalizers?.includes(pvProtection) === true
        );
      });
      await hand.createClaim(short);
      await wait(
        `${short} is bound`,
        async () => {
          const claim = await stage.find(persistentVolumeClaims, { namespace, name: short });
          return (await hand.volume(short))?.status?.phase === 'Bound' && claim?.status?.phase === 'Bound';
        },
        45_000,
      );
    },
    held: async (short, options, finalizer = csiFinalizer) => {
      await hand.bound(short, options);
      await wait(`${short} is held`, async () => (await hand.finalizersOf(short)).includes(finalizer));
    },
    volume: (short) => stage.find(persistentVolumes, { name: nameOf(short) }),
    finalizersOf: async (short) => {
      const found = await hand.volume(short);
      return found === undefined ? 'gone' : (found.metadata.finalizers ?? []);
    },
    setPolicy: async (short, policy) => {
      await client.patch(persistentVolumes, { name: nameOf(short) }, [
        { op: 'replace', path: '/spec/persistentVolumeReclaimPolicy', value: policy },
      ]);
    },
    deleteVolume: (short) => client.delete(persistentVolumes, { name: nameOf(short) }),
    deleteClaim: async (short) => {
      // Protection of claims in use is not what is tried here, and its controller does not always run.
      await client.delete(persistentVolumeClaims, { namespace, name: short });
      const left = await stage.find(persistentVolumeClaims, { namespace, name: short });
      if (left?.metadata.finalizers !== undefined && stage.plane.backend === 'embedded') {
        await client.patch(persistentVolumeClaims, { namespace, name: short }, [
          { op: 'remove', path: '/metadata/finalizers' },
        ]);
      }
      await wait(`claim ${short} is gone`, () => hand.claimIsGone(short));
    },
    attach: async (short) => {
      await client.create(volumeAttachments, undefined, {
        metadata: { name: nameOf(short) },
        spec: {
          attacher: driver.name,
          nodeName: 'node-1',
          source: { persistentVolumeName: nameOf(short) },
        },
      });
    },
    detach: (short) => client.delete(volumeAttachments, { name: nameOf(short) }),
    volumeIsGone: async (short) => (await hand.volume(short)) === undefined,
    claimIsGone: async (short) =>
      (await stage.find(persistentVolumeClaims, { namespace, name: short })) === undefined,
  };
  return hand;
}

/**
 * Waits until the controller has seen and judged everything that was done before: a volume bound and released now is
 * reclaimed. What has not happened by then does not happen.
 */
export async function settled(hand: Hand): Promise<void> {
  const short = `marker-${crypto.randomUUID().slice(0, 8)}`;
  await hand.held(short);
  await hand.deleteClaim(short);
  await hand.wait(`${short} is reclaimed`, () => hand.volumeIsGone(short));
}
