import {
  eventsV1,
  persistentVolumeClaims,
  persistentVolumes,
  pods,
  secrets,
  statefulSets,
  storageClasses,
  volumeAttachments,
  type EventsEvent,
  type PersistentVolume,
  type PersistentVolumeClaim,
} from '@holdfast/core';
import { find, type ApiClient } from '@holdfast/runtime';
import { eventually } from '@holdfast/scenario';
import type { CsiDriver } from '@holdfast/testing';

/*
 * All that each app ever asks of the API server, set off by the hand of a user: short forms of what the apps' own
 * scenario suites tell at length. Each step waits until the one before has come true.
 */

/** Where an app is played. */
export interface Scene {
  readonly client: ApiClient;
  /** Of the claims, pods and sets. */
  readonly namespace: string;
  /** Begins the names of what has no namespace. */
  readonly prefix: string;
}

/** On a busy machine; milliseconds. */
const patience = 60_000;

const request = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };

function claimOf({ client, namespace }: Scene, name: string): Promise<PersistentVolumeClaim | undefined> {
  return find(client, persistentVolumeClaims, { namespace, name });
}

async function createClaim(
  { client, namespace }: Scene,
  name: string,
  spec: { readonly volumeName?: string; readonly storageClassName?: string } = { storageClassName: 'none' },
): Promise<PersistentVolumeClaim> {
  return client.create(persistentVolumeClaims, namespace, {
    metadata: { name },
    spec: { ...request, ...spec },
  });
}

async function createPod(
  { client, namespace }: Scene,
  name: string,
  claimName: string,
  ownerReferences: readonly {
    apiVersion: string;
    kind: string;
    name: string;
    uid: string;
    controller: boolean;
  }[] = [],
): Promise<void> {
  await client.create(pods, namespace, {
    metadata: { name, labels: { app: 'web' }, ownerReferences },
    spec: {
      nodeName: 'node-1',
      containers: [{ name: 'c', image: 'example.com/none' }],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }],
    },
  });
}

async function finishPod({ client, namespace }: Scene, name: string): Promise<void> {
  await client.patch(pods, { namespace, name }, [{ op: 'add', path: '/status/phase', value: 'Succeeded' }], {
    subresource: 'status',
  });
}

async function attach({ client }: Scene, name: string, persistentVolumeName: string): Promise<void> {
  await client.create(volumeAttachments, undefined, {
    metadata: { name },
    spec: { attacher: 'example.com', nodeName: 'node-1', source: { persistentVolumeName } },
  });
}

/** Until an Event on objects of that namespace, `default` for those without one, is as asked for. */
async function recorded(
  { client }: Scene,
  what: string,
  namespace: string,
  isIt: (event: EventsEvent) => boolean,
): Promise<void> {
  await eventually(what, async () => (await client.list(eventsV1, { namespace })).items.some(isIt), patience);
}

function isProtected(claim: PersistentVolumeClaim | undefined): boolean {
  return claim?.metadata.finalizers?.includes('kubernetes.io/pvc-protection') === true;
}

export async function workOfPvcProtection(scene: Scene): Promise<void> {
  const { client, namespace, prefix } = scene;
  await createClaim(scene, 'held', { volumeName: `${prefix}-held` });
  await eventually('held is protected', async () => isProtected(await claimOf(scene, 'held')), patience);
  const shownAsUnused = async (): Promise<boolean> =>
    (await claimOf(scene, 'held'))?.status?.conditions?.some(
      ({ type, status }) => type === 'Unused' && status === 'True',
    ) === true;
  await eventually('held is shown as unused', shownAsUnused, patience);
  await createPod(scene, 'user-0', 'held');
  await createPod(scene, 'user-1', 'held');
  // Events are of one series as long as they are about the claim in the same version.
  await eventually('held is shown as used', async () => !(await shownAsUnused()), patience);
  await attach(scene, `${prefix}-held`, `${prefix}-held`);
  await client.delete(persistentVolumeClaims, { namespace, name: 'held' });
  const notes = (text: string) => (event: EventsEvent) => event.note?.includes(text) === true;
  await recorded(scene, 'both pods hold it', namespace, notes('user-1'));
  // Once more the same, which makes a series of the Event.
  const deletePod = (name: string): Promise<unknown> =>
    client.delete(pods, { namespace, name }, { gracePeriodSeconds: 0 });
  await deletePod('user-1');
  await recorded(
    scene,
    'one pod holds it',
    namespace,
    ({ note }) => note?.includes('user-0') === true && !note.includes('user-1'),
  );
  await createPod(scene, 'user-1', 'held');
  await createPod(scene, 'other', 'held');
  await deletePod('other');
  await recorded(
    scene,
    'an Event is repeated',
    namespace,
    ({ regarding, series }) => regarding?.name === 'held' && series !== undefined,
  );
  await deletePod('user-1');
  await finishPod(scene, 'user-0');
  await recorded(scene, 'the attachment holds it', namespace, notes('attached'));
  await client.delete(volumeAttachments, { name: `${prefix}-held` });
  await eventually('held is gone', async () => (await claimOf(scene, 'held')) === undefined, patience);
}

