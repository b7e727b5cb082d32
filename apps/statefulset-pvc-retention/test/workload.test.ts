import { describe, expect, test } from '@jest/globals';
import { parseFeatureGates } from '@holdfast/core';
import fc from 'fast-check';
import { parseClaimName } from '../src/claim-name.ts';
import { gates } from '../src/gates.ts';
import {
  cachedStemsOf,
  canChangeTemplates,
  deletionWindowOf,
  factsOf,
  isWanted,
  policyOf,
  stemsOf,
  warningsOf,
  type Workload,
} from '../src/workload.ts';
import { workloadsFlag } from '../src/workloads-flag.ts';
import { claim } from './snapshots.ts';

function set(spec: Workload['spec'] = {}, metadata: Partial<Workload['metadata']> = {}): Workload {
  return { metadata: { name: 'web', namespace: 'ns', uid: 'u', resourceVersion: '1', ...metadata }, spec };
}

const named = (name: string) => parseClaimName({ ...claim(), metadata: { ...claim().metadata, name } });

describe('names', () => {
  test.each([
    { name: 'data-web-0', stem: 'ns/data-web', ordinal: 0 },
    { name: 'data-web-10', stem: 'ns/data-web', ordinal: 10 },
    { name: 'data-web-1-0', stem: 'ns/data-web-1', ordinal: 0 },
    { name: 'data-web-2147483647', stem: 'ns/data-web', ordinal: 2147483647 },
  ])('$name -> ordinal $ordinal of $stem', ({ name, stem, ordinal }) => {
    expect(named(name)).toEqual({ stem, ordinal });
  });

  test.each([
    'data-web-01',
    'data-web-7x',
    'data-web-',
    'data',
    '7',
    '-7',
    'data-web-2147483648',
    'data-web-+1',
  ])('%s -> no ordinal', (name) => {
    expect(named(name)).toBeUndefined();
  });

  test('sets web and web-1 -> their claims never have the same stem', () => {
    const templates = { volumeClaimTemplates: [{ metadata: { name: 'data' } }] };
    expect(stemsOf(set(templates))).toEqual(['ns/data-web']);
    expect(stemsOf(set(templates, { name: 'web-1' }))).toEqual(['ns/data-web-1']);
    expect(named('data-web-1')?.stem).toBe('ns/data-web');
    expect(named('data-web-1-0')?.stem).toBe('ns/data-web-1');
  });
});

test('set without a namespace, template without a name -> the stem has their places', () => {
  const { name, uid, resourceVersion } = set().metadata;
  const bare = { metadata: { name, uid, resourceVersion }, spec: { volumeClaimTemplates: [{}] } };
  expect(stemsOf(bare as unknown as Workload)).toEqual(['/-web']);
});

