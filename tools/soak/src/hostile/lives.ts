import { setTimeout as pause } from 'node:timers/promises';
import {
  apiVersionOf,
  finalizers,
  isTerminating,
  keyOf,
  persistentVolumeClaims,
  persistentVolumes,
  pods,
  statefulSets,
  type ObjectRef,
} from '@holdfast/core';
import type { CsiDriver } from '@holdfast/testing';
import { claimBody, podBody } from '../cluster-objects.ts';
import {
  createClaim,
  deleteClaim,
  deletePod,
  eventually,
  expectHeld,
  untilGone,
  type Life,
  type Surroundings,
} from '../lives.ts';
import { poisonMark } from './poison.ts';

/** The surroundings of the lives for all four apps. */
export interface HostileSurroundings extends Surroundings {
  readonly driver: CsiDriver;
}

type Ref = Parameters<Life>[0];
type HostileLife = Life<HostileSurroundings>;

const beside = (ref: Ref, suffix: string): Ref => ({ ...ref, name: `${ref.name}-${suffix}` });

/** A claim without a class gets the default one; a claim that explicitly wants none keeps none. */
const classGiven: HostileLife = async (ref, around) => {
  const { writer, accuse } = around;
  const without = beside(ref, 'without');
  const classOf = async (claim: ObjectRef): Promise<string | undefined> =>
    (await writer.find(persistentVolumeClaims, claim))?.spec?.storageClassName;
  await createClaim(without, { ...around, storageClassName: '' }, false);
  await createClaim(ref, { ...around, storageClassName: undefined }, false);
  await eventually(
    `claim ${keyOf(ref)} has its class`,
    async () => (await classOf(ref)) === 'standard',
    around,
  );
  if ((await classOf(without)) !== '') {
    accuse(`claim ${keyOf(without)} wants no class, and was given one`);
  }
  await deleteClaim(ref, around);
  await deleteClaim(without, around);
};

type Policy = 'Retain' | 'Delete';

/**
 * A set of two replicas is scaled down to one and then deleted. The soak plays its StatefulSet controller and
 * its kubelet.
 */
function setLife(whenDeleted: Policy, whenScaled: Policy): HostileLife {
  return async (ref, around) => {
    const { client, writer, accuse } = around;
    const set = { namespace: ref.namespace, name: ref.name };
    const claims = [0, 1].map((ordinal): Ref => ({
      ...ref,
      name: `data-${ref.name}-${String(ordinal)}`,
    })) as [Ref, Ref];
    const podRefs = [0, 1].map((ordinal) => beside(ref, String(ordinal))) as [Ref, Ref];
    const controllersOf = async (claim: Ref): Promise<readonly string[]> =>
      ((await writer.find(persistentVolumeClaims, claim))?.metadata.ownerReferences ?? []).map(
        ({ kind }) => kind,
      );
    const owned = (claim: Ref, kind: string): Promise<void> =>
      eventually(
        `claim ${keyOf(claim)} refers to its ${kind}, under ${whenDeleted} and ${whenScaled}`,
        async () => (await controllersOf(claim)).join() === kind,
        around,
      );
    const expectKept = async (claim: Ref, uid: string | undefined): Promise<void> => {
      const found = await writer.find(persistentVolumeClaims, claim);
      if (found?.metadata.uid !== uid || found === undefined || isTerminating(found)) {
        accuse(`claim ${keyOf(claim)} was to be kept, under ${whenDeleted} and ${whenScaled}`);
      }
    };

    await writer.create(() =>
      client.create(statefulSets, ref.namespace, setBody(ref.name, whenDeleted, whenScaled)),
    );
    const owner = (await writer.find(statefulSets, set))?.metadata.uid ?? '';
    for (const [ordinal, claim] of claims.entries()) {
      await createClaim(claim, around, false);
      await writer.create(() =>
        client.create(pods, ref.namespace, podOfSet(podRefs[ordinal] ?? ref, claim, ref.name, owner)),
      );
    }
    const uids = [await writer.uidOf(claims[0]), await writer.uidOf(claims[1])];
    // The plugin that would protect the claim from the start is off; what happens before pvc-protection has
    // seen the claim is not held against it.
    await eventually(
      `claim ${keyOf(claims[0])} is protected`,
      async () =>
        (await writer.find(persistentVolumeClaims, claims[0]))?.metadata.finalizers?.includes(
          finalizers.pvcProtection,
        ) === true,
      around,
    );
    if (whenDeleted === 'Delete') {
      await owned(claims[0], 'StatefulSet');
      await owned(claims[1], 'StatefulSet');
    }

    await writer.patch(() =>
      client.patch(statefulSets, set, [{ op: 'replace', path: '/spec/replicas', value: 1 }]),
    );
    if (whenScaled === 'Delete') {
      await owned(claims[1], 'Pod');
      await deletePod(podRefs[1], around);
      await untilGone(claims[1], around);
    } else {
      await deletePod(podRefs[1], around);
    }
    await expectKept(claims[0], uids[0]);

    await writer.delete(() => client.delete(statefulSets, set, { propagationPolicy: 'Background' }));
    if (whenDeleted === 'Delete') {
      await expectHeld(claims[0], uids[0], around);
      await deletePod(podRefs[0], around);
      await untilGone(claims[0], around);
    } else {
      await deletePod(podRefs[0], around);
      await expectKept(claims[0], uids[0]);
      await deleteClaim(claims[0], around);
    }
    if (whenScaled === 'Retain' && whenDeleted === 'Retain') {
      await expectKept(claims[1], uids[1]);
      await deleteClaim(claims[1], around);
    }
  };
}

