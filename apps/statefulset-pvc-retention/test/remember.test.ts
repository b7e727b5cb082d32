import { describe, expect, test } from '@jest/globals';
import type { PersistentVolumeClaim } from '@holdfast/core';
import { createRemember, type RememberOptions } from '../src/remember.ts';
import { saysTheSame } from '../src/slim.ts';
import { caches, pod, policy, set, type Cached } from './caches.ts';
import type { Workload } from '../src/workload.ts';
import { claim, stock, toPod, toSet } from './snapshots.ts';

/** The handlers over a cache with `ns/data-web-1`, whose last pod is known; what they are told goes to `told`. */
function open(cached: Cached = {}, options: Partial<RememberOptions> = {}) {
  const { view, lastPods, strayMarks } = caches({ claims: [claim()], ...cached });
  lastPods.remember(claim(), 'uid-of-web-1');
  const told: unknown[][] = [];
  const tell =
    (what: string) =>
    (...given: readonly unknown[]): void =>
      void told.push([what, ...given]);
  const remember = createRemember({
    view,
    lastPods,
    strayMarks,
    stock: { sawItAtWork: tell('stock at work'), forget: tell('stock: forget') },
    endings: { saw: tell('saw'), ended: tell('ended') },
    notices: { forget: tell('notices: forget') },
    claimsOfPod: () => [claim()],
    saysTheSame: () => false,
    deletionWindowOf: () => 60_000,
    enabled: true,
    ...options,
  });
  return {
    remember,
    told,
    strayMarks,
    lastPodOf: (of = claim()) => lastPods.of(of),
    isInDoubt: () => lastPods.isInDoubt(claim()),
  };
}

const window = { annotations: { 'holdfast.dev/scale-down-grace': '30m' } };
const onScaleDown = policy('Retain', 'Delete');
const featureGates = 'DeletionGracePeriod=true';
const underWindow = (replicas: number): Workload => set({ ...onScaleDown, replicas }, window);

describe('workload', () => {
  test('seen for the first time -> noted as it is, and no pod forgotten', () => {
    const { remember, told, lastPodOf } = open();
    remember.workload.added?.(set(), false);
    expect(told.map(([what, workload]) => [what, workload])).toEqual([['saw', set()]]);
    expect(lastPodOf()).toBe('uid-of-web-1');
  });

  test.each([
    { state: 'keeps claims on scale-down', before: set(onScaleDown), after: set(), forgotten: true },
    { state: 'deletes them by then', before: set(), after: set(onScaleDown), forgotten: false },
    {
      state: 'deletes them, its window was taken away',
      before: set(onScaleDown, window),
      after: set(onScaleDown),
      forgotten: true,
    },
    {
      state: 'deletes them after a window, as before',
      before: set(onScaleDown, window),
      after: set(onScaleDown, window),
      forgotten: false,
    },
    {
      state: 'deletes them after a window, which is new',
      before: set(onScaleDown),
      after: set(onScaleDown, window),
      forgotten: false,
    },
    {
      state: 'deletes them, with other annotations',
      before: set(onScaleDown, { annotations: { a: 'b' } }),
      after: set(onScaleDown),
      forgotten: false,
    },
  ])('changed, $state -> noted as it is now, last pods forgotten: $forgotten', (each) => {
    const { remember, told, lastPodOf } = open({ sets: [each.after] });
    remember.workload.updated?.(each.before, each.after);
    expect(told).toEqual([['saw', each.after]]);
    expect(lastPodOf()).toBe(each.forgotten ? undefined : 'uid-of-web-1');
  });

  test('changed, but says the same of its claims -> last pods stay', () => {
    const compared: unknown[] = [];
    const { remember, lastPodOf } = open(
      { sets: [set()] },
      {
        saysTheSame: (...states) => {
          compared.push(states);
          return true;
        },
      },
    );
    remember.workload.updated?.(set(onScaleDown), set());
    expect(lastPodOf()).toBe('uid-of-web-1');
    expect(compared).toEqual([[set(onScaleDown), set()]]);
  });

  test('made older by a backup, though it says the same of its claims -> last pods forgotten', () => {
    const newer = set(onScaleDown, { resourceVersion: '9' });
    const restored = set(onScaleDown, { resourceVersion: '8' });
    const { remember, lastPodOf } = open({ sets: [restored] }, { saysTheSame });
    remember.workload.updated?.(newer, restored);
    expect(lastPodOf()).toBeUndefined();
  });

  test('its template was replaced, deletes them -> last pods of its claims forgotten', () => {
    const renamed = set({ ...onScaleDown, volumeClaimTemplates: [{ metadata: { name: 'logs' } }] });
    const { remember, lastPodOf } = open({ sets: [renamed] }, { saysTheSame });
    remember.workload.updated?.(set(onScaleDown), renamed);
    expect(lastPodOf()).toBeUndefined();
  });

  test('its template is there again, deletes them -> last pods of its claims forgotten', () => {
    const renamed = set({ ...onScaleDown, volumeClaimTemplates: [{ metadata: { name: 'logs' } }] });
    const { remember, lastPodOf } = open({ sets: [set(onScaleDown)] }, { saysTheSame });
    remember.workload.updated?.(renamed, set(onScaleDown));
    expect(lastPodOf()).toBeUndefined();
  });

  test('says the same of its claims, after states that a new list skipped -> last pods forgotten', () => {
    const before = set(onScaleDown, { generation: 1 });
    const after = set(onScaleDown, { generation: 3 });
    const { remember, lastPodOf } = open({ sets: [after] }, { saysTheSame });
    remember.workload.updated?.(before, after);
    expect(lastPodOf()).toBeUndefined();
  });

  test('gone -> its end noted with the window it gives, what is known of it and its claims forgotten', () => {
    const { remember, told, lastPodOf } = open();
    remember.workload.deleted?.(set());
    expect(told).toEqual([
      ['ended', set(), 60_000],
      ['notices: forget', set()],
    ]);
    expect(lastPodOf()).toBeUndefined();
  });
});

