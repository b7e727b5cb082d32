import { describe, expect, test } from '@jest/globals';
import { ApiError, UnreadableObject, type ApiClient } from '@holdfast/runtime';
import { cachedBoundElsewhere, claimsByVolume, findBoundElsewhere } from '../src/observe/bound-elsewhere.ts';
import { createLiveNeed, findClaim } from '../src/observe/live-need.ts';
import { needsStorage } from '../src/observe/needs-storage.ts';
import type { UndoFacts } from '../src/decide/snapshot.ts';
import { slimClaim } from '../src/slim.ts';
import { boundClaim, noClaims, noUndoWindows, volume, type VolumeShape } from './objects.ts';

const undo: UndoFacts = {
  enabled: true,
  grace: 60_000,
  askedBack: false,
  now: 0,
  serverNow: 0,
  noneOverBefore: undefined,
};
const meant = { policy: 'Retain', annotations: { 'holdfast.dev/reclaim-policy': 'Delete' } } as const;
const over = {
  'holdfast.dev/delete-after': '1970-01-01T00:00:00Z',
  'holdfast.dev/delete-after-uid': 'uid-of-pv',
  'holdfast.dev/delete-after-claim-uid': 'c',
};

test.each<{ name: string; shape: VolumeShape; claimUid?: string; undo?: UndoFacts; is: boolean }>([
  { name: 'policy Delete, its claim is gone', shape: { claimUid: 'c' }, is: false },
  { name: 'policy Delete, another claim has the name', shape: { claimUid: 'c' }, claimUid: 'd', is: false },
  { name: 'policy Delete, its claim lives', shape: { claimUid: 'c' }, claimUid: 'c', is: true },
  { name: 'policy Delete, no claim has had it', shape: {}, is: true },
  { name: 'policy Delete, its claimRef has no UID', shape: { claimUid: null }, claimUid: 'c', is: true },
  { name: 'policy Retain', shape: { claimUid: 'c', policy: 'Retain' }, is: true },
  { name: 'Delete is meant, its window is not over', shape: { claimUid: 'c', ...meant }, undo, is: true },
  {
    name: 'Delete is meant, its window is over',
    shape: { claimUid: 'c', ...meant, annotations: { ...meant.annotations, ...over } },
    undo,
    is: false,
  },
])('$name -> needs its storage: $is', ({ shape, claimUid, undo: facts, is }) => {
  expect(needsStorage(volume(shape), claimUid === undefined ? undefined : claim(claimUid), facts)).toBe(is);
});

test.each([
  { what: 'is bound to it', found: boundClaim('d', 'pv'), is: true },
  { what: 'is bound to another volume', found: boundClaim('d', 'other'), is: false },
  {
    what: 'only asks for it',
    found: { ...boundClaim('d', 'pv'), metadata: { ...boundClaim('d', 'pv').metadata, annotations: {} } },
    is: false,
  },
])(
  'policy Delete, the claim of that name has another UID and $what -> needs its storage: $is',
  ({ found, is }) => {
    expect(needsStorage(volume({ claimUid: 'c' }), found, undefined)).toBe(is);
    expect(needsStorage(volume({ claimUid: 'c' }), slimClaim.fromJson(found), undefined)).toBe(is);
  },
);

const signal = new AbortController().signal;
const answering = (answer: () => unknown) =>
  ({ get: () => Promise.resolve().then(answer) }) as unknown as Pick<ApiClient, 'get'>;
const only = (client: Pick<ApiClient, 'get'>) => ({ client, claims: noClaims });
const claim = (uid: string) => ({ metadata: { namespace: 'ns', name: 'data', uid, resourceVersion: '5' } });
const none = (): never => {
  throw new ApiError('GET /data', 404, { reason: 'NotFound' });
};

test.each<{ name: string; answer: () => unknown; shape?: VolumeShape; attached?: string[]; is: boolean }>([
  { name: 'its claim is gone, attached nowhere', answer: none, is: false },
  { name: 'its claim is gone, attached', answer: none, attached: ['n1'], is: true },
  { name: 'its claim lives', answer: () => claim('c'), is: true },
  { name: 'another claim has the name', answer: () => claim('d'), is: false },
  { name: 'policy Retain', answer: none, shape: { policy: 'Retain' }, is: true },
])('by the API server: $name -> needs its storage: $is', async ({ answer, shape, attached = [], is }) => {
  const of = volume({ claimUid: 'c', ...shape });
  const needs = createLiveNeed({
    claims: noClaims,
    client: answering(answer),
    nodesOf: (volumes) => Promise.resolve(volumes.length === 1 && volumes[0] === of ? attached : ['other']),
    undoWindows: noUndoWindows,
  })();
  expect(await needs(of, signal)).toBe(is);
});