type Storage = 'Delete' | 'Retain';

/**
 * A volume is bound, and its claim is deleted. The soak plays the binder.
 *
 * @param isDeletedFirst whether the volume is deleted before its claim, which KEP-2644 is about
 */
function volumeLife(policy: Storage, isDeletedFirst: boolean): HostileLife {
  return async (ref, around) => {
    const { client, writer, accuse, driver } = around;
    const volume = { name: `${ref.namespace}-${ref.name}` };
    const setPhase = (value: string): Promise<void> =>
      writer.patch(() =>
        client.patch(persistentVolumes, volume, [{ op: 'add', path: '/status/phase', value }], {
          subresource: 'status',
        }),
      );
    const deleteVolume = (): Promise<void> => writer.delete(() => client.delete(persistentVolumes, volume));

    await driver.addVolume(volume.name);
    await createClaim(ref, around, true);
    const uid = await writer.uidOf(ref);
    await writer.create(() =>
      client.create(
        persistentVolumes,
        undefined,
        volumeBody(volume.name, policy, driver.name, { ...ref, uid }),
      ),
    );
    await setPhase('Bound');
    if (policy === 'Delete') {
      await eventually(
        `volume ${volume.name} is held`,
        async () =>
          (await writer.find(persistentVolumes, volume))?.metadata.finalizers?.includes(
            finalizers.externalProvisioner,
          ) === true,
        around,
      );
    }
    if (isDeletedFirst) {
      await deleteVolume();
      if ((await writer.find(persistentVolumes, volume)) === undefined) {
        accuse(`volume ${volume.name} went before its claim`);
      }
    }
    if (!driver.hasVolume(volume.name)) {
      accuse(`the storage of volume ${volume.name} went before its claim`);
    }
    await deleteClaim(ref, around);
    await untilGone(ref, around);
    await setPhase('Released');
    if (policy === 'Delete') {
      await eventually(
        `volume ${volume.name} goes after its claim`,
        async () => (await writer.find(persistentVolumes, volume)) === undefined,
        around,
      );
      if (driver.hasVolume(volume.name)) {
        accuse(`volume ${volume.name} went, and its storage was left behind`);
      }
    } else {
      await deleteVolume();
      if (!driver.hasVolume(volume.name)) {
        accuse(`the storage of volume ${volume.name} went in spite of Retain`);
      }
    }
  };
}