describe('claim', () => {
  const atWork = [['stock at work']];
  const byStock = claim([stock(toSet())]);
  const cached = { sets: [set(policy('Delete', 'Retain'))] };

  test('made with the reference of a stock controller -> it is at work', () => {
    const { remember, told } = open(cached);
    remember.claim.added?.(byStock, false);
    expect(told).toEqual(atWork);
  });

  test('was there before this process -> says nothing of whether it is at work', () => {
    const { remember, told } = open(cached);
    remember.claim.added?.(byStock, true);
    expect(told).toStrictEqual([]);
  });

  test.each<{ state: string; before: PersistentVolumeClaim; after: PersistentVolumeClaim; seen: boolean }>([
    { state: 'a reference of its own', before: claim(), after: byStock, seen: true },
    { state: 'one that was there', before: byStock, after: byStock, seen: false },
    { state: 'one of ours', before: claim(), after: claim([toSet()]), seen: false },
  ])('changed, has $state -> stock controller is at work: $seen', ({ before, after, seen }) => {
    const { remember, told, lastPodOf } = open(cached);
    remember.claim.updated?.(before, after);
    expect(told).toEqual(seen ? atWork : []);
    expect(lastPodOf()).toBe('uid-of-web-1');
  });

  test('has got a mark -> its last pod is forgotten', () => {
    const { remember, lastPodOf } = open();
    remember.claim.updated?.(claim(), claim([], { mark: '2026-01-01T12:30:00Z' }));
    expect(lastPodOf()).toBeUndefined();
  });

  test('gone -> all that is known of it is forgotten', () => {
    const { remember, told, lastPodOf } = open();
    remember.claim.deleted?.(claim());
    expect(told).toEqual([
      ['notices: forget', claim()],
      ['stock: forget', claim()],
    ]);
    expect(lastPodOf()).toBeUndefined();
  });
});

