import { describe, expect, test } from '@jest/globals';
import {
  keyOf,
  type KubernetesObject,
  type ObjectRef,
  type PersistentVolume,
  type PersistentVolumeClaim,
} from '@holdfast/core';
import { ApiError, openLook } from '@holdfast/runtime';
import { boundVolumeOf } from '../src/observe/bound-claim.ts';
import { createCacheObserver } from '../src/observe/cache.ts';
import { createCachedNeed } from '../src/observe/cached-need.ts';
import { createLiveLook } from '../src/observe/live-look.ts';
import { createServerObserver } from '../src/observe/server.ts';
import { boundClaim, noUndoWindows, volume } from './objects.ts';

/** Volumes over one storage, the claim that is there, and the volumes that are attached. */
interface Facts {
  readonly volumes: readonly PersistentVolume[];
  /** UID of the claim `ns/data`, at which all volumes of the builder point. */
  readonly claimUid?: string;
  /** The volume to which that claim is bound. Default: it says that of none. */
  readonly boundTo?: string;
  /** The volume to which claim `ns/first` says that it is bound, by the cache. Default: there is no such claim. */
  readonly firstBoundTo?: string;
  /** The same on the API server. Default: as by the cache. */
  readonly firstBoundLive?: string | undefined;
  /** A namespace whose claims are still to be listed. Default: there is none. */
  readonly unlisted?: string;
  readonly attached?: readonly string[];
  readonly hasClaimsOf?: (namespace: string) => boolean;
}

const nameOf = ({ metadata }: PersistentVolume): string => metadata.name;
const others = ({ volumes }: Facts, of: PersistentVolume): readonly PersistentVolume[] =>
  volumes.filter((each) => nameOf(each) !== nameOf(of));
const claim = (uid: string, boundTo = '') => boundClaim(uid, boundTo);
const first = (boundTo: string): PersistentVolumeClaim => {
  const bound = boundClaim('f', boundTo);
  return { ...bound, metadata: { ...bound.metadata, name: 'first' } };
};
/** An index of the cache, of claim `ns/data` and `ns/first`. */
const index =
  ({ claimUid, boundTo, firstBoundTo }: Facts) =>
  (name: string, value: string) =>
    [
      ...(claimUid === undefined ? [] : [claim(claimUid, boundTo)]),
      ...(firstBoundTo === undefined ? [] : [first(firstBoundTo)]),
    ].filter((each) => value === (name === 'uid' ? each.metadata.uid : boundVolumeOf(each)));

function inCache(facts: Facts) {
  const { claimUid, boundTo, attached = [], hasClaimsOf = () => true } = facts;
  const cache = {
    claims: {
      get: (key: string) =>
        key === 'ns/data' && claimUid !== undefined ? claim(claimUid, boundTo) : undefined,
      byIndex: index(facts),
    },
    nodesOf: ({ metadata }: PersistentVolume) => (attached.includes(metadata.name) ? ['node-1'] : []),
  };
  const { might: needsStorage } = createCachedNeed({ ...cache, hasClaimsOf, undoWindows: noUndoWindows });
  return createCacheObserver({
    ...cache,
    neededBy: (of) => others(facts, of).filter(needsStorage).map(nameOf),
    undoWindows: noUndoWindows,
    unlisted: () => facts.unlisted,
  });
}

