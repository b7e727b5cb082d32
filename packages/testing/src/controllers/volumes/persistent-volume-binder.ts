import {
  keyOf,
  objectKey,
  persistentVolumeClaims,
  persistentVolumes,
  storageClasses,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type StorageClass,
} from '@holdfast/core';
import type { ApiClient } from '../api-client.ts';
import type { Cache } from '../cache.ts';
import type { Controller } from '../controller.ts';
import { annotations } from './annotations.ts';
import { bestMatch, classOf, isReservedFor } from './matching.ts';

/**
 * Stands in for kube-controller-manager's persistentvolume-binder-controller
 * (pkg/controller/volume/persistentvolume). It binds claims and volumes to each other, asks provisioners for
 * volumes, and releases and reclaims volumes as far as API objects go.
 *
 * It touches no storage. A volume with the policy Delete that no CSI driver owns is deleted if it is a host
 * path below /tmp, as the real plugin does, and becomes Failed otherwise; a recycled volume is Available
 * again at once. A claim of a class with WaitForFirstConsumer gets its volume once the annotation
 * `volume.kubernetes.io/selected-node` is set.
 */
export const persistentVolumeBinder: Controller = {
  name: 'persistentvolume-binder-controller',
  async setUp({ client, watch }) {
    const claims = await watch(persistentVolumeClaims, ({ object }) => [claimKey(object)]);
    // A claim might be waiting for any volume or class.
    const unboundClaims = (): readonly string[] =>
      claims
        .list()
        .filter(({ status }) => status?.phase !== 'Bound')
        .map(claimKey);
    const classes = await watch(storageClasses, unboundClaims);
    const volumes = await watch(persistentVolumes, ({ object, previous }) => [
      `volume ${object.metadata.name}`,
      ...[object, previous].flatMap((volume) => {
        const { namespace = '', name } = volume?.spec?.claimRef ?? {};
        return name === undefined ? [] : [`claim ${keyOf({ namespace, name })}`];
      }),
      ...unboundClaims(),
    ]);
    const binder: Binder = { client, volumes, claims, classes };
    return async (key) => {
      const [kind, rest = ''] = key.split(' ');
      if (kind === 'claim') {
        const claim = claims.get(rest);
        for (const volume of volumesLeft(volumes, rest, claim)) {
          await syncVolume(binder, volume);
        }
        if (claim !== undefined) {
          await syncClaim(binder, claim);
        }
      } else {
        const volume = volumes.get(rest);
        if (volume !== undefined) {
          await syncVolume(binder, volume);
        }
      }
      return undefined;
    };
  },
};

/**
 * The volumes that refer to the claim of this key but are not bound to it: an earlier claim of that name had
 * them, or the claim now has another volume.
 */
function volumesLeft(
  volumes: Cache<PersistentVolume>,
  key: string,
  claim: PersistentVolumeClaim | undefined,
): readonly PersistentVolume[] {
  return volumes.list().filter(({ metadata, spec }) => {
    const { namespace = '', name, uid } = spec?.claimRef ?? {};
    if (name === undefined || keyOf({ namespace, name }) !== key) {
      return false;
    }
    const bound = claim?.spec?.volumeName ?? '';
    return uid !== claim?.metadata.uid || (bound !== '' && bound !== metadata.name);
  });
}

interface Binder {
  readonly client: ApiClient;
  readonly volumes: Cache<PersistentVolume>;
  readonly claims: Cache<PersistentVolumeClaim>;
  readonly classes: Cache<StorageClass>;
}

function claimKey(claim: PersistentVolumeClaim): string {
  return `claim ${objectKey(claim)}`;
}

async function syncClaim(binder: Binder, claim: PersistentVolumeClaim): Promise<void> {
  const { client, volumes } = binder;
  const name = claim.spec?.volumeName ?? '';
  const volume = volumes.get(name);
  if (claim.metadata.annotations?.[annotations.bindCompleted] !== undefined) {
    const reference = volume?.spec?.claimRef;
    const isOurs = reference === undefined || reference.uid === claim.metadata.uid;
    if (volume !== undefined && isOurs) {
      await bind(client, volume, claim);
    } else {
      await setClaimPhase(client, claim, 'Lost');
    }
    return;
  }
  if (name === '') {
    const match = bestMatch(claim, isWaiting(binder, claim) ? reservedFor(claim, volumes) : volumes.list());
    if (match === undefined) {
      await findVolume(binder, claim);
    } else {
      await bind(client, match, claim);
    }
    return;
  }
  const isFree = volume?.spec?.claimRef === undefined;
  if (volume !== undefined && (isFree || isReservedFor(volume, claim))) {
    await bind(client, volume, claim);
  } else {
    await setClaimPhase(client, claim, 'Pending');
  }
}

