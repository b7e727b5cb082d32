import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { isUnset, objectIn, type Mutable } from '../json.ts';
import type { Objects } from '../odd-server.ts';
import { inhabitant, metadata, type Inhabitant, type World } from './world.ts';

const core = 'io.k8s.api.core.v1';
const holds = 'kubernetes.io/pv-controller';

/**
 * Volumes that are released, in use, shared, attached, or to be kept, each with a folder of its own on the
 * disk.
 */
export function pvReclaimHonorWorld(): World {
  const root = mkdtempSync(join(tmpdir(), 'holdfast-fuzz-'));
  const folders = ['data', 'bound', 'kept', 'attached', 'free'];
  for (const folder of folders) {
    mkdirSync(join(root, folder));
    writeFileSync(join(root, folder, 'file'), folder);
  }
  const inhabitants = new Map<string, Inhabitant>();
  const volume = (
    name: string,
    folder: string,
    phase: string,
    policy: string,
    more: Mutable = {},
    canBeOdd = true,
  ): void =>
    void inhabitants.set(
      `persistentvolumes//${name}`,
      inhabitant(
        `${core}.PersistentVolume`,
        {
          metadata: metadata(name, {
            labels: { 'topology.kubernetes.io/zone': 'a' },
            annotations: { 'holdfast.dev/held-by': holds },
            finalizers: ['kubernetes.io/pv-protection', holds],
            ...more,
          }),
          spec: {
            capacity: { storage: '1Gi' },
            accessModes: ['ReadWriteOnce'],
            persistentVolumeReclaimPolicy: policy,
            claimRef: { namespace: 'shop', name: `claim-of-${name}`, uid: `uid-of-claim-of-${name}` },
            hostPath: { path: join(root, folder) },
          },
          status: { phase },
        },
        canBeOdd,
      ),
    );
  volume('pv-data', 'data', 'Released', 'Delete', {}, false);
  volume('pv-over', 'data', 'Bound', 'Retain');
  volume('pv-bound', 'bound', 'Released', 'Delete');
  volume('pv-kept', 'kept', 'Released', 'Retain');
  volume('pv-attached', 'attached', 'Released', 'Delete');
  volume(
    'pv-good',
    'good',
    'Bound',
    'Delete',
    { finalizers: ['kubernetes.io/pv-protection'], annotations: {} },
    false,
  );
  volume('pv-free', 'free', 'Released', 'Delete', {}, false);
  for (const name of ['claim-of-pv-bound', 'claim-of-pv-over', 'claim-of-pv-good']) {
    inhabitants.set(
      `persistentvolumeclaims/shop/${name}`,
      inhabitant(
        `${core}.PersistentVolumeClaim`,
        {
          metadata: metadata(name, {}, 'shop'),
          spec: { accessModes: ['ReadWriteOnce'], volumeName: name.slice('claim-of-'.length) },
          status: { phase: 'Bound' },
        },
        !name.endsWith('good'),
      ),
    );
  }
  inhabitants.set(
    'volumeattachments.storage.k8s.io//va',
    inhabitant('io.k8s.api.storage.v1.VolumeAttachment', {
      metadata: metadata('va'),
      spec: {
        attacher: 'csi.example.com',
        nodeName: 'node-1',
        source: { persistentVolumeName: 'pv-attached' },
      },
    }),
  );
  inhabitants.set(
    'storageclasses.storage.k8s.io//slow',
    inhabitant('io.k8s.api.storage.v1.StorageClass', {
      metadata: metadata('slow', { annotations: { 'holdfast.dev/reclaim-grace': '720h' } }),
      provisioner: 'csi.example.com',
    }),
  );
  const isThere = (folder: string): boolean => existsSync(join(root, folder, 'file'));
  const lost = (objects: Objects): string | undefined => {
    const over = objects.get('persistentvolumes//pv-over');
    if (!isThere('data') && mightNeed(over, join(root, 'data'), objects)) {
      return 'the folder of pv-data is gone, which pv-over might need';
    }
    if (!isThere('kept')) {
      return undefined;
    }
    return undefined;
  };
  /** Deleted volumes in their last state, which is the only record of their claims. */
  const deleted = new Map<string, Readonly<Mutable>>();
  return {
    app: 'pv-reclaim-honor',
    root,
    inhabitants,
    needsTime: true,
    tempt: (server) => {
      const free = server.objects.get('persistentvolumes//pv-free');
      if (free !== undefined) {
        server.put('persistentvolumes//pv-free', {
          ...free,
          metadata: {
            ...objectIn(free['metadata']),
            resourceVersion: server.nextVersion(),
            labels: { touched: 'yes' },
          },
        });
      }
    },
    wrongIn: ({ location, before, after, objects }) => {
      if (!location.startsWith('persistentvolumes/') || before === undefined) {
        return undefined;
      }
      if (after === undefined) {
        deleted.set(location, before);
      }
      const [, , name = ''] = location.split('/');
      const folder = String(objectIn(objectIn(before['spec'])?.['hostPath'])?.['path']);
      const letGo = heldBy(before) && (after === undefined || !heldBy(after));
      if (letGo && existsSync(join(folder, 'file')) && mightBeReclaimed(before)) {
        return `${name} was let go of with its data on the disk, under policy Delete`;
      }
      return lost(objects);
    },
    wrongOutside: (objects) => {
      const bound = objects.get('persistentvolumes//pv-bound') ?? deleted.get('persistentvolumes//pv-bound');
      if (!isThere('bound') && (bound === undefined || claimMightLive(bound, objects))) {
        return 'the folder of pv-bound is gone, whose claim might be there';
      }
      const kept = objects.get('persistentvolumes//pv-kept');
      if (!isThere('kept') && policyOf(kept) !== 'Delete') {
        return 'the folder of pv-kept is gone, whose policy is not Delete';
      }
      const attached = objects.get('volumeattachments.storage.k8s.io//va');
      if (!isThere('attached') && mightAttach(attached, 'pv-attached')) {
        return 'the folder of pv-attached is gone, which might be attached';
      }
      return lost(objects);
    },
    owed: (objects, odd) => {
      const good = objects.get('persistentvolumes//pv-good');
      if (good === undefined || !heldBy(good)) {
        return 'pv-good is not held';
      }
      if (
        [...odd].some((each) => each.startsWith('persistentvolumes/') || each.startsWith('volumeattachments'))
      ) {
        // A volume that cannot be read might use any folder.
        return undefined;
      }
      return isThere('free') ? 'pv-free was not reclaimed' : undefined;
    },
    close: () => rmSync(root, { recursive: true, force: true }),
  };
}