/** @param cached the volumes by the cache, where it knows others than the API server. */
function onServer(facts: Facts, cached: Facts = facts) {
  const { volumes, claimUid, boundTo, attached = [] } = facts;
  const { firstBoundTo, firstBoundLive = firstBoundTo } = facts;
  const asked: string[] = [];
  const claims = { byIndex: index({ volumes, ...(firstBoundTo === undefined ? {} : { firstBoundTo }) }) };
  const client = {
    get: async <T extends KubernetesObject>({ kind }: { readonly kind: string }, ref: ObjectRef) => {
      asked.push(`${kind} ${keyOf(ref)}`);
      await Promise.resolve();
      const found =
        kind === 'PersistentVolume'
          ? volumes.find((each) => nameOf(each) === ref.name)
          : ref.name === 'first'
            ? firstBoundLive && first(firstBoundLive)
            : claimUid === undefined
              ? undefined
              : claim(claimUid, boundTo);
      if (found === undefined) {
        throw new ApiError(`GET ${ref.name}`, 404, { reason: 'NotFound' });
      }
      return found as unknown as T;
    },
    listPages: () => {
      throw new Error('for so few volumes nothing is listed');
    },
  };
  const observe = createServerObserver({
    client,
    claims,
    lookAt: createLiveLook(client, claims, () => [undefined]),
    nodesOf: async (volumes) => {
      const names = volumes.map(nameOf);
      asked.push(`attachments of ${names.join()}`);
      await Promise.resolve();
      return names.filter((name) => attached.includes(name)).map(() => 'node-1');
    },
    overlapping: (of) => others(cached, of).map(nameOf),
    uncached: () => Promise.resolve([]),
    undoWindows: noUndoWindows,
  });
  return {
    asked,
    observe: (name: string, signal = new AbortController().signal) =>
      observe(name, { look: openLook(), signal }),
  };
}

const v = volume({ name: 'v', claimUid: 'c', phase: 'Released' });
/** Another volume over the storage of `v`. */
const twin = (shape: Parameters<typeof volume>[0] = {}) =>
  volume({ name: 'twin', claimUid: 'd', phase: 'Released', ...shape });

describe.each<{ name: string; twin: PersistentVolume; facts?: Omit<Facts, 'volumes'>; keeps: boolean }>([
  { name: 'released', twin: twin(), keeps: false },
  { name: 'released, another claim has the name', twin: twin(), facts: { claimUid: 'x' }, keeps: false },
  { name: 'its claim lives', twin: twin(), facts: { claimUid: 'd' }, keeps: true },
  {
    name: 'a claim of that name is bound to it',
    twin: twin(),
    facts: { claimUid: 'x', boundTo: 'twin' },
    keeps: true,
  },
  {
    name: 'a claim of another name is bound to it',
    twin: twin(),
    facts: { firstBoundTo: 'twin' },
    keeps: true,
  },
  { name: 'never bound', twin: volume({ name: 'twin', phase: 'Available' }), keeps: true },
  { name: 'reserved for a claim by name only', twin: twin({ claimUid: null }), keeps: true },
  { name: 'policy Retain', twin: twin({ policy: 'Retain' }), keeps: true },
])('another volume over the same storage: $name', ({ twin: other, facts = {}, keeps }) => {
  const sharedWith = keeps ? ['twin'] : [];

  test(`in the cache -> keeps the storage: ${String(keeps)}`, () => {
    expect(inCache({ volumes: [v, other], ...facts })(v)).toMatchObject({ source: 'cache', sharedWith });
  });

  test(`on the API server -> keeps the storage: ${String(keeps)}`, async () => {
    const { observe } = onServer({ volumes: [v, other], ...facts });
    expect(await observe('v')).toMatchObject({ source: 'server', sharedWith });
  });
});

test('claim of that name, with another UID, is bound -> seen in the cache and on the API server', async () => {
  const facts: Facts = { volumes: [v], claimUid: 'd', boundTo: 'v' };
  expect(inCache(facts)(v)).toMatchObject({ claimUid: 'd', claimBound: true });
  expect(await onServer(facts).observe('v')).toMatchObject({ claimUid: 'd', claimBound: true });
});