function reservedFor(
  claim: PersistentVolumeClaim,
  volumes: Cache<PersistentVolume>,
): readonly PersistentVolume[] {
  return volumes.list().filter((volume) => isReservedFor(volume, claim));
}

/** Whether the claim waits: with WaitForFirstConsumer, the scheduler has to choose a node first. */
function isWaiting({ classes }: Binder, claim: PersistentVolumeClaim): boolean {
  return classes.get(classOf(claim))?.volumeBindingMode === 'WaitForFirstConsumer';
}

/** No volume fits: a claim without a class gets the default one, and a provisioner is asked for a volume. */
async function findVolume(binder: Binder, claim: PersistentVolumeClaim): Promise<void> {
  const { client, classes } = binder;
  if (claim.spec?.storageClassName === undefined && classOf(claim) === '') {
    const fallback = classes
      .list()
      .find(({ metadata }) => metadata.annotations?.[annotations.isDefaultClass] === 'true');
    if (fallback === undefined) {
      return;
    }
    const spec = { ...claim.spec, storageClassName: fallback.metadata.name };
    await client.update(persistentVolumeClaims, { ...claim, spec });
    return;
  }
  const provisioner = classes.get(classOf(claim))?.provisioner;
  if (provisioner === undefined || provisioner === 'kubernetes.io/no-provisioner') {
    return;
  }
  const isChosen = claim.metadata.annotations?.[annotations.selectedNode] !== undefined;
  if (isWaiting(binder, claim) && !isChosen) {
    return;
  }
  if (claim.metadata.annotations?.[annotations.storageProvisioner] === provisioner) {
    return;
  }
  const added = {
    [annotations.storageProvisioner]: provisioner,
    [annotations.betaStorageProvisioner]: provisioner,
  };
  await client.update(persistentVolumeClaims, annotated(claim, added));
}

/**
 * The four writes of a binding. Each is made only if it is missing, so that a binding that stopped anywhere
 * can be completed.
 */
async function bind(
  client: ApiClient,
  volume: PersistentVolume,
  claim: PersistentVolumeClaim,
): Promise<void> {
  let boundVolume = volume;
  if (volume.spec?.claimRef?.uid !== claim.metadata.uid) {
    const { namespace, name, uid, resourceVersion } = claim.metadata;
    const claimRef = {
      kind: 'PersistentVolumeClaim',
      apiVersion: 'v1',
      namespace,
      name,
      uid,
      resourceVersion,
    };
    const isByUser = isReservedFor(volume, claim);
    const marked = isByUser ? volume : annotated(volume, { [annotations.boundByController]: 'yes' });
    boundVolume = await client.update(persistentVolumes, {
      ...marked,
      spec: { ...volume.spec, claimRef },
    } as PersistentVolume);
  }
  await setVolumePhase(client, boundVolume, 'Bound');

  let boundClaim = claim;
  const isByUser = claim.spec?.volumeName === volume.metadata.name;
  if (!isByUser || claim.metadata.annotations?.[annotations.bindCompleted] === undefined) {
    const marks = {
      [annotations.bindCompleted]: 'yes',
      ...(isByUser ? {} : { [annotations.boundByController]: 'yes' }),
    };
    boundClaim = await client.update(persistentVolumeClaims, {
      ...annotated(claim, marks),
      spec: { ...claim.spec, volumeName: volume.metadata.name },
    });
  }
  if (boundClaim.status?.phase !== 'Bound') {
    const { accessModes = [], capacity = {} } = volume.spec ?? {};
    const status = { ...boundClaim.status, phase: 'Bound', accessModes, capacity };
    await client.update(persistentVolumeClaims, { ...boundClaim, status }, 'status');
  }
}

