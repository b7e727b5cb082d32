import { beforeEach, describe, expect, test } from '@jest/globals';
import {
  leases,
  persistentVolumeClaims,
  persistentVolumes,
  type ObjectKey,
  type PersistentVolume,
} from '@holdfast/core';
import { openLook, type ApiClient } from '@holdfast/runtime';
import { useSuiteStage } from '@holdfast/scenario';
import { startEmbeddedControlPlane } from '@holdfast/testing';
import { createLiveLook } from '../src/observe/live-look.ts';
import { createLiveNeed } from '../src/observe/live-need.ts';
import { createServerObserver } from '../src/observe/server.ts';
import type { UncachedVolume } from '../src/observe/uncached-volumes.ts';
import { createUndoWindows, type UndoWindows } from '../src/undo/undo-windows.ts';
import { noClaims, noUndoWindows } from './objects.ts';
import { openStage } from './stage.ts';

const stage = useSuiteStage({ startPlane: () => startEmbeddedControlPlane({ tls: false }), openStage });
let namespace: string;
let requests: number;
let asked: string[];
const signal = new AbortController().signal;

beforeEach(async () => {
  namespace = await stage().namespace();
  requests = 0;
  asked = [];
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

/** Notes what it is asked for. */
const client: Pick<ApiClient, 'get' | 'listPages'> = {
  get: (...args) => {
    requests += 1;
    asked.push(args[0].plural);
    return stage().client.get(...args);
  },
  listPages: (...args) => {
    requests += 1;
    asked.push(args[0].plural);
    return stage().client.listPages(...args);
  },
};

/** What the API server has of volume `v`, where the cache knows these to overlap. */
const observe = async (
  overlapping: readonly ObjectKey[],
  namespaces: readonly string[] = [],
  uncached: readonly UncachedVolume[] = [],
  undoWindows: Pick<UndoWindows, 'openLook'> = noUndoWindows,
) => {
  return createServerObserver({
    client,
    claims: noClaims,
    lookAt: createLiveLook(client, noClaims, () => (namespaces.length === 0 ? [undefined] : namespaces)),
    nodesOf: () => Promise.resolve([]),
    overlapping: () => overlapping,
    uncached: () => Promise.resolve(uncached),
    undoWindows,
  })(`${namespace}-v`, { look: openLook(), signal });
};

const several = (count: number, shape: (at: number) => Shape = () => ({})): Promise<readonly ObjectKey[]> =>
  Promise.all(Array.from({ length: count }, (_, at) => createVolume(`other-${String(at)}`, shape(at))));

/**
 * Undo windows where the lease, which is asked for a time, says that none is over before then; undefined: that each
 * ends at its own time.
 */
const windowsUntil = (noneOverBefore: number | undefined): UndoWindows =>
  createUndoWindows({
    enabled: true,
    client,
    classes: { get: () => undefined },
    now: () => new Date(),
    serverTime: () => new Date(),
    tenure: {
      nothingDueBefore: () => undefined,
      askNothingDueBefore: async () => {
        await client.listPages(leases, { namespace }).next();
        return noneOverBefore;
      },
    },
    onLiveRequest: () => undefined,
  });

/** Gives volumes a mark whose time has passed. */
const mark = async (names: readonly ObjectKey[]): Promise<readonly PersistentVolume[]> =>
  Promise.all(
    names.map(async (name) => {
      const { metadata } = await stage().client.get(persistentVolumes, { name });
      const annotations = {
        'holdfast.dev/delete-after': '2020-01-01T00:00:00Z',
        'holdfast.dev/delete-after-uid': metadata.uid,
        'holdfast.dev/delete-after-claim-uid': 'gone',
      };
      return stage().client.patch(persistentVolumes, { name }, [
        { op: 'add', path: '/metadata/annotations', value: annotations },
      ]);
    }),
  );

describe.each([
  ['few', 4],
  ['many', 60],
])('%s volumes over the storage', (_what, count) => {
  const later = Date.now() + 3_600_000;

  test('R1: their undo windows are over -> the lease is read once, after the last of them', async () => {
    await mark([await createVolume('v')]);
    const others = await several(count);
    await mark(others);
    expect(await observe(others, [], [], windowsUntil(undefined))).toMatchObject({
      sharedWith: [],
      undo: { noneOverBefore: undefined },
    });
    expect(asked.filter((each) => each === 'leases')).toHaveLength(1);
    expect(asked.slice(asked.indexOf('leases'))).toEqual(['leases']);
  });

  test('R1: the lease says that the windows of others are not over -> one is named, and the own one is not over', async () => {
    await mark([await createVolume('v')]);
    const others = await several(count);
    const marked = others.slice(1, 2);
    await mark(marked);
    expect(await observe(others, [], [], windowsUntil(later))).toMatchObject({
      sharedWith: marked,
      undo: { noneOverBefore: later },
    });
  });

  test('R1: one needs the storage anyway -> the own window is over only if the lease says so', async () => {
    await mark([await createVolume('v')]);
    const others = await several(count, () => ({ policy: 'Retain' }));
    expect(await observe(others, [], [], windowsUntil(later))).toMatchObject({
      sharedWith: others.slice(0, 1),
      undo: { noneOverBefore: later },
    });
  });

  test('R1: undo windows of volumes that were read before are over -> the lease is read once for all', async () => {
    const volumes = await mark(await several(count));
    const needs = (until: number | undefined) =>
      createLiveNeed({
        client,
        claims: noClaims,
        nodesOf: () => Promise.resolve([]),
        undoWindows: windowsUntil(until),
      })();
    const needed = needs(undefined);
    for (const each of volumes) {
      expect(await needed(each, signal)).toBe(false);
    }
    expect(asked.filter((each) => each === 'leases')).toHaveLength(1);
    expect(await needs(later)(volumes[0] as PersistentVolume, signal)).toBe(true);
  });

  test('none of them needs it -> none is named', async () => {
    await createVolume('v');
    const others = await several(count);
    const { sharedWith, freeOver } = await observe(others);
    expect(sharedWith).toStrictEqual([]);
    expect(freeOver.map(({ metadata }) => metadata.name)).toEqual(others);
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

  test('claimRef of one of them has a UID and no namespace -> it is in the way, and the volume is seen', async () => {
    await createVolume('v');
    const others = await several(count, (at) => (at === 1 ? { claimNamespace: '' } : {}));
    expect(await observe(others)).toMatchObject({
      volume: { metadata: { name: `${namespace}-v` } },
      unreadable: { name: others[1], why: expect.stringContaining('set spec.claimRef.namespace') },
    });
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