describe('a claim of another name says that it is bound to the volume', () => {
  const facts: Facts = { volumes: [v], firstBoundTo: 'v' };

  test('by the cache and the API server -> seen by both', async () => {
    expect(inCache(facts)(v)).toMatchObject({ claimBound: false, boundElsewhere: 'ns/first' });
    expect(await onServer(facts).observe('v')).toMatchObject({
      claimBound: false,
      boundElsewhere: 'ns/first',
    });
  });

  test('by the cache alone -> not bound on the API server', async () => {
    const { observe } = onServer({ ...facts, firstBoundLive: 'other' });
    expect((await observe('v')).boundElsewhere).toBeUndefined();
  });

  test('to another volume -> not bound to this one, and not asked for', async () => {
    const other: Facts = { volumes: [v], firstBoundTo: 'other' };
    expect(inCache(other)(v).boundElsewhere).toBeUndefined();
    const { observe, asked } = onServer(other);
    expect((await observe('v')).boundElsewhere).toBeUndefined();
    expect(asked).not.toContain('PersistentVolumeClaim ns/first');
  });
});

describe('cache', () => {
  test('volume -> its claim by namespace and name, and its nodes', () => {
    const observe = inCache({ volumes: [v], claimUid: 'c', attached: ['v'] });
    expect(observe(v)).toEqual({
      source: 'cache',
      volume: v,
      claimUid: 'c',
      claimBound: false,
      attachedTo: ['node-1'],
      sharedWith: [],
      freeOver: [],
    });
  });

  test('claimRef has the UID of the claim and another name -> its claim', () => {
    const renamed = { ...v, spec: { ...v.spec, claimRef: { namespace: 'ns', name: 'other', uid: 'c' } } };
    expect(inCache({ volumes: [renamed], claimUid: 'c' })(renamed).claimUid).toBe('c');
    expect(inCache({ volumes: [renamed], claimUid: 'd' })(renamed).claimUid).toBeUndefined();
  });

  test('no volume -> nothing of what it depends on', () => {
    expect(inCache({ volumes: [v], claimUid: 'c' })(undefined)).toMatchObject({
      volume: undefined,
      claimUid: undefined,
    });
  });

  test('another volume over the same storage is attached -> keeps it', () => {
    const observe = inCache({ volumes: [v, twin()], attached: ['twin'] });
    expect(observe(v).sharedWith).toEqual(['twin']);
  });

  test('claims of the other volume are not cached -> keeps it', () => {
    const observe = inCache({ volumes: [v, twin()], hasClaimsOf: (namespace) => namespace !== 'ns' });
    expect(observe(v).sharedWith).toEqual(['twin']);
  });
});

describe('API server', () => {
  test('asks for the volume, its claim, the same of those that share its storage, and the attachments last', async () => {
    const { asked, observe } = onServer({ volumes: [v, twin()], attached: ['twin'] });
    expect(await observe('v')).toEqual({
      source: 'server',
      volume: v,
      claimUid: undefined,
      claimBound: false,
      attachedTo: ['node-1'],
      sharedWith: [],
      freeOver: [twin()],
    });
    expect(asked).toEqual([
      'PersistentVolume v',
      'PersistentVolumeClaim ns/data',
      'PersistentVolume twin',
      'PersistentVolumeClaim ns/data',
      'attachments of v,twin',
    ]);
  });

  test('volume is gone -> nothing else is asked for', async () => {
    const { asked, observe } = onServer({ volumes: [], claimUid: 'c' });
    expect(await observe('v')).toMatchObject({ volume: undefined, claimUid: undefined });
    expect(asked).toEqual(['PersistentVolume v']);
  });

  test('the cache has another volume over the same storage, the API server no more -> does not keep it', async () => {
    const { observe } = onServer({ volumes: [v] }, { volumes: [v, twin({ policy: 'Retain' })] });
    expect((await observe('v')).sharedWith).toStrictEqual([]);
  });

  test('aborted while the attachments are listed -> throws the reason, whatever was seen', async () => {
    const stop = new AbortController();
    const { observe } = onServer({ volumes: [v] });
    const observation = observe('v', stop.signal);
    stop.abort(new Error('lease lost'));
    await expect(observation).rejects.toThrow('lease lost');
  });
});