describe('doubt', () => {
  const one = { replicas: 1 };
  const twoSets = { sets: [set(one)], others: [set()] };
  test.each([
    { state: 'condemned', cached: { sets: [set(one)] }, doubted: true },
    { state: 'wanted', cached: { sets: [set()] }, doubted: false },
    { state: 'of no set', cached: {}, doubted: false },
    { state: 'condemned by one set, and wanted by another', cached: twoSets, doubted: false },
  ])('claim seen, its ordinal is $state -> in doubt: $doubted', ({ cached, doubted }) => {
    const { remember, isInDoubt } = open(cached);
    remember.claim.added?.(claim(), true);
    expect(isInDoubt()).toBe(doubted);
    remember.claim.deleted?.(claim());
    expect(isInDoubt()).toBe(false);
  });

  test.each([
    { half: 'whenDeleted', after: set({ ...policy('Delete', 'Delete'), ...one }) },
    { half: 'whenScaled', after: set({ ...policy('Retain', 'Delete'), ...one }) },
  ])('$half becomes Delete, ordinal is condemned -> in doubt', ({ half, after }) => {
    const before = half === 'whenDeleted' ? set({ ...onScaleDown, ...one }) : set(one);
    const { remember, isInDoubt } = open({ sets: [after] }, { saysTheSame });
    remember.workload.updated?.(before, after);
    expect(isInDoubt()).toBe(true);
  });
});

describe('mark', () => {
  const waiting = claim([], { mark: '2026-01-01T12:30:00Z' });
  const unreadable = claim([], { mark: 'tomorrow' });
  const change = (before: Workload, after: Workload, of = waiting) => {
    const { remember, ...rest } = open({ sets: [after], claims: [of], featureGates }, { saysTheSame });
    remember.workload.updated?.(before, after);
    return { remember, ...rest };
  };

  test.each([
    { state: 'scaled up', before: underWindow(1), after: underWindow(2), stray: true },
    { state: 'kept on scale-down', before: underWindow(1), after: set({ replicas: 1 }, window), stray: true },
    { state: 'still scaled down', before: underWindow(0), after: underWindow(1), stray: false },
    {
      state: 'scaled up, not marked',
      before: underWindow(1),
      after: underWindow(2),
      of: claim(),
      stray: false,
    },
    {
      state: 'still scaled down, its time unreadable',
      before: underWindow(0),
      after: underWindow(1),
      of: unreadable,
      stray: false,
    },
  ])('$state -> a mark that should be gone: $stray', ({ before, after, of, stray }) => {
    expect(change(before, after, of).strayMarks.has(waiting)).toBe(stray);
  });

  test('should be gone, others write another time -> should be gone', () => {
    const { remember, strayMarks } = open(
      { sets: [underWindow(1)], claims: [waiting], featureGates },
      { saysTheSame },
    );
    strayMarks.add(waiting);
    const earlier = claim([], { mark: '2026-01-01T09:00:00Z' });
    remember.claim.updated?.(waiting, earlier);
    expect(strayMarks.has(earlier)).toBe(true);
  });

  test('its time was removed to keep the claim, and is there again -> not stray', () => {
    const { remember, strayMarks } = open({ sets: [underWindow(1)], claims: [waiting], featureGates });
    const annotations = { ...waiting.metadata.annotations };
    delete annotations['holdfast.dev/delete-after'];
    const kept = { ...waiting, metadata: { ...waiting.metadata, annotations } };
    remember.claim.updated?.(waiting, kept);
    remember.claim.updated?.(kept, waiting);
    expect(strayMarks.has(waiting)).toBe(false);
  });

  test('was removed, whoever did that, and others write it again -> should be gone', () => {
    const { remember, strayMarks } = open({ sets: [underWindow(1)], claims: [waiting], featureGates });
    remember.claim.updated?.(waiting, claim());
    remember.claim.updated?.(claim(), waiting);
    expect(strayMarks.has(waiting)).toBe(true);
  });

  test('was removed, this program writes one of the same time -> not stray', () => {
    const { remember, strayMarks } = open({ sets: [underWindow(1)], claims: [waiting], featureGates });
    const other = claim([], { mark: '2026-01-01T12:30:00Z', markedBy: 'uid-of-another' });
    remember.claim.updated?.(other, claim());
    remember.claim.updated?.(waiting, claim());
    strayMarks.forgive(claim(), waiting.metadata.annotations ?? {});
    remember.claim.updated?.(claim(), waiting);
    expect(strayMarks.has(waiting)).toBe(false);
    expect(strayMarks.has(other)).toBe(true);
  });

  test('should be gone, another mark is written -> not stray', () => {
    const { strayMarks } = change(underWindow(1), underWindow(2));
    expect(strayMarks.has(claim([], { mark: '2026-01-01T12:30:00Z', markedBy: 'uid-of-another' }))).toBe(
      false,
    );
  });

  test('more marks of a claim than are kept -> the one seen last but longest ago is forgotten', () => {
    const { strayMarks } = open();
    const marks = Array.from({ length: 17 }, (_, index) =>
      claim([], { mark: '2026-01-01T12:30:00Z', markedBy: `uid-${String(index)}` }),
    );
    const [first, second] = marks as [PersistentVolumeClaim, PersistentVolumeClaim];
    marks.slice(0, 16).forEach(strayMarks.add);
    strayMarks.add(first);
    marks.slice(16).forEach(strayMarks.add);
    expect(marks.filter(strayMarks.has)).toEqual([first, ...marks.slice(2)]);
    expect(strayMarks.has(second)).toBe(false);
  });

  test('should be gone, set scaled down again, claim changed -> for as long as it has the same mark', () => {
    const { remember, strayMarks } = open(
      { sets: [underWindow(1)], claims: [waiting], featureGates },
      { saysTheSame },
    );
    strayMarks.add(waiting);
    remember.workload.updated?.(underWindow(2), underWindow(1));
    remember.claim.updated?.(waiting, waiting);
    expect(strayMarks.has(waiting)).toBe(true);
  });

  test('should be gone, claim gone -> forgotten', () => {
    const { remember, strayMarks } = change(underWindow(1), underWindow(2));
    remember.claim.deleted?.(waiting);
    expect(strayMarks.has(waiting)).toBe(false);
  });

  test('should be gone, pod gone -> its UID kept for its claim, also when the claim changes', () => {
    const { remember, lastPodOf } = change(underWindow(1), underWindow(2));
    remember.pod.deleted?.(pod([toSet()], { uid: 'uid-of-another' }));
    remember.claim.updated?.(waiting, waiting);
    expect(lastPodOf()).toBe('uid-of-another');
  });

  test.each([
    { state: 'of a wanted ordinal', replicas: 2, stray: true },
    { state: 'of a condemned ordinal', replicas: 1, stray: false },
  ])('seen on a claim $state -> should be gone: $stray', ({ replicas, stray }) => {
    const cached = { sets: [underWindow(replicas)], claims: [waiting], featureGates };
    const added = open(cached, { saysTheSame });
    added.remember.claim.added?.(waiting, true);
    expect(added.strayMarks.has(waiting)).toBe(stray);
    const updated = open(cached, { saysTheSame });
    updated.remember.claim.updated?.(claim(), waiting);
    expect(updated.strayMarks.has(waiting)).toBe(stray);
    const ofSet = open(cached, { saysTheSame });
    ofSet.remember.workload.added?.(underWindow(replicas), true);
    expect(ofSet.strayMarks.has(waiting)).toBe(stray);
  });
});