async function syncVolume(binder: Binder, volume: PersistentVolume): Promise<void> {
  const { client } = binder;
  const reference = volume.spec?.claimRef;
  if (reference === undefined || (reference.uid ?? '') === '') {
    await setVolumePhase(client, volume, 'Available');
    return;
  }
  const { namespace = '', name = '', uid } = reference;
  const cached = binder.claims.get(keyOf({ namespace, name }));
  // The server is asked before a volume is given up, since the cache might lag behind.
  const claim =
    cached?.metadata.uid === uid ? cached : await client.get(persistentVolumeClaims, { namespace, name });
  if (claim?.metadata.uid !== uid) {
    const released = isGivenUp(volume) ? volume : await setVolumePhase(client, volume, 'Released');
    await reclaim(client, released);
    return;
  }
  const bound = claim?.spec?.volumeName ?? '';
  if (bound === volume.metadata.name) {
    await setVolumePhase(client, volume, 'Bound');
    return;
  }
  // Still to be bound, which happens when the claim is looked at.
  if (bound === '') {
    return;
  }
  const isProvisioned = volume.metadata.annotations?.[annotations.provisionedBy] !== undefined;
  if (isProvisioned && volume.spec?.persistentVolumeReclaimPolicy === 'Delete') {
    const released = isGivenUp(volume) ? volume : await setVolumePhase(client, volume, 'Released');
    await reclaim(client, released);
    return;
  }
  await unbind(client, volume);
}

function isGivenUp({ status }: PersistentVolume): boolean {
  return status?.phase === 'Released' || status?.phase === 'Failed';
}

/** Removes the whole reference if the controller set it; if the user set it, removes only its UID. */
async function unbind(client: ApiClient, volume: PersistentVolume): Promise<void> {
  const { [annotations.boundByController]: mark, ...others } = volume.metadata.annotations ?? {};
  const { claimRef, ...spec } = volume.spec ?? {};
  const { namespace, name, kind, apiVersion } = claimRef ?? {};
  const reserved = mark === undefined ? { claimRef: { kind, apiVersion, namespace, name } } : {};
  const unbound = await client.update(persistentVolumes, {
    ...volume,
    metadata: { ...volume.metadata, annotations: others },
    spec: { ...spec, ...reserved },
  } as PersistentVolume);
  await setVolumePhase(client, unbound, 'Available');
}

async function reclaim(client: ApiClient, volume: PersistentVolume): Promise<void> {
  switch (volume.spec?.persistentVolumeReclaimPolicy) {
    case 'Recycle':
      await unbind(client, volume);
      return;
    case 'Delete': {
      // External-provisioner deletes the volumes of CSI drivers.
      if (volume.metadata.annotations?.[annotations.provisionedBy] !== undefined) {
        return;
      }
      if (volume.spec.csi !== undefined) {
        return;
      }
      if (volume.metadata.deletionTimestamp !== undefined) {
        return;
      }
      if (/^\/tmp\/.+/.test(volume.spec.hostPath?.path ?? '')) {
        await client.delete(persistentVolumes, { name: volume.metadata.name });
      } else {
        await setVolumePhase(client, volume, 'Failed');
      }
      return;
    }
    default:
      return;
  }
}

async function setVolumePhase(
  client: ApiClient,
  volume: PersistentVolume,
  phase: 'Available' | 'Bound' | 'Released' | 'Failed',
): Promise<PersistentVolume> {
  if (volume.status?.phase === phase) {
    return volume;
  }
  const status = { ...volume.status, phase };
  return client.update(persistentVolumes, { ...volume, status }, 'status');
}

async function setClaimPhase(
  client: ApiClient,
  claim: PersistentVolumeClaim,
  phase: 'Pending' | 'Lost',
): Promise<void> {
  if (claim.status?.phase === phase) {
    return;
  }
  const status = { ...claim.status, phase };
  await client.update(persistentVolumeClaims, { ...claim, status }, 'status');
}

function annotated<T extends PersistentVolume | PersistentVolumeClaim>(
  object: T,
  added: Readonly<Record<string, string>>,
): T {
  const { metadata } = object;
  return { ...object, metadata: { ...metadata, annotations: { ...metadata.annotations, ...added } } };
}