describe('wanted ordinals', () => {
  const ordinals = (spec: Workload['spec']): readonly number[] =>
    Array.from({ length: 12 }, (_, ordinal) => ordinal).filter((ordinal) => isWanted(set(spec), ordinal));
  test.each([
    {
      name: 'no replicas given -> every ordinal',
      spec: {},
      expected: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
    },
    {
      name: '-1 replicas -> every ordinal',
      spec: { replicas: -1 },
      expected: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
    },
    {
      name: '1.5 replicas -> every ordinal',
      spec: { replicas: 1.5 },
      expected: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
    },
    {
      name: 'start -1 -> every ordinal',
      spec: { replicas: 1, ordinals: { start: -1 } },
      expected: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
    },
    { name: '0 replicas', spec: { replicas: 0 }, expected: [] },
    { name: '3 replicas', spec: { replicas: 3 }, expected: [0, 1, 2] },
    { name: 'start 5', spec: { replicas: 2, ordinals: { start: 5 } }, expected: [5, 6] },
    {
      name: 'X1: a reserved ordinal is a list -> every ordinal',
      spec: JSON.parse('{ "replicas": 1, "reserveOrdinals": [[0]] }') as Workload['spec'],
      expected: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
    },
    ...['35', 3, { first: 3 }].map((reserveOrdinals) => ({
      name: `X2: reserved ordinals are ${JSON.stringify(reserveOrdinals)}, which is no list -> every ordinal`,
      spec: JSON.parse(JSON.stringify({ replicas: 1, reserveOrdinals })) as Workload['spec'],
      expected: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
    })),
    { name: 'Kruise, 1 reserved', spec: { replicas: 3, reserveOrdinals: [1] }, expected: [0, 2, 3] },
    {
      name: 'Kruise, ranges reserved, overlapping, below the start too',
      spec: { replicas: 3, ordinals: { start: 2 }, reserveOrdinals: ['0-3', '3-4', 6, 100] },
      expected: [5, 7, 8],
    },
    {
      name: 'Kruise, ranges reserved, the later one first',
      spec: { replicas: 3, reserveOrdinals: ['4-5', '2-4', 1] },
      expected: [0, 6, 7],
    },
    {
      name: 'a reservation that can not be read -> every ordinal',
      spec: { replicas: 1, reserveOrdinals: ['some'] },
      expected: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
    },
    {
      name: 'a range that runs backwards -> every ordinal',
      spec: { replicas: 1, reserveOrdinals: ['5-3'] },
      expected: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
    },
    ...[[{ toString: 1, valueOf: 1 }], [[3]], [null], [true], ['x5'], ['5x'], ['1-2-3'], ['-5']].map(
      (reserveOrdinals) => ({
        name: `a reservation is ${JSON.stringify(reserveOrdinals[0])} -> every ordinal`,
        spec: { replicas: 1, reserveOrdinals } as unknown as Workload['spec'],
        expected: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
      }),
    ),
  ])('$name -> $expected', ({ spec, expected }) => {
    expect(ordinals(spec)).toEqual(expected);
  });

  test('any reservations, any start -> the first ordinals from the start on that are not reserved', () => {
    const small = fc.nat({ max: 30 });
    const entry = fc.oneof(
      small,
      fc.tuple(small, small).map(([a, b]) => `${String(Math.min(a, b))}-${String(Math.max(a, b))}`),
    );
    fc.assert(
      fc.property(
        fc.array(entry, { maxLength: 8 }),
        small,
        fc.nat({ max: 10 }),
        (reserveOrdinals, start, replicas) => {
          const workload = set({ replicas, ordinals: { start }, reserveOrdinals });
          const isTaken = (ordinal: number): boolean =>
            reserveOrdinals.some((each) => {
              const [first = 0, last = first] = String(each).split('-').map(Number);
              return first <= ordinal && ordinal <= last;
            });
          const free = Array.from({ length: 60 }, (_, index) => index).filter(
            (ordinal) => ordinal >= start && !isTaken(ordinal),
          );
          const wanted = Array.from({ length: 60 }, (_, index) => index).filter((ordinal) =>
            isWanted(workload, ordinal),
          );
          expect(wanted).toEqual(free.slice(0, replicas));
        },
      ),
    );
  });

  test('a list of reservations, a thousand ordinals asked for -> it is read once', () => {
    let reads = 0;
    const reserveOrdinals = new Proxy(
      Array.from({ length: 1_000 }, (_, index) => 2 * index),
      {
        get: (list, key) => {
          reads += 1;
          return Reflect.get(list, key) as unknown;
        },
      },
    );
    const workload = set({ replicas: 10, reserveOrdinals });
    for (let ordinal = 0; ordinal < 1_000; ordinal++) {
      isWanted(workload, ordinal);
    }
    expect(reads).toBeLessThan(10_000);
  });
});

describe('many templates', () => {
  const templates = (length: number, name: (index: number) => string) =>
    set({
      volumeClaimTemplates: Array.from({ length }, (_, index) => ({ metadata: { name: name(index) } })),
    });

  test('a thousand of the same name -> one stem', () => {
    const workload = templates(1_000, () => 'data');
    expect([stemsOf(workload), cachedStemsOf(workload)]).toEqual([['ns/data-web'], ['ns/data-web']]);
  });

  test('256 names -> all stems; 257 -> left out of the cache, says why', () => {
    expect(cachedStemsOf(templates(256, String))).toHaveLength(256);
    expect(() => cachedStemsOf(templates(257, String))).toThrow('257 volumeClaimTemplates');
  });
});

describe('window of a quarter of a megabyte', () => {
  test('can not be read -> says so in few words', () => {
    const value = '1'.repeat(256 * 1024);
    const workload = set({}, { annotations: { 'holdfast.dev/scale-down-grace': value } });
    const on = parseFeatureGates(gates, 'DeletionGracePeriod=true');
    const resource = {
      group: 'apps',
      version: 'v1',
      kind: 'StatefulSet',
      plural: 'statefulsets',
      namespaced: true,
    };
    expect(factsOf(workload, resource, 0, on).grace).toBe('unusable');
    const [warning, ...more] = warningsOf({ resource, workload }, on, false);
    expect(more).toStrictEqual([]);
    expect(warning?.reason).toBe('UndoWindowUnusable');
    expect(warning?.note).toContain(
      `"${'1'.repeat(100)}" and 262044 characters more; write a duration such as 90s`,
    );
  });
});