/** The lives for the three apps other than pvc-protection. */
export const hostileLives: readonly HostileLife[] = [
  classGiven,
  setLife('Delete', 'Delete'),
  volumeLife('Delete', true),
  setLife('Delete', 'Retain'),
  volumeLife('Delete', false),
  setLife('Retain', 'Delete'),
  volumeLife('Retain', false),
  setLife('Retain', 'Retain'),
];

/**
 * Creates unreadable objects for some time, one of each kind that the apps watch (the proxy makes them
 * unreadable). A claim whose pod is unreadable must be kept for that time, and released afterwards.
 */
export async function poison(ref: Ref, milliseconds: number, around: HostileSurroundings): Promise<void> {
  const { client, writer, signal, driver } = around;
  const odd = { ...ref, name: `${poisonMark}${ref.name}` };
  const volume = { name: odd.name };
  await createClaim(ref, around, true);
  const uid = await writer.uidOf(ref);
  await writer.create(() => client.create(pods, ref.namespace, podBody(odd.name, ref)));
  await createClaim(odd, { ...around, storageClassName: 'none' }, false);
  await writer.create(() =>
    client.create(statefulSets, ref.namespace, setBody(odd.name, 'Delete', 'Delete')),
  );
  await driver.addVolume(volume.name);
  await writer.create(() =>
    client.create(
      persistentVolumes,
      undefined,
      volumeBody(volume.name, 'Delete', driver.name, { ...odd, uid: 'of-a-claim-that-is-gone' }),
    ),
  );
  await writer.patch(() =>
    client.patch(persistentVolumes, volume, [{ op: 'add', path: '/status/phase', value: 'Released' }], {
      subresource: 'status',
    }),
  );
  await deleteClaim(ref, around);
  await pause(milliseconds, undefined, { signal });
  await expectHeld(ref, uid, around);
  if (!driver.hasVolume(volume.name)) {
    around.accuse(`the storage of volume ${volume.name}, which can't be read, was deleted`);
  }
  await writer.delete(() => client.delete(persistentVolumes, volume));
  await writer.delete(() => client.delete(statefulSets, odd));
  await deleteClaim(odd, around);
  await deletePod(odd, around);
  await untilGone(ref, around);
}

function setBody(name: string, whenDeleted: Policy, whenScaled: Policy): object {
  const labels = { app: name };
  return {
    metadata: { name },
    spec: {
      replicas: 2,
      serviceName: name,
      persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled },
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: 'main', image: 'registry.example.com/soak:1' }] },
      },
      volumeClaimTemplates: [
        {
          ...claimBody('data', { isProtected: false, storageClassName: 'none' }),
        },
      ],
    },
  };
}

function podOfSet(pod: Ref, claim: Ref, set: string, uid: string): object {
  const { metadata, spec } = podBody(pod.name, claim) as { readonly metadata: object; readonly spec: object };
  const owner = { apiVersion: apiVersionOf(statefulSets), kind: 'StatefulSet', name: set, uid };
  return {
    metadata: {
      ...metadata,
      labels: { app: set, 'statefulset.kubernetes.io/pod-name': pod.name },
      ownerReferences: [{ ...owner, controller: true, blockOwnerDeletion: true }],
    },
    spec,
  };
}

function volumeBody(
  name: string,
  policy: Storage,
  driver: string,
  claim: Ref & { readonly uid: string | undefined },
): object {
  return {
    metadata: { name, annotations: { 'pv.kubernetes.io/provisioned-by': driver } },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: policy,
      storageClassName: 'none',
      csi: { driver, volumeHandle: name },
      claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', ...claim },
    },
  };
}

/** Whether the apps still have to delete the volume: it is released and still exists. */
export function isOwedDeletion(volume: {
  readonly spec?: { readonly persistentVolumeReclaimPolicy?: string };
  readonly status?: { readonly phase?: string };
}): boolean {
  return volume.status?.phase === 'Released' && volume.spec?.persistentVolumeReclaimPolicy === 'Delete';
}