describe('mark that others have written over that of this scale-down', () => {
  const marked = (bound: string | undefined, workload = 'uid-of-web'): PersistentVolumeClaim => {
    const { metadata, ...rest } = claim();
    const parts = [
      'StatefulSet.apps',
      'web',
      workload,
      metadata.uid,
      ...(bound === undefined ? [] : [bound]),
    ];
    return {
      ...rest,
      metadata: {
        ...metadata,
        annotations: {
          'holdfast.dev/delete-after': bound ?? '2026-01-01T09:00:00Z',
          'holdfast.dev/delete-after-uid': metadata.uid,
          'holdfast.dev/delete-after-scale-down': parts.join('/'),
        },
      },
    };
  };
  const own = marked('2026-01-01T12:30:00Z');
  const ofDeletion = ({ metadata, ...rest }: PersistentVolumeClaim): PersistentVolumeClaim => {
    const { 'holdfast.dev/delete-after-scale-down': bound = '', ...others } = metadata.annotations ?? {};
    const annotations = { ...others, 'holdfast.dev/delete-after-workload': bound };
    return { ...rest, metadata: { ...metadata, annotations } };
  };

  test.each([
    { what: 'that of an earlier one', after: marked('2026-01-01T09:00:00Z'), stray: true },
    { what: 'that of an earlier release', after: marked(undefined), stray: true },
    { what: 'a later one', after: marked('2026-01-01T13:00:00Z'), stray: false },
    { what: 'the same', after: own, stray: false },
    { what: 'none', after: claim(), stray: false },
  ])('$what -> stray: $stray', ({ after, stray }) => {
    const { remember, strayMarks } = open({ sets: [underWindow(1)], claims: [after], featureGates });
    remember.claim.updated?.(own, after);
    expect(strayMarks.has(after)).toBe(stray);
  });

  test.each([
    { what: 'an earlier set', after: marked('2026-01-01T09:00:00Z', 'another'), stray: true },
    { what: 'a later one', after: marked('2026-01-01T13:00:00Z', 'another'), stray: false },
  ])('that of a deletion, over it one of $what -> stray: $stray', ({ after, stray }) => {
    const { remember, strayMarks } = open();
    const written = ofDeletion(after);
    remember.claim.updated?.(ofDeletion(own), written);
    expect(strayMarks.has(written)).toBe(stray);
  });

  test('over one of an earlier release, or of another set -> not stray for that', () => {
    const { remember, strayMarks } = open();
    remember.claim.updated?.(marked(undefined), marked(undefined));
    remember.claim.updated?.(marked('2026-01-01T12:30:00Z', 'another'), marked('2026-01-01T09:00:00Z'));
    expect(strayMarks.has(own)).toBe(false);
  });
});