describe('what a set asks for and does not get', () => {
  const stock = {
    group: 'apps',
    version: 'v1',
    kind: 'StatefulSet',
    plural: 'statefulsets',
    namespaced: true,
  };
  const kruise = { ...stock, group: 'apps.kruise.io', version: 'v1beta1' };
  const on = parseFeatureGates(gates, 'DeletionGracePeriod=true');
  const off = parseFeatureGates(gates, 'DeletionGracePeriod=false');
  const field = (whenDeleted: string, whenScaled: string) => ({
    persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled },
  });
  const windows = { 'holdfast.dev/set-deletion-grace': '1h', 'holdfast.dev/scale-down-grace': '1h' };
  const meant = { 'holdfast.dev/when-deleted': 'Delete', 'holdfast.dev/when-scaled': 'Delete' };
  const notHeld = (window: string, half: string, policy: string) => ({
    reason: 'UndoWindowNotHeld',
    note: `Annotation holdfast.dev/${window} does not hold where kube-controller-manager deletes claims itself, by default from Kubernetes 1.27 on: let the field ${half} say Retain, and annotation holdfast.dev/${policy} Delete`,
  });
  const ignored = (policy: string, half: string) => ({
    reason: 'PolicyIgnored',
    note: `Annotation holdfast.dev/${policy} counts for nothing, since the field ${half} says Retain and there is no undo window: write Delete into the field of persistentVolumeClaimRetentionPolicy`,
  });
  const unusable = (note: string) => ({ reason: 'UndoWindowUnusable', note });

  test.each([
    { name: 'nothing asked for', spec: {}, annotations: {}, expected: [] },
    {
      name: 'windows, the field deletes',
      spec: field('Delete', 'Delete'),
      annotations: windows,
      expected: [
        notHeld('set-deletion-grace', 'whenDeleted', 'when-deleted'),
        notHeld('scale-down-grace', 'whenScaled', 'when-scaled'),
      ],
    },
    {
      name: 'windows, the field deletes, of a kind without a stock controller',
      spec: field('Delete', 'Delete'),
      annotations: windows,
      resource: kruise,
      expected: [],
    },
    {
      name: 'windows, the field deletes, beside no stock controller',
      spec: field('Delete', 'Delete'),
      annotations: windows,
      isBeside: false,
      expected: [],
    },
    {
      name: 'windows, the field retains, the annotations delete',
      spec: field('Retain', 'Retain'),
      annotations: { ...windows, ...meant },
      expected: [],
    },
    { name: 'windows without a field', spec: {}, annotations: { ...windows, ...meant }, expected: [] },
    {
      name: 'no windows, the field deletes',
      spec: field('Delete', 'Delete'),
      annotations: meant,
      expected: [],
    },
    {
      name: 'no windows, the field retains, the annotations delete',
      spec: field('Retain', 'Retain'),
      annotations: meant,
      expected: [ignored('when-deleted', 'whenDeleted'), ignored('when-scaled', 'whenScaled')],
    },
    {
      name: 'no windows, the field retains, the annotations too',
      spec: field('Retain', 'Retain'),
      annotations: { 'holdfast.dev/when-deleted': 'Retain' },
      expected: [],
    },
    { name: 'no windows, no field, the annotations delete', spec: {}, annotations: meant, expected: [] },
    {
      name: 'windows, and the gate is off',
      spec: {},
      annotations: windows,
      featureGates: off,
      expected: [
        unusable(
          'No claim is deleted with the set: annotation holdfast.dev/set-deletion-grace is 1h, and feature gate DeletionGracePeriod is off; turn it on',
        ),
        unusable(
          'No claim is deleted on scale-down: annotation holdfast.dev/scale-down-grace is 1h, and feature gate DeletionGracePeriod is off; turn it on',
        ),
      ],
    },
    {
      name: 'windows, the gate is off, and the field deletes',
      spec: field('Retain', 'Delete'),
      annotations: windows,
      featureGates: off,
      expected: [
        unusable(
          'No claim is deleted with the set: annotation holdfast.dev/set-deletion-grace is 1h, and feature gate DeletionGracePeriod is off; turn it on',
        ),
        unusable(
          'kube-controller-manager might delete claims on scale-down without a window, as it does by default from Kubernetes 1.27 on: let the field whenScaled say Retain, and annotation holdfast.dev/when-scaled Delete. This controller deletes none: annotation holdfast.dev/scale-down-grace is 1h, and feature gate DeletionGracePeriod is off; turn it on',
        ),
      ],
    },
    {
      name: 'a window that is no duration, and the field deletes, beside no stock controller',
      spec: field('Retain', 'Delete'),
      annotations: { 'holdfast.dev/scale-down-grace': 'soon' },
      isBeside: false,
      expected: [
        unusable(
          'No claim is deleted on scale-down: annotation holdfast.dev/scale-down-grace is "soon"; write a duration such as 90s, 30m or 24h, up to 876000h',
        ),
      ],
    },
    {
      name: 'a window that is no duration',
      spec: {},
      annotations: { 'holdfast.dev/scale-down-grace': 'soon' },
      expected: [
        unusable(
          'No claim is deleted on scale-down: annotation holdfast.dev/scale-down-grace is "soon"; write a duration such as 90s, 30m or 24h, up to 876000h',
        ),
      ],
    },
  ])('$name', ({ spec, annotations, resource = stock, featureGates = on, isBeside = true, expected }) => {
    const workload = set(spec, { annotations });
    expect(warningsOf({ resource, workload }, featureGates, isBeside)).toEqual(expected);
  });
});

