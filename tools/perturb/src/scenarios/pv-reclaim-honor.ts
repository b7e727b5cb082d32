import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import {
  isTerminating,
  namespaces,
  persistentVolumeClaims,
  persistentVolumes,
  type KubernetesObject,
  type PersistentVolume,
} from '@holdfast/core';
import { persistentVolumeBinder, startCsiDriver, type CsiDriver, type Plane } from '@holdfast/testing';
import type { Cluster, Invariant, Outside, Scenario, Step } from '@holdfast/testing/perturbation';
import { startStandIns, type StandIns } from './stand-ins.ts';

const namespace = 'shop';
const claim = { namespace, name: 'data' };
const volume = { name: 'v' };

/** The folders of hostPath volumes, and a driver for other volumes. */
interface Storage extends StandIns<'binder'> {
  readonly root: string;
  readonly driver: CsiDriver;
  /** Whether the storage of the volume exists. */
  has(name: string): boolean;
}

async function furnish(plane: Plane, outside: Outside): Promise<Storage> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-perturbed-storage-'));
  const root = join(folder, 'host');
  await mkdir(root);
  const driver = await startCsiDriver({
    folder: join(folder, 'csi'),
    socket: join(folder, 'csi.sock'),
    carryOut: (handle, deletion) => outside.carryOut(`DeleteVolume ${handle}`, deletion),
  });
  const standIns = await startStandIns(plane, { binder: persistentVolumeBinder });
  return {
    ...standIns,
    root,
    driver,
    has: (name) => existsSync(join(root, name)) || driver.hasVolume(name),
    stop: async () => {
      await standIns.stop();
      await driver.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/**
 * The data of an existing claim, or of a claim that was to be retained, exists at every state of the server.
 */
const neverLost = (
  isKept: (volume: PersistentVolume | undefined, claimLives: boolean) => boolean,
): Invariant<Storage> => ({
  name: 'storage that is in use or retained is there',
  breach: (_change, state, { furniture }) => {
    const found = state.find('PersistentVolume', undefined, volume.name) as PersistentVolume | undefined;
    const bound = state.find('PersistentVolumeClaim', claim.namespace, claim.name);
    return isKept(found, bound !== undefined) && !furniture.has(volume.name)
      ? `the storage of ${volume.name} is gone`
      : undefined;
  },
});

/** The second volume of the name is the one to retain. */
const secondStays: Invariant<Storage> = {
  name: 'the storage of the second volume is there',
  breach: (_change, state, { furniture }) => {
    const found = state.find('PersistentVolume', undefined, volume.name) as PersistentVolume | undefined;
    return found?.spec?.persistentVolumeReclaimPolicy === 'Retain' && !furniture.has(volume.name)
      ? `the storage of ${volume.name} is gone`
      : undefined;
  },
};

/** With policy Delete, a volume never goes before its storage. */
const neverLeaked: Invariant<Storage> = {
  name: 'a volume does not go before its storage',
  breach: ({ type, kind, object, previous }, _state, { furniture, isBlind }) =>
    // The controller cannot hold a volume if it was not sent the volume's binding.
    !(isBlind && previous !== undefined && !isTerminating(previous)) &&
    type === 'DELETED' &&
    kind === 'PersistentVolume' &&
    (object as PersistentVolume).spec?.persistentVolumeReclaimPolicy === 'Delete' &&
    furniture.has(object.metadata.name)
      ? `${object.metadata.name} is gone, and its storage is there`
      : undefined,
};

type Kind = 'hostPath' | 'csi';

/** Creates storage with something in it, and a volume for it. */
async function makeVolume(
  kind: Kind,
  policy: 'Delete' | 'Retain',
  cluster: Cluster,
  { root, driver }: Storage,
): Promise<void> {
  if (kind === 'csi') {
    await driver.addVolume(volume.name);
  } else {
    await mkdir(join(root, volume.name), { recursive: true });
    await writeFile(join(root, volume.name, 'data'), 'ours');
  }
  await cluster.create(persistentVolumes, {
    metadata: volume,
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: policy,
      storageClassName: 'manual',
      ...(kind === 'csi'
        ? { csi: { driver: driver.name, volumeHandle: volume.name } }
        : { hostPath: { path: join(root, volume.name) } }),
    },
  });
}

const prepare =
  (kind: Kind) =>
  async (cluster: Cluster, storage: Storage): Promise<void> => {
    await cluster.create(namespaces, { metadata: { name: namespace } });
    await makeVolume(kind, 'Delete', cluster, storage);
  };

/** Uses the same storage, whether or not anything of the first volume is left there. */
const makeAgain = (kind: Kind): Step<Storage> => ({
  name: 'make the volume again, to be retained',
  act: async (cluster, storage) => {
    if ((await cluster.find(persistentVolumes, volume)) !== undefined) {
      throw new Error('the first volume is still there');
    }
    await makeVolume(kind, 'Retain', cluster, storage);
  },
});

const turnToRetain: Step<Storage> = {
  name: 'turn the policy to Retain',
  act: (cluster) =>
    cluster.merge(persistentVolumes, volume, { spec: { persistentVolumeReclaimPolicy: 'Retain' } }),
};

const createClaim: Step<Storage> = {
  name: 'create a claim for the volume',
  act: async (cluster) => {
    await cluster.create(
      persistentVolumeClaims,
      {
        metadata: { name: claim.name },
        spec: {
          accessModes: ['ReadWriteOnce'],
          resources: { requests: { storage: '1Gi' } },
          storageClassName: 'manual',
          volumeName: volume.name,
        },
      },
      namespace,
    );
  },
};
const deleteClaim: Step<Storage> = {
  name: 'delete the claim',
  act: (cluster) => cluster.delete(persistentVolumeClaims, claim),
};
const deleteVolume: Step<Storage> = {
  name: 'delete the volume',
  act: (cluster) => cluster.delete(persistentVolumes, volume),
};

/** The folders differ in each run. */
function project(object: KubernetesObject): unknown {
  const { spec } = object as PersistentVolume;
  return spec?.hostPath === undefined
    ? object
    : { ...object, spec: { ...spec, hostPath: { path: basename(spec.hostPath.path) } } };
}

const common = {
  // Nothing else may hold claims and volumes here.
  plane: { disableAdmissionPlugins: ['StorageObjectInUseProtection'] },
  furnish,
  project,
  remains: async ({ root, has }: Storage) => ({ folders: await readdir(root), driver: has(volume.name) }),
};
const onHost = {
  ...common,
  args: ({ root }: Storage) => [`--host-path-root=${root}`],
  prepare: prepare('hostPath'),
};
const onDriver = {
  ...common,
  args: ({ driver }: Storage) => [`--csi-address=${driver.address}`],
  prepare: prepare('csi'),
};

const deleted = [neverLost((_volume, claimLives) => claimLives), neverLeaked];
const retained = [neverLost((found) => found !== undefined), neverLeaked];

const unheld =
  'a volume that goes before the controller knew it to be bound was not held, and its storage is left behind';

/** What users and administrators do to claims and their volumes. */
export const scenarios: readonly Scenario<Storage>[] = [
  {
    ...onHost,
    name: 'claim-first',
    mayEndOtherwise: unheld,
    description: 'The claim of a hostPath volume is deleted: folder and volume go.',
    steps: [createClaim, deleteClaim],
    invariants: deleted,
  },
  {
    ...onHost,
    name: 'volume-first',
    mayEndOtherwise: unheld,
    description: 'A hostPath volume is deleted before its claim: the folder stays as long as the claim.',
    steps: [createClaim, deleteVolume, deleteClaim],
    invariants: deleted,
  },
  {
    ...onHost,
    name: 'turned-to-retain',
    description: 'The policy of a volume is turned to Retain, and both are deleted: the folder stays.',
    steps: [createClaim, turnToRetain, deleteClaim, deleteVolume],
    invariants: retained,
  },
  {
    ...onDriver,
    name: 'csi-claim-first',
    mayEndOtherwise: unheld,
    description:
      'The claim of a volume of a CSI driver is deleted: the driver deletes it, and the volume goes.',
    steps: [createClaim, deleteClaim],
    invariants: deleted,
  },
  {
    ...onDriver,
    name: 'csi-volume-first',
    mayEndOtherwise: unheld,
    description:
      'A volume of a CSI driver is deleted before its claim: the driver deletes it when the claim is gone, and not before.',
    steps: [createClaim, deleteVolume, deleteClaim],
    invariants: deleted,
  },
  {
    ...onDriver,
    name: 'csi-turned-to-retain',
    description:
      'The policy of a volume of a CSI driver is turned to Retain, and both are deleted: the driver deletes nothing.',
    steps: [createClaim, turnToRetain, deleteClaim, deleteVolume],
    invariants: retained,
  },
  {
    ...onHost,
    name: 'made-again',
    mayEndOtherwise: unheld,
    description:
      'A hostPath volume and its claim are deleted, and made again under their names over the same folder, to be retained: what is in the folder then stays.',
    steps: [createClaim, deleteClaim, makeAgain('hostPath'), createClaim, deleteClaim, deleteVolume],
    invariants: [secondStays, neverLeaked],
  },
  {
    ...onDriver,
    name: 'csi-made-again',
    mayEndOtherwise: unheld,
    description:
      'A volume of a CSI driver and its claim are deleted, and made again under their names over the same handle, to be retained: the driver keeps it.',
    steps: [createClaim, deleteClaim, makeAgain('csi'), createClaim, deleteClaim, deleteVolume],
    invariants: [secondStays, neverLeaked],
  },
];