describe('pod', () => {
  const later = pod([toSet()], { uid: 'uid-of-another' });
  const cached = { sets: [set(onScaleDown)] };

  test('there again -> no last pod of the claims that it might concern', () => {
    const asked: unknown[] = [];
    const { remember, lastPodOf } = open(
      {},
      {
        claimsOfPod: (of) => {
          asked.push(of);
          return [claim()];
        },
      },
    );
    remember.pod.added?.(later, false);
    expect(lastPodOf()).toBeUndefined();
    expect(asked).toEqual([later]);
  });

  test.each<{ state: string; cached?: Cached; last?: typeof later; enabled?: boolean; kept: boolean }>([
    { state: 'its set deletes on scale-down', kept: true },
    { state: 'the same, the gate is off', enabled: false, kept: false },
    { state: 'its set keeps claims', cached: { sets: [set(policy('Delete', 'Retain'))] }, kept: false },
    { state: 'nobody controls it', last: pod([], { uid: 'uid-of-another' }), kept: false },
    { state: 'an earlier set of the name controls it', last: pod([toSet({ uid: 'uid-0' })]), kept: false },
    { state: 'it is of another ordinal', last: pod([toSet()], { name: 'web-2' }), kept: false },
    {
      state: 'its claim has a mark',
      cached: { ...cached, claims: [claim([], { mark: '2026-01-01T12:30:00Z' })] },
      kept: false,
    },
  ])('gone, $state -> its UID kept for its claim: $kept', (each) => {
    const { remember, lastPodOf } = open(each.cached ?? cached, { enabled: each.enabled ?? true });
    remember.pod.deleted?.(each.last ?? later);
    expect(lastPodOf()).toBe(each.kept ? 'uid-of-another' : 'uid-of-web-1');
  });

  const condemning = policy('Retain', 'Delete');
  const one = { replicas: 1 };
  const logs = { volumeClaimTemplates: [{ metadata: { name: 'logs' } }] };
  test.each<{ change: string; before?: Workload; after: Workload; then?: Workload; kept: boolean }>([
    {
      change: 'scaled down under Delete',
      before: set(condemning),
      after: set({ ...condemning, ...one }),
      kept: true,
    },
    {
      change: 'scaled down under Retain, then Delete',
      before: set(one),
      after: set({ ...condemning, ...one }),
      kept: false,
    },
    {
      change: 'scaled down and changed to Delete at once',
      before: set(),
      after: set({ ...condemning, ...one }),
      kept: false,
    },
    {
      change: 'scaled down, then deleted with the set',
      before: set(one),
      after: set({ ...policy('Delete', 'Retain'), ...one }),
      then: set({ ...policy('Delete', 'Delete'), ...one }),
      kept: false,
    },
    {
      change: 'scaled down under a window, which is taken away',
      before: set({ ...condemning, ...one }, window),
      after: set({ ...condemning, ...one }),
      kept: false,
    },
    {
      change: 'scaled down before a backup, which is restored',
      before: set(condemning, { resourceVersion: '9' }),
      after: set({ ...condemning, ...one }, { resourceVersion: '8' }),
      kept: false,
    },
    {
      change: 'scaled down, also by a backup, which is restored',
      before: set({ ...condemning, ...one }, { resourceVersion: '9' }),
      after: set({ ...condemning, ...one }, { resourceVersion: '8' }),
      kept: false,
    },
    {
      change: 'scaled down before a backup, which is restored and written since',
      before: set(condemning, { resourceVersion: '8', generation: 2 }),
      after: set({ ...condemning, ...one }, { resourceVersion: '9', generation: 1 }),
      kept: false,
    },
    {
      change: 'scaled up after a backup, which is restored, and written as often since',
      before: set(condemning, { resourceVersion: '8', generation: 2 }),
      after: set({ ...condemning, ...one }, { resourceVersion: '9', generation: 2 }),
      kept: false,
    },
    {
      change: 'scaled down in a gap of the watch that hides other changes',
      before: set(condemning, { generation: 1 }),
      after: set({ ...condemning, ...one }, { generation: 3 }),
      kept: false,
    },
    {
      change: 'scaled down, with the generations one after the other',
      before: set(condemning, { generation: 1 }),
      after: set({ ...condemning, ...one }, { generation: 2 }),
      kept: true,
    },
    {
      change: 'scaled down under another template',
      before: set({ ...condemning, ...one, ...logs }),
      after: set({ ...condemning, ...one }),
      kept: false,
    },
    {
      change: 'scaled down before this process knew the set',
      after: set({ ...condemning, ...one }),
      kept: false,
    },
    {
      change: 'the same, then scaled up, and down again',
      after: set({ ...condemning, ...one }),
      then: set(condemning),
      kept: true,
    },
  ])('$change, gone -> its UID kept for its claim: $kept', ({ before, after, then, kept }) => {
    const { remember, lastPodOf } = open({ sets: [set(condemning)], pods: [later] }, { saysTheSame });
    if (before === undefined) {
      remember.workload.added?.(after, true);
    } else {
      remember.workload.updated?.(before, after);
    }
    if (then !== undefined) {
      remember.workload.updated?.(after, then);
    }
    remember.pod.deleted?.(later);
    expect(lastPodOf() === 'uid-of-another').toBe(kept);
  });

  test.each([
    { state: 'was created for an ordinal without a pod', spec: one, kept: false },
    { state: 'was created for an ordinal that is wanted', spec: {}, kept: true },
  ])('gone, its claim $state -> its UID kept for its claim: $kept', ({ spec, kept }) => {
    const { remember, lastPodOf } = open({ sets: [set({ ...condemning, ...spec })] });
    remember.claim.added?.(claim(), false);
    remember.pod.deleted?.(later);
    expect(lastPodOf() === 'uid-of-another').toBe(kept);
  });

  test.each([
    { state: 'scaled down under Retain, then Delete', before: set(one), kept: false },
    { state: 'scaled down under Delete', before: set(condemning), kept: true },
  ])('seen only after its set was $state, gone -> its UID kept for its claim: $kept', ({ before, kept }) => {
    const after = set({ ...condemning, ...one });
    const { remember, lastPodOf } = open({ sets: [after] }, { saysTheSame });
    remember.workload.updated?.(before, after);
    remember.pod.added?.(later, false);
    remember.pod.deleted?.(later);
    expect(lastPodOf() === 'uid-of-another').toBe(kept);
  });

  test('gone, claim has got its reference to it -> kept all the same', () => {
    const referred = claim([toPod({ uid: 'uid-of-another' })]);
    const { remember, lastPodOf } = open({ ...cached, claims: [referred] });
    remember.pod.deleted?.(later);
    expect(lastPodOf(referred)).toBe('uid-of-another');
  });
});