describe('policy', () => {
  const annotated = { 'holdfast.dev/when-deleted': 'Delete', 'holdfast.dev/when-scaled': 'Delete' };
  const field = 'persistentVolumeClaimRetentionPolicy';
  const retain = { whenDeleted: 'Retain', whenScaled: 'Retain' };
  test.each([
    { name: 'nothing said', spec: {}, annotations: {}, expected: retain },
    {
      name: 'field',
      spec: { [field]: { whenDeleted: 'Delete', whenScaled: 'Retain' } },
      annotations: {},
      expected: { whenDeleted: 'Delete', whenScaled: 'Retain' },
    },
    {
      name: 'unknown values in the field',
      spec: { [field]: { whenDeleted: 'delete', whenScaled: 'Snapshot' } },
      annotations: {},
      expected: retain,
    },
    {
      name: 'half of the field',
      spec: { [field]: { whenScaled: 'Delete' } },
      annotations: annotated,
      expected: { whenDeleted: 'Retain', whenScaled: 'Delete' },
    },
    {
      name: 'annotations',
      spec: {},
      annotations: annotated,
      expected: { whenDeleted: 'Delete', whenScaled: 'Delete' },
    },
    {
      name: 'unknown values in annotations',
      spec: {},
      annotations: { 'holdfast.dev/when-deleted': 'true' },
      expected: retain,
    },
    {
      name: 'both, the field retains, one half with an undo window -> the annotation of that half',
      spec: { [field]: retain },
      annotations: { ...annotated, 'holdfast.dev/scale-down-grace': '30m' },
      expected: { whenDeleted: 'Retain', whenScaled: 'Delete' },
    },
    {
      name: 'both, the field deletes, with an undo window and an annotation that retains -> the field',
      spec: { [field]: { whenDeleted: 'Retain', whenScaled: 'Delete' } },
      annotations: { 'holdfast.dev/when-scaled': 'Retain', 'holdfast.dev/scale-down-grace': '30m' },
      expected: { whenDeleted: 'Retain', whenScaled: 'Delete' },
    },
    { name: 'both: the field wins', spec: { [field]: retain }, annotations: annotated, expected: retain },
  ])('$name', ({ spec, annotations, expected }) => {
    expect(policyOf(set(spec, { annotations }))).toEqual(expected);
  });
});