export async function workOfRetroactiveDefaultSc(scene: Scene): Promise<void> {
  const { client, namespace, prefix } = scene;
  const hard = { [`${prefix}-gold.storageclass.storage.k8s.io/persistentvolumeclaims`]: '1' };
  await client.create(quotas, namespace, { metadata: { name: 'full' }, spec: { hard } });
  await client.patch(
    quotas,
    { namespace, name: 'full' },
    [{ op: 'add', path: '/status', value: { hard, used: { ...hard } } }],
    { subresource: 'status' },
  );
  await createClaim(scene, 'waits', {});
  await client.create(storageClasses, undefined, {
    metadata: {
      name: `${prefix}-gold`,
      annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' },
    },
    provisioner: 'example.com',
  });
  // It is refused twice, the second time a moment later: a series.
  await recorded(
    scene,
    'the refusal is repeated',
    namespace,
    ({ regarding, series }) => regarding?.name === 'waits' && series !== undefined,
  );
  await client.delete(quotas, { namespace, name: 'full' });
  await eventually(
    'waits has the class',
    async () => (await claimOf(scene, 'waits'))?.spec?.storageClassName === `${prefix}-gold`,
    patience,
  );
  await client.delete(storageClasses, { name: `${prefix}-gold` });
}

const quotas = {
  group: '',
  version: 'v1',
  kind: 'ResourceQuota',
  plural: 'resourcequotas',
  namespaced: true,
};

export async function workOfStatefulSetPvcRetention(scene: Scene): Promise<void> {
  const { client, namespace } = scene;
  const ownersOf = async (claim: string): Promise<readonly string[] | undefined> =>
    (await claimOf(scene, claim))?.metadata.ownerReferences?.map(({ kind, name }) => `${kind} ${name}`);
  const createSet = async (
    name: string,
    annotations: Readonly<Record<string, string>> = {},
  ): Promise<string> => {
    const { metadata } = await client.create(statefulSets, namespace, {
      metadata: { name, annotations },
      spec: {
        replicas: 2,
        serviceName: name,
        selector: { matchLabels: { app: 'web' } },
        persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Delete' },
        template: {
          metadata: { labels: { app: 'web' } },
          spec: { containers: [{ name: 'c', image: 'example.com/none' }] },
        },
        volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: request }],
      },
    });
    return metadata.uid;
  };
  const uid = await createSet('web');
  await createSet('slow', { 'holdfast.dev/scale-down-grace': '1s' });
  for (const claim of ['data-web-0', 'data-web-1', 'data-slow-0', 'data-slow-1']) {
    await createClaim(scene, claim);
  }
  const owned = (claim: string, owner: string | undefined): Promise<void> =>
    eventually(
      `${claim} is owned by ${owner ?? 'none'}`,
      async () => (await ownersOf(claim))?.join() === owner,
      patience,
    );
  await owned('data-web-1', 'StatefulSet web');
  await owned('data-slow-1', 'StatefulSet slow');
  await createPod(scene, 'web-1', 'data-web-1', [
    { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web', uid, controller: true },
  ]);
  const scale = (name: string, replicas: number): Promise<unknown> =>
    client.patch(statefulSets, { namespace, name }, [
      { op: 'replace', path: '/spec/replicas', value: replicas },
    ]);
  await scale('slow', 1);
  await scale('web', 1);
  await owned('data-web-1', 'Pod web-1');
  await recorded(scene, 'an Event says so', namespace, ({ regarding }) => regarding?.name === 'data-web-1');
  await eventually(
    'data-slow-1 is deleted',
    async () => {
      const claim = await claimOf(scene, 'data-slow-1');
      // It may be held by pvc-protection for a moment.
      return claim === undefined || claim.metadata.deletionTimestamp !== undefined;
    },
    patience,
  );
}

