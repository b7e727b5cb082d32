import { describe, expect, test } from '@jest/globals';
import {
  persistentVolumes,
  storageClasses,
  type ObjectRef,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type StorageClass,
} from '@holdfast/core';
import { ApiError, type ApiClient, type Projected, type RequestOptions } from '@holdfast/runtime';
import { deletionBegunRecord } from '../src/decide/deletion-begun.ts';
import { createUndoWindows, type UndoWindowsOptions } from '../src/undo/undo-windows.ts';
import { volume } from './objects.ts';

const hour = 3_600_000;
const noon = new Date('2026-01-01T12:00:00Z');
const grace = 'holdfast.dev/reclaim-grace';
const signal = new AbortController().signal;

const storageClass = (value?: string): StorageClass => ({
  metadata: {
    name: 'gold',
    uid: 'uid-of-gold',
    resourceVersion: '3',
    ...(value === undefined ? {} : { annotations: { [grace]: value } }),
  },
  provisioner: 'csi.example.com',
});

const claim = ({ uid = 'new', volumeName = 'pv', deleted = false } = {}): PersistentVolumeClaim => ({
  metadata: {
    name: 'data',
    namespace: 'ns',
    uid,
    resourceVersion: '5',
    ...(deleted ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
  },
  spec: { volumeName },
});

/** The cache and the API server have a class each. */
function open({
  cached,
  live,
  ...options
}: { readonly cached?: StorageClass; readonly live?: StorageClass } & Partial<UndoWindowsOptions> = {}) {
  const asked: string[] = [];
  const seen: string[] = [];
  const windows = createUndoWindows({
    enabled: true,
    client: {
      get: (async (
        _resource: unknown,
        { name }: ObjectRef,
        request?: RequestOptions & Projected<StorageClass>,
      ) => {
        asked.push(name);
        // It ends with whoever asks.
        expect(request?.signal).toBe(signal);
        await Promise.resolve();
        if (live === undefined) {
          throw new ApiError('GET /gold', 404, { reason: 'NotFound' });
        }
        return request?.projection?.fromJson(live) ?? live;
      }) as ApiClient['get'],
    },
    classes: { get: (name) => (name === 'gold' ? cached : undefined) },
    now: () => noon,
    serverTime: () => new Date(noon.getTime() + 1),
    tenure: { nothingDueBefore: () => undefined, askNothingDueBefore: () => Promise.resolve(undefined) },
    onLiveRequest: (of, { kind }) => seen.push(`${of.metadata.name} ${kind}`),
    ...options,
  });
  return { windows, asked, seen };
}

const ofGold = (shape: Parameters<typeof volume>[0] = {}) => {
  const made = volume({ claimUid: 'old', ...shape });
  return { ...made, spec: { ...made.spec, storageClassName: 'gold' } };
};
const facts = {
  enabled: true,
  grace: hour,
  askedBack: false,
  now: noon.getTime(),
  serverNow: noon.getTime() + 1,
};

test('class asks for a window -> facts by the cache, and by the API server, each by its own class', async () => {
  const { windows, asked, seen } = open({ cached: storageClass('1h'), live: storageClass('2h') });
  expect(windows.request(ofGold())).toMatchObject({ kind: 'usable', duration: hour });
  expect(windows.cached(ofGold(), undefined)).toEqual(facts);
  const look = windows.openLook();
  expect(await look.facts(ofGold(), undefined, { signal })).toEqual({ ...facts, grace: 2 * hour });
  expect(await look.facts(ofGold({ name: 'other' }), undefined, { signal })).toMatchObject({
    grace: 2 * hour,
  });
  expect(asked).toEqual(['gold']);
  expect(seen).toEqual(['pv usable', 'other usable']);
  await windows.openLook().facts(ofGold(), undefined, { signal });
  expect(asked).toEqual(['gold', 'gold']);
});

test('class is in the cache only -> no window by the API server', async () => {
  const { windows } = open({ cached: storageClass('1h') });
  expect(await windows.openLook().facts(ofGold(), undefined, { signal })).toBeUndefined();
});

test.each<{ what: string; annotations: unknown }>([
  { what: 'are text', annotations: 'x' },
  { what: 'are a list', annotations: [] },
  { what: 'ask for a window by a number', annotations: { [grace]: 24 } },
])('annotations of the class $what -> whether there is a window is not known', async ({ annotations }) => {
  const { metadata, ...rest } = storageClass();
  const live = { ...rest, metadata: { ...metadata, annotations } } as unknown as StorageClass;
  const { windows } = open({ live });
  await expect(windows.openLook().facts(ofGold(), undefined, { signal })).rejects.toThrow('annotations');
});

test('volume without a class -> no class is looked at', async () => {
  const { windows, asked } = open({ classes: { get: () => storageClass('1h') }, live: storageClass('1h') });
  expect(windows.cached(volume(), undefined)).toBeUndefined();
  expect(await windows.openLook().facts(volume(), undefined, { signal })).toBeUndefined();
  expect(asked).toStrictEqual([]);
});

test.each([
  { name: 'no window, no mark', annotations: {}, expected: undefined },
  {
    name: 'no window, but a mark',
    annotations: { 'holdfast.dev/delete-after': '2026-01-01T13:00:00Z' },
    expected: { ...facts, grace: undefined },
  },
  { name: 'a window of its own', annotations: { [grace]: '1h' }, expected: facts },
  {
    name: 'a window that is none',
    annotations: { [grace]: 'soon' },
    expected: { ...facts, grace: 'unusable' },
  },
])('$name -> $expected', ({ annotations, expected }) => {
  expect(open().windows.cached(volume({ claimUid: 'old', annotations }), undefined)).toEqual(expected);
});

describe('R1: led again after nobody led for long', () => {
  const marked = ofGold({
    annotations: {
      'holdfast.dev/delete-after': '2026-01-01T10:00:00Z',
      'holdfast.dev/delete-after-uid': 'uid-of-pv',
      'holdfast.dev/delete-after-claim-uid': 'old',
    },
  });
  const later = noon.getTime() + hour;

  test('known since the last renewal -> no window is over before a time, by the cache and by the API server', async () => {
    const tenure = {
      nothingDueBefore: () => later,
      askNothingDueBefore: () => Promise.resolve(later),
    };
    const { windows } = open({ cached: storageClass('1h'), live: storageClass('1h'), tenure });
    const expected = { ...facts, noneOverBefore: later };
    expect(windows.cached(ofGold(), undefined)).toEqual(expected);
    expect(await windows.openLook().facts(ofGold(), undefined, { signal })).toEqual(expected);
    const look = windows.openLook();
    const known = await look.facts(marked, undefined, { signal });
    expect(known).toEqual(expected);
    expect(await look.confirmed(marked, known, { signal })).toEqual(expected);
  });

  test('several volumes of a look whose time has passed -> asked once; a volume without a window -> never', async () => {
    let asked = 0;
    const tenure = {
      nothingDueBefore: () => undefined,
      askNothingDueBefore: () => Promise.resolve((asked += 1)),
    };
    const { windows } = open({ live: storageClass('1h'), tenure });
    const look = windows.openLook();
    expect(await look.confirmed(volume(), undefined, { signal })).toBeUndefined();
    expect(asked).toBe(0);
    for (const each of [marked, { ...marked }]) {
      const known = await look.facts(each, undefined, { signal });
      expect(await look.confirmed(each, known, { signal })).toMatchObject({ noneOverBefore: 1 });
    }
    const other = windows.openLook();
    const known = await other.facts(marked, undefined, { signal });
    expect(await other.confirmed(marked, known, {})).toMatchObject({ noneOverBefore: 2 });
  });

  const terminating = {
    ...marked,
    metadata: { ...marked.metadata, deletionTimestamp: '2026-01-01T11:00:00Z' },
  };
  const due = (deleteAfter: string) => ({
    ...marked,
    metadata: {
      ...marked.metadata,
      annotations: { ...marked.metadata.annotations, 'holdfast.dev/delete-after': deleteAfter },
    },
  });

  test.each<{ name: string; of: PersistentVolume; asking?: PersistentVolumeClaim; isAsked: boolean }>([
    { name: 'its time has passed', of: marked, isAsked: true },
    { name: 'its time is now', of: due('2026-01-01T12:00:00.000Z'), isAsked: true },
    { name: 'its time has not passed', of: due('2026-01-01T12:00:00.001Z'), isAsked: false },
    { name: 'no mark', of: ofGold(), isAsked: false },
    {
      name: 'asked back, but it is being deleted, so that it can not be given back',
      of: terminating,
      asking: claim(),
      isAsked: true,
    },
    {
      name: 'asked back, but a deletion of its storage was begun',
      of: {
        ...marked,
        metadata: {
          ...marked.metadata,
          annotations: {
            ...marked.metadata.annotations,
            'holdfast.dev/deletion-begun': deletionBegunRecord(marked),
          },
        },
      },
      asking: claim(),
      isAsked: true,
    },
    {
      name: 'a claim asks for it back, and is not to wait for the lease',
      of: marked,
      asking: claim(),
      isAsked: false,
    },
  ])('not known yet to this process, $name -> asked: $isAsked', async ({ of, asking, isAsked }) => {
    const tenure = {
      nothingDueBefore: () => undefined,
      askNothingDueBefore: (given: AbortSignal) => {
        expect(given).toBe(signal);
        return Promise.resolve(later);
      },
    };
    const { windows } = open({ live: storageClass('1h'), tenure });
    const look = windows.openLook();
    const known = await look.facts(of, asking, { signal });
    expect(known).toMatchObject({ noneOverBefore: undefined });
    expect(await look.confirmed(of, known, { signal })).toMatchObject({
      noneOverBefore: isAsked ? later : undefined,
    });
  });
});

test('time of the API server is not known -> said so', () => {
  const { windows } = open({ cached: storageClass('1h'), serverTime: () => undefined });
  expect(windows.cached(ofGold(), undefined)).toEqual({ ...facts, serverNow: undefined });
});

test.each([
  { name: 'no claim of the name', asking: undefined, is: false },
  { name: 'a new claim that names the volume', asking: claim(), is: true },
  { name: 'the claim that it is bound to', asking: claim({ uid: 'old' }), is: false },
  { name: 'a new claim that names another volume', asking: claim({ volumeName: 'other' }), is: false },
  { name: 'a new claim that names no volume', asking: claim({ volumeName: '' }), is: false },
  { name: 'a new claim that is terminating', asking: claim({ deleted: true }), is: false },
])('$name -> asked back: $is', ({ asking, is }) => {
  const { windows } = open({ cached: storageClass('1h') });
  expect(windows.cached(ofGold(), asking)).toEqual({ ...facts, askedBack: is });
});

test('both the volume and its class ask for a window -> the volume counts, and carries it', () => {
  const { windows } = open({ cached: storageClass('1h') });
  const own = ofGold({ annotations: { [grace]: '2h' } });
  expect(windows.request(own)).toEqual({
    kind: 'usable',
    duration: 2 * hour,
    value: '2h',
    carrier: { resource: persistentVolumes, object: own },
  });
  expect(windows.request(ofGold())).toMatchObject({ carrier: { resource: storageClasses } });
});

test.each([
  {
    name: 'a value that is no duration',
    options: {},
    value: 'soon',
    problem:
      'annotation holdfast.dev/reclaim-grace is "soon"; write a duration such as 90s, 30m or 24h, up to 876000h',
  },
  {
    name: 'the gate is off',
    options: { enabled: false },
    value: '1h',
    problem:
      'annotation holdfast.dev/reclaim-grace is 1h, and feature gate ReclaimGracePeriod is off; turn it on, or take the annotation away',
  },
])(
  '$name -> the window is unusable, and the problem names the value and the way out',
  ({ options, value, problem }) => {
    const { windows } = open(options);
    expect(windows.request(volume({ annotations: { [grace]: value } }))).toMatchObject({
      kind: 'unusable',
      problem,
    });
  },
);