function heldBy(volume: Readonly<Mutable>): boolean {
  const held = objectIn(volume['metadata'])?.['finalizers'];
  return Array.isArray(held) && held.includes(holds);
}

function policyOf(volume: Readonly<Mutable> | undefined): unknown {
  return objectIn(volume?.['spec'])?.['persistentVolumeReclaimPolicy'];
}

/**
 * Whether the volume might be reclaimed: its policy is Delete or cannot be read, it had a claim, and its
 * storage is managed by our controller.
 */
function mightBeReclaimed(volume: Readonly<Mutable>): boolean {
  const policy = policyOf(volume);
  const isOther = typeof policy === 'string' && policy !== 'Delete';
  const claimUid = objectIn(objectIn(volume['spec'])?.['claimRef'])?.['uid'];
  return !isOther && !isUnset(claimUid) && claimUid !== '';
}

function claimMightLive(volume: Readonly<Mutable>, objects: Objects): boolean {
  const reference = objectIn(objectIn(volume['spec'])?.['claimRef']);
  const [namespace, name, uid] = [reference?.['namespace'], reference?.['name'], reference?.['uid']];
  if ([namespace, name, uid].some((each) => typeof each !== 'string' || each === '')) {
    return true;
  }
  const claim = objects.get(`persistentvolumeclaims/${String(namespace)}/${String(name)}`);
  if (claim === undefined) {
    return false;
  }
  const claimUid = objectIn(claim['metadata'])?.['uid'];
  return typeof claimUid !== 'string' || claimUid === '' || claimUid === uid;
}

function mightAttach(attachment: Readonly<Mutable> | undefined, volume: string): boolean {
  if (attachment === undefined) {
    return false;
  }
  const source = objectIn(objectIn(attachment['spec'])?.['source']);
  const named = source?.['persistentVolumeName'];
  const isOther =
    typeof named === 'string' && named !== ''
      ? named !== volume
      : objectIn(source?.['inlineVolumeSpec']) !== undefined && (isUnset(named) || named === '');
  // If it names no volume, it might be for any volume of a CSI driver, but not for a folder.
  return !isOther && (named === volume || typeof objectIn(attachment['spec'])?.['attacher'] !== 'string');
}

/** Whether the volume might use the folder, and need its content. */
function mightNeed(volume: Readonly<Mutable> | undefined, folder: string, objects: Objects): boolean {
  if (volume === undefined) {
    return false;
  }
  const spec = objectIn(volume['spec']);
  const phase = objectIn(volume['status'])?.['phase'];
  const isReleased = phase === 'Released' || phase === 'Failed';
  if (policyOf(volume) === 'Delete' && isReleased && !claimMightLive(volume, objects)) {
    return false;
  }
  if (isUnset(volume['spec'])) {
    return false;
  }
  const source = spec?.['hostPath'];
  const path = objectIn(source)?.['path'];
  if (isUnset(source) && spec !== undefined) {
    return false;
  }
  if (typeof path !== 'string' || path === '') {
    return true;
  }
  const clean = posix.normalize(`/${path}/`);
  return clean.startsWith(`${folder}/`) || `${folder}/`.startsWith(clean);
}
