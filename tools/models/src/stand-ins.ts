import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  isTerminating,
  keyOf,
  objectKey,
  persistentVolumeClaims,
  persistentVolumes,
  pods,
  storageClasses,
  volumeAttachments,
  type ApiResource,
  type KubernetesObject,
  type PersistentVolumeClaim,
  type Pod,
  type StorageClass,
} from '@holdfast/core';
import { persistentVolumeBinder, type Controller, type Stage } from '@holdfast/testing';
import { annotation, names, undoWindow } from './objects.ts';

/**
 * The binder of a release without retroactive default classes: it never learns which class is the default.
 * Otherwise it would race with our controller, and it would be unclear which of them gave a claim its class.
 */
export const oldBinder: Controller = {
  name: persistentVolumeBinder.name,
  setUp: (stage) =>
    persistentVolumeBinder.setUp({
      ...stage,
      watch: async <T extends KubernetesObject>(
        resource: ApiResource<T>,
        keysOf: Parameters<typeof stage.watch<T>>[1],
      ) => {
        const cache = await stage.watch(resource, keysOf);
        return resource.plural === storageClasses.plural
          ? {
              get: (key) => plain(cache.get(key)),
              list: () => cache.list().flatMap((each) => plain(each) ?? []),
            }
          : cache;
      },
    }),
};

function plain<T extends KubernetesObject>(object: T | undefined): T | undefined {
  if (object === undefined) {
    return undefined;
  }
  const annotations = Object.fromEntries(
    Object.entries(object.metadata.annotations ?? {}).filter(([name]) => name !== names.isDefaultClass),
  );
  return { ...object, metadata: { ...object.metadata, annotations } };
}

/** The folders of a node, each a volume with a file in it. */
export interface Storage {
  readonly root: string;
  /** Whether the volume's data exists. */
  has(volume: string): boolean;
  /**
   * Creates the folder and its file.
   *
   * @returns its path
   */
  add(volume: string): string;
  /** The names of all volumes that ever existed. */
  readonly volumes: readonly string[];
}

export function createStorage(root: string): Storage {
  const volumes: string[] = [];
  return {
    root,
    volumes,
    has: (volume) => existsSync(join(root, volume, 'data')),
    add: (volume) => {
      const folder = join(root, volume);
      mkdirSync(folder);
      writeFileSync(join(folder, 'data'), volume);
      volumes.push(volume);
      return folder;
    },
  };
}

/**
 * Creates a volume for each claim that the binder assigns to it. A class with the parameter `undo` gives its
 * volumes an undo window.
 */
export function provisioner(storage: Storage): Controller {
  return {
    name: 'provisioner',
    async setUp({ client, watch }: Stage) {
      const classes = await watch(storageClasses, () => []);
      const claims = await watch(persistentVolumeClaims, ({ object }) => [objectKey(object)]);
      const made = new Map<string, string>();
      return async (key) => {
        const claim = claims.get(key);
        const storageClass = classes.get(claim?.spec?.storageClassName ?? '');
        if (claim === undefined || storageClass === undefined || !isAsked(claim)) {
          return undefined;
        }
        const { uid, name } = claim.metadata;
        const known = made.get(uid);
        if (known !== undefined && (await client.get(persistentVolumes, { name: known })) !== undefined) {
          return undefined;
        }
        const volume = `pv-${String(storage.volumes.length)}-${name}`;
        made.set(uid, volume);
        await client.create(persistentVolumes, draftOf(volume, storage.add(volume), claim, storageClass));
        return undefined;
      };
    },
  };
}

function isAsked(claim: PersistentVolumeClaim): boolean {
  return (
    annotation(claim, 'volume.kubernetes.io/storage-provisioner') === names.provisioner &&
    (claim.spec?.volumeName ?? '') === '' &&
    !isTerminating(claim)
  );
}

function draftOf(name: string, path: string, claim: PersistentVolumeClaim, storageClass: StorageClass) {
  const hasWindow = storageClass.parameters?.['undo'] !== undefined;
  return {
    metadata: {
      name,
      annotations: {
        'pv.kubernetes.io/provisioned-by': names.provisioner,
        ...(hasWindow ? { [names.reclaimPolicy]: 'Delete', [names.reclaimGrace]: undoWindow.text } : {}),
      },
    },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: hasWindow ? 'Retain' : (storageClass.reclaimPolicy ?? 'Delete'),
      storageClassName: storageClass.metadata.name,
      hostPath: { path },
      claimRef: {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        namespace: claim.metadata.namespace,
        name: claim.metadata.name,
        uid: claim.metadata.uid,
      },
    },
  };
}

/** Attaches the volumes of pods to their node, and detaches them when no running pod on it uses them. */
export const attacher: Controller = {
  name: 'attachdetach-controller',
  async setUp({ client, watch }) {
    const claims = await watch(persistentVolumeClaims, ({ object }) => volumeKeys(object.spec?.volumeName));
    const attachments = await watch(volumeAttachments, ({ object }) =>
      volumeKeys(object.spec.source.persistentVolumeName),
    );
    const running = await watch(pods, ({ object, previous }) => [
      ...[object, ...(previous === undefined ? [] : [previous])].flatMap((pod) =>
        claimsOf(pod).flatMap((key) => volumeKeys(claims.get(key)?.spec?.volumeName)),
      ),
      // The claim might be gone from the cache.
      ...attachments.list().flatMap(({ spec }) => volumeKeys(spec.source.persistentVolumeName)),
    ]);
    return async (volume) => {
      const isUsed = running
        .list()
        .some(
          (pod) =>
            pod.spec?.nodeName === names.node &&
            pod.status?.phase !== 'Succeeded' &&
            pod.status?.phase !== 'Failed' &&
            claimsOf(pod).some((key) => claims.get(key)?.spec?.volumeName === volume),
        );
      const name = `attached-${volume}`;
      const attachment = attachments.get(name);
      if (isUsed && attachment === undefined) {
        await client.create(volumeAttachments, {
          metadata: { name },
          spec: { attacher: 'stand-in', nodeName: names.node, source: { persistentVolumeName: volume } },
        });
      } else if (!isUsed && attachment !== undefined) {
        await client.delete(volumeAttachments, { name });
      }
      return undefined;
    };
  },
};

function volumeKeys(volume: string | undefined): readonly string[] {
  return volume === undefined || volume === '' ? [] : [volume];
}

function claimsOf({ metadata: { namespace = '' }, spec }: Pod): readonly string[] {
  return (spec?.volumes ?? []).flatMap(({ persistentVolumeClaim }) =>
    persistentVolumeClaim === undefined ? [] : [keyOf({ namespace, name: persistentVolumeClaim.claimName })],
  );
}
