import { beforeEach, describe, expect, test } from '@jest/globals';
import {
  persistentVolumeClaims,
  persistentVolumes,
  type ObjectKey,
  type PersistentVolume,
} from '@holdfast/core';
import { openLook, type ApiClient } from '@holdfast/runtime';
import { useSuiteStage } from '@holdfast/scenario';
import { startEmbeddedControlPlane } from '@holdfast/testing';
import { createLiveLook } from '../src/observe/live-look.ts';
import { createServerObserver } from '../src/observe/server.ts';
import type { UncachedVolume } from '../src/observe/uncached-volumes.ts';
import { noClaims, noUndoWindows } from './objects.ts';
import { openStage } from './stage.ts';

const stage = useSuiteStage({ startPlane: () => startEmbeddedControlPlane({ tls: false }), openStage });
let namespace: string;
let requests: number;
const signal = new AbortController().signal;

beforeEach(async () => {
  namespace = await stage().namespace();
  requests = 0;
});

interface Shape {
  readonly policy?: 'Delete' | 'Retain';
  readonly handle?: string;
  readonly claimUid?: string;
  readonly claimNamespace?: string;
}

/** A volume of this namespace's handle whose claim, `data` of this namespace, is gone, unless said otherwise. */
const createVolume = async (short: string, shape: Shape = {}): Promise<ObjectKey> => {
  const { policy = 'Delete', handle = namespace, claimUid = 'gone', claimNamespace = namespace } = shape;
  const name = `${namespace}-${short}`;
  await stage().client.create(persistentVolumes, undefined, {
    metadata: { name },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: policy,
      csi: { driver: 'csi.example.com', volumeHandle: handle },
      claimRef: { namespace: claimNamespace, name: 'data', uid: claimUid },
    },
  });
  return name;
};

/** What the API server has of volume `v`, where the cache knows these to overlap. */
const observe = async (
  overlapping: readonly ObjectKey[],
  namespaces: readonly string[] = [],
  uncached: readonly UncachedVolume[] = [],
) => {
  const client: Pick<ApiClient, 'get' | 'listPages'> = {
    get: (...args) => {
      requests += 1;
      return stage().client.get(...args);
    },
    listPages: (...args) => {
      requests += 1;
      return stage().client.listPages(...args);
    },
  };
  return createServerObserver({
    client,
    claims: noClaims,
    lookAt: createLiveLook(client, noClaims, () => (namespaces.length === 0 ? [undefined] : namespaces)),
    nodesOf: () => Promise.resolve([]),
    overlapping: () => overlapping,
    uncached: () => Promise.resolve(uncached),
    undoWindows: noUndoWindows,
  })(`${namespace}-v`, { look: openLook(), signal });
};

const several = (count: number, shape: (at: number) => Shape = () => ({})): Promise<readonly ObjectKey[]> =>
  Promise.all(Array.from({ length: count }, (_, at) => createVolume(`other-${String(at)}`, shape(at))));

describe.each([
  ['few', 4],
  ['many', 60],
])('%s volumes over the storage', (_what, count) => {
  test('none of them needs it -> none is named', async () => {
    await createVolume('v');
    expect(await observe(await several(count))).toMatchObject({ sharedWith: [] });
    expect(requests).toBeLessThan(12);
  });

  test('one of them has got policy Retain, which the cache does not know yet -> it is named', async () => {
    await createVolume('v');
    const others = await several(count, (at) => (at === 2 ? { policy: 'Retain' } : {}));
    expect(await observe(others)).toMatchObject({ sharedWith: [`${namespace}-other-2`] });
  });

  test('the claim of one of them lives, which the cache does not know yet -> it is named', async () => {
    await createVolume('v');
    const claim = await stage().client.create(persistentVolumeClaims, namespace, {
      metadata: { name: 'data' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    });
    const others = await several(count, (at) => (at === 1 ? { claimUid: claim.metadata.uid } : {}));
    expect(await observe(others)).toMatchObject({ sharedWith: [`${namespace}-other-1`] });
  });

  test('one of them has come to a claim that lives outside --namespaces, which the cache does not know yet -> it is named', async () => {
    const claimNamespace = await stage().namespace();
    await createVolume('v');
    const claim = await stage().client.create(persistentVolumeClaims, claimNamespace, {
      metadata: { name: 'data' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    });
    const others = await several(count, (at) =>
      at === 3 ? { claimUid: claim.metadata.uid, claimNamespace } : {},
    );
    expect(await observe(others, [namespace])).toMatchObject({ sharedWith: [`${namespace}-other-3`] });
  });

  test('one of them is gone, and its name taken by a volume over other storage -> not named', async () => {
    await createVolume('v');
    const others = await several(count, (at) =>
      at === 0 ? { policy: 'Retain', handle: `${namespace}-elsewhere` } : {},
    );
    expect(await observe([...others, `${namespace}-gone`])).toMatchObject({ sharedWith: [] });
  });
});

test('P5: the first of several needs it -> the others are not asked for', async () => {
  await createVolume('v');
  const others = await several(20, () => ({ policy: 'Retain' }));
  expect(await observe(others)).toMatchObject({ sharedWith: [others[0]] });
  // The volume and its claim, the other and its claim.
  expect(requests).toBe(4);
});

test('volume over the storage that the cache does not have needs it -> it is named', async () => {
  await createVolume('v');
  const [kept = ''] = await several(1, () => ({ policy: 'Retain' }));
  expect(await observe([], [], [{ key: kept, listed: undefined }])).toMatchObject({ sharedWith: [kept] });
});

describe('volume over the storage that the cache does not have, and that is not to be had by its name', () => {
  const listed = (policy: string, claimRef: object) =>
    ({
      metadata: { name: 'odd', uid: 'u', resourceVersion: '1' },
      spec: {
        persistentVolumeReclaimPolicy: policy,
        csi: { driver: 'csi.example.com', volumeHandle: namespace },
        claimRef,
      },
    }) as unknown as PersistentVolume;
  const gone = { namespace: 'none', name: 'data', uid: 'gone' };

  test('Issue 19: listed as one that needs it -> it is named', async () => {
    await createVolume('v');
    const uncached = [{ key: 'odd', listed: listed('Retain', gone) }];
    expect(await observe([], [], uncached)).toMatchObject({ sharedWith: ['odd'] });
  });

  test('Issue 19: listed as one that can not be read -> it is in the way', async () => {
    await createVolume('v');
    const uncached = [{ key: 'odd', listed: listed('Delete', { ...gone, uid: true }) }];
    expect(await observe([], [], uncached)).toMatchObject({ unreadable: { name: 'odd' } });
  });

  test('listed as one that does not need it, or dropped by the cache -> none is named', async () => {
    await createVolume('v');
    const uncached = [
      { key: 'odd', listed: listed('Delete', gone) },
      { key: 'dropped', listed: undefined },
    ];
    const seen = await observe([], [], uncached);
    expect(seen.unreadable).toBeUndefined();
    expect(seen.sharedWith).toStrictEqual([]);
  });
});