describe('facts', () => {
  const resource = {
    group: 'apps',
    version: 'v1',
    kind: 'StatefulSet',
    plural: 'statefulsets',
    namespaced: true,
  };
  const both = { persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Delete' } };
  const grace = (text: string, featureGates = 'DeletionGracePeriod=true') =>
    factsOf(
      set(both, { annotations: { 'holdfast.dev/scale-down-grace': text } }),
      resource,
      0,
      parseFeatureGates(gates, featureGates),
    ).grace;

  test.each([
    { text: '30m', expected: 1_800_000 },
    { text: '1h30m', expected: 5_400_000 },
    { text: '876000h', expected: 876_000 * 3_600_000 },
    { text: '876000h1s', expected: 'unusable' },
    { text: '99999999999h', expected: 'unusable' },
    { text: '0', expected: 'unusable' },
    { text: 'soon', expected: 'unusable' },
    { text: '', expected: 'unusable' },
  ])('grace "$text" -> $expected', ({ text, expected }) => {
    expect(grace(text)).toBe(expected);
  });

  test('gate DeletionGracePeriod off -> undo window can not be had', () => {
    expect(grace('30m', '')).toBe('unusable');
  });

  test.each([
    { name: 'a StatefulSet', of: resource, isStock: true },
    { name: 'another kind of its group', of: { ...resource, kind: 'OtherSet' }, isStock: false },
    { name: 'a StatefulSet of another group', of: { ...resource, group: 'x.y' }, isStock: false },
  ])('$name -> its field may be carried out by a stock controller: $isStock', ({ of, isStock }) => {
    const { field } = factsOf(set(both), of, 0, parseFeatureGates(gates, ''));
    expect(field).toEqual(isStock ? both.persistentVolumeClaimRetentionPolicy : undefined);
    expect(canChangeTemplates(of)).toBe(!isStock);
  });

  test.each([
    { creationTimestamp: '2026-01-01T12:00:00Z', createdAt: Date.parse('2026-01-01T12:00:00Z') },
    { creationTimestamp: undefined, createdAt: undefined },
  ])('created $creationTimestamp -> $createdAt', ({ creationTimestamp, createdAt }) => {
    const workload = set(both, creationTimestamp === undefined ? {} : { creationTimestamp });
    expect(factsOf(workload, resource, 0, parseFeatureGates(gates, '')).createdAt).toBe(createdAt);
  });

  const hour = 3_600_000;
  test.each([
    { name: 'a window', text: '1h', expected: hour, lasts: hour },
    { name: 'a window that is none', text: 'soon', expected: 'unusable', lasts: undefined },
    { name: 'no window', text: undefined, expected: undefined, lasts: undefined },
    {
      name: 'a window, and a policy that retains',
      text: '1h',
      spec: { persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Delete' } },
      expected: hour,
      lasts: undefined,
    },
    {
      name: 'a window, and the gate of all is off',
      text: '1h',
      featureGates: 'DeletionGracePeriod=true,StatefulSetAutoDeletePVC=false',
      expected: hour,
      lasts: undefined,
    },
  ])(
    'deletion of a set with $name -> its claims survive it for $lasts',
    ({ text, spec = both, featureGates = 'DeletionGracePeriod=true', expected, lasts }) => {
      const annotations = text === undefined ? {} : { 'holdfast.dev/set-deletion-grace': text };
      const workload = set(spec, { annotations });
      const parsed = parseFeatureGates(gates, featureGates);
      expect(factsOf(workload, resource, 0, parsed).deletionGrace).toBe(expected);
      expect(deletionWindowOf(workload, parsed)).toBe(lasts);
    },
  );

  test('gate StatefulSetAutoDeletePVC off -> every policy is Retain', () => {
    const off = parseFeatureGates(gates, 'StatefulSetAutoDeletePVC=false');
    expect(factsOf(set(both), resource, 0, off)).toMatchObject({
      whenDeleted: 'Retain',
      whenScaled: 'Retain',
    });
  });

  test.each([
    { name: 'not deleted', metadata: {}, expected: 'none' },
    {
      name: 'deleted',
      metadata: { deletionTimestamp: 't', finalizers: ['foregroundDeletion'] },
      expected: 'underWay',
    },
    {
      name: 'orphaned',
      metadata: { deletionTimestamp: 't', finalizers: ['x', 'orphan'] },
      expected: 'orphaning',
    },
    { name: 'finalizer only', metadata: { finalizers: ['orphan'] }, expected: 'none' },
  ])('$name -> deletion $expected', ({ metadata, expected }) => {
    expect(factsOf(set(both, metadata), resource, 0, parseFeatureGates(gates, '')).deletion).toBe(expected);
  });
});

describe('--workloads', () => {
  test('kinds -> their resources', () => {
    expect(
      workloadsFlag.schema.parse(
        'apps/v1/StatefulSet, apps.kruise.io/v1beta1/StatefulSet,x.y/v1/Proxy,x.y/v2/Bus',
      ),
    ).toEqual([
      { group: 'apps', version: 'v1', kind: 'StatefulSet', plural: 'statefulsets', namespaced: true },
      {
        group: 'apps.kruise.io',
        version: 'v1beta1',
        kind: 'StatefulSet',
        plural: 'statefulsets',
        namespaced: true,
      },
      { group: 'x.y', version: 'v1', kind: 'Proxy', plural: 'proxies', namespaced: true },
      { group: 'x.y', version: 'v2', kind: 'Bus', plural: 'buses', namespaced: true },
    ]);
  });

  test.each(['', 'apps/v1', 'apps/v1/statefulsets', 'v1/Pod', 'apps/v1/StatefulSet,', 'a/v1/B,a/v2/B'])(
    '"%s" -> refused',
    (text) => {
      expect(workloadsFlag.schema.safeParse(text).success).toBe(false);
    },
  );
});