/** A volume that waits in its undo window, is given back in both ways, and is deleted at last. */
async function workOfUndoWindow(scene: Scene, driver: CsiDriver): Promise<void> {
  const { client, namespace, prefix } = scene;
  const name = `${prefix}-undo`;
  await driver.addVolume(name);
  await client.create(persistentVolumes, undefined, {
    metadata: {
      name,
      annotations: { 'holdfast.dev/reclaim-policy': 'Delete', 'holdfast.dev/reclaim-grace': '1h' },
    },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: 'Retain',
      csi: { driver: driver.name, volumeHandle: name },
      claimRef: { namespace, name, uid: crypto.randomUUID() },
    },
  });
  const setPhase = (phase: string): Promise<unknown> =>
    client.patch(persistentVolumes, { name }, [{ op: 'add', path: '/status/phase', value: phase }], {
      subresource: 'status',
    });
  const until = (what: string, isSo: (volume: PersistentVolume) => boolean): Promise<void> =>
    eventually(
      what,
      async () => {
        const volume = await find(client, persistentVolumes, { name });
        return volume !== undefined && isSo(volume);
      },
      patience,
    );
  const isMarked = ({ metadata }: PersistentVolume): boolean =>
    metadata.annotations?.['holdfast.dev/delete-after'] !== undefined;
  await setPhase('Bound');
  await until(`${name} is held`, ({ metadata }) => metadata.finalizers?.length === 1);
  await setPhase('Released');
  await until(`${name} is marked`, isMarked);
  const { metadata } = await createClaim(scene, name, { storageClassName: '', volumeName: name });
  await until(`${name} is given to its name`, ({ spec }) => spec?.claimRef?.uid === undefined);
  // As a backup leaves it: bound, but not to the UID that the volume names.
  await client.patch(persistentVolumeClaims, { namespace, name }, [
    { op: 'add', path: '/metadata/annotations', value: { 'pv.kubernetes.io/bind-completed': 'yes' } },
  ]);
  await client.patch(persistentVolumes, { name }, [
    { op: 'add', path: '/spec/claimRef/uid', value: crypto.randomUUID() },
  ]);
  await until(`${name} is given to its claim`, ({ spec }) => spec?.claimRef?.uid === metadata.uid);
  await client.patch(persistentVolumes, { name }, [
    { op: 'replace', path: '/metadata/annotations/holdfast.dev~1reclaim-grace', value: '1s' },
  ]);
  await client.delete(persistentVolumeClaims, { namespace, name });
  await eventually(
    `${name} is gone`,
    async () => (await find(client, persistentVolumes, { name })) === undefined && !driver.hasVolume(name),
    patience,
  );
}

/** @param secretIn the namespace of the Secret that the class names; undefined: it names none. */
export async function workOfPvReclaimHonor(
  scene: Scene,
  driver: CsiDriver,
  secretIn: string | undefined,
): Promise<void> {
  const { client, namespace, prefix } = scene;
  if (secretIn !== undefined) {
    await client.create(secrets, secretIn, {
      metadata: { name: 'csi-provisioner-secret' },
      data: { user: Buffer.from('prov-user-7c1').toString('base64') },
    });
  }
  await client.create(storageClasses, undefined, {
    metadata: { name: `${prefix}-csi` },
    provisioner: driver.name,
    parameters:
      secretIn === undefined
        ? {}
        : {
            'csi.storage.k8s.io/provisioner-secret-name': 'csi-provisioner-secret',
            'csi.storage.k8s.io/provisioner-secret-namespace': secretIn,
          },
  });
  const name = `${prefix}-disk`;
  await driver.addVolume(name);
  driver.inject({ kind: 'fail', code: 'INTERNAL', message: 'the disk is busy' }, 3);
  await client.create(persistentVolumes, undefined, {
    metadata: { name },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: 'Delete',
      storageClassName: `${prefix}-csi`,
      csi: { driver: driver.name, volumeHandle: name },
      claimRef: { namespace, name: 'gone', uid: crypto.randomUUID() },
    },
  });
  const setPhase = (phase: string): Promise<unknown> =>
    client.patch(persistentVolumes, { name }, [{ op: 'add', path: '/status', value: { phase } }], {
      subresource: 'status',
    });
  await setPhase('Bound');
  await eventually(
    'the volume is held',
    async () => (await find(client, persistentVolumes, { name }))?.metadata.finalizers?.length === 1,
    patience,
  );
  await setPhase('Released');
  await recorded(
    scene,
    'the failure is repeated',
    'default',
    ({ regarding, series }) => regarding?.name === name && series !== undefined,
  );
  await eventually(
    'the volume is gone',
    async () => (await find(client, persistentVolumes, { name })) === undefined,
    patience,
  );
  await workOfUndoWindow(scene, driver);
}

/** Claims and volumes that bear what the Jobs take back, while the controllers run. */
export async function prepareLeaving(scene: Scene): Promise<void> {
  const { client, namespace, prefix } = scene;
  await createClaim(scene, 'kept');
  await createClaim(scene, 'in-use', { volumeName: `${prefix}-in-use` });
  await createClaim(scene, 'attached', { volumeName: `${prefix}-attached` });
  for (const claim of ['kept', 'in-use', 'attached']) {
    await eventually(`${claim} is protected`, async () => isProtected(await claimOf(scene, claim)), patience);
  }
  await createPod(scene, 'long-0', 'in-use');
  await createPod(scene, 'done-0', 'attached');
  await attach(scene, `${prefix}-attached`, `${prefix}-attached`);
  await finishPod(scene, 'done-0');
  for (const name of ['in-use', 'attached']) {
    await client.delete(persistentVolumeClaims, { namespace, name });
  }
}