describe('a claim of another name is bound to it by the cache', () => {
  const bound = boundClaim('f', 'pv');
  const first = { ...bound, metadata: { ...bound.metadata, name: 'first' } };
  const claims = {
    byIndex: (index: string, value: string) =>
      index === 'boundTo' && claimsByVolume.boundTo(first).includes(value)
        ? [boundClaim('e', 'pv'), first]
        : [],
  };

  test.each([
    { there: 'it', live: first, is: true },
    {
      there: 'one that is bound to another volume',
      live: { ...first, spec: { volumeName: 'x' } },
      is: false,
    },
    { there: 'none', live: undefined, is: false },
  ])('the API server has $there -> needs its storage: $is', async ({ live, is }) => {
    const client = {
      get: (_: unknown, { name }: { readonly name: string }) =>
        Promise.resolve().then(() => (name === 'first' ? (live ?? none()) : none())),
    } as unknown as Pick<ApiClient, 'get'>;
    const needs = createLiveNeed({
      ...{ client, claims, undoWindows: noUndoWindows },
      nodesOf: () => Promise.resolve([]),
    });
    expect(await needs()(volume({ claimUid: 'c' }), signal)).toBe(is);
    expect(await findBoundElsewhere({ client, claims }, volume({ claimUid: 'c' }), { signal })).toBe(
      is ? 'ns/first' : undefined,
    );
  });

  test('the claim that claimRef names -> is not another', () => {
    expect(cachedBoundElsewhere(claims, volume({ claimUid: 'c' }))).toBe('ns/first');
    const own = { byIndex: () => [boundClaim('e', 'pv')] };
    expect(cachedBoundElsewhere(own, volume({ claimUid: 'c' }))).toBeUndefined();
    expect(cachedBoundElsewhere(own, { ...volume(), spec: {} })).toBe('ns/data');
  });

  test('thousands of claims say so -> two are read, since each of their changes asks', () => {
    const limits: (number | undefined)[] = [];
    const thousands = {
      byIndex: (_index: string, _value: string, limit?: number) => {
        limits.push(limit);
        return [boundClaim('e', 'pv'), first];
      },
    };
    expect(cachedBoundElsewhere(thousands, volume({ claimUid: 'c' }))).toBe('ns/first');
    expect(limits).toEqual([2]);
  });

  test('a claim that only asks for the volume -> is not found by it', () => {
    const asking = { ...first, metadata: { ...first.metadata, annotations: {} } };
    expect(claimsByVolume.boundTo(asking)).toStrictEqual([]);
    expect(claimsByVolume.boundTo(first)).toEqual(['pv']);
  });
});

test('undo window, by the API server -> asked with the claim that has the name', async () => {
  const asked: unknown[] = [];
  const needs = createLiveNeed({
    claims: noClaims,
    client: answering(() => claim('d')),
    nodesOf: () => Promise.resolve([]),
    undoWindows: {
      openLook: () => ({
        facts: (_volume, found) => {
          asked.push(found?.metadata.uid);
          return Promise.resolve(undo);
        },
        confirmed: (_volume, facts) => Promise.resolve(facts),
      }),
    },
  })();
  expect(await needs(volume({ claimUid: 'c' }), signal)).toBe(true);
  expect(asked).toEqual(['d']);
});

test('volume that names no claim -> none, and nothing is asked', async () => {
  expect(await findClaim(only(answering(none)), volume(), { signal })).toBeUndefined();
  const broken = answering(() => {
    throw new Error('not to be asked');
  });
  expect(await findClaim(only(broken), { ...volume(), spec: {} }, { signal })).toBeUndefined();
});

test.each([
  { lacks: 'name', what: 'the UID of a claim', claimRef: { namespace: 'ns', uid: 'c' }, isThrown: true },
  { lacks: 'name', what: 'an empty UID', claimRef: { namespace: 'ns', uid: '' }, isThrown: false },
  { lacks: 'namespace', what: 'the UID of a claim', claimRef: { name: 'data', uid: 'c' }, isThrown: true },
  { lacks: 'namespace', what: 'an empty UID', claimRef: { name: 'data', uid: '' }, isThrown: false },
])(
  'claimRef with $what and no $lacks -> thrown, since whether the claim is there is not known: $isThrown',
  async ({ lacks, claimRef, isThrown }) => {
    const asked = answering(() => {
      throw new Error('not to be asked');
    });
    const found = findClaim(only(asked), { ...volume(), spec: { claimRef } }, { signal });
    await (isThrown
      ? expect(found).rejects.toThrow(
          `claimRef of volume "pv" has no ${lacks}: whether its claim is there is not known; set spec.claimRef.${lacks}`,
        )
      : expect(found).resolves.toBeUndefined());
  },
);

test('claim that can not be read -> thrown: that it is another is not known', async () => {
  const odd = answering(() => ({ metadata: { name: 'data', namespace: 'ns', resourceVersion: '5' } }));
  await expect(findClaim(only(odd), volume({ claimUid: 'c' }), { signal })).rejects.toThrow(UnreadableObject);
});

describe('claimRef with the UID of a claim, and the name of another', () => {
  const moved = { metadata: { namespace: 'bank', name: 'moved', uid: 'c', resourceVersion: '4' } };
  const claims = { byIndex: (_: string, uid: string) => (uid === 'c' ? [moved] : []) };

  test.each([
    { there: 'it', live: 'c', found: 'c' },
    { there: 'a later one', live: 'x', found: 'd' },
    { there: 'nothing', live: undefined, found: 'd' },
  ])('the API server has $there where the cache has the claim -> $found', async ({ live, found }) => {
    const client = {
      get: (_: unknown, { name }: { readonly name: string }) =>
        Promise.resolve().then(() =>
          name === 'data'
            ? claim('d')
            : live === undefined
              ? none()
              : { metadata: { ...moved.metadata, uid: live } },
        ),
    } as unknown as Pick<ApiClient, 'get'>;
    const result = await findClaim({ client, claims }, volume({ claimUid: 'c' }), { signal });
    expect(result?.metadata.uid).toBe(found);
  });
});
