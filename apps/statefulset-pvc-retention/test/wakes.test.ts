import { describe, expect, test } from '@jest/globals';
import { statefulSets, type PersistentVolumeClaim } from '@holdfast/core';
import { createRetentionWakes } from '../src/wakes.ts';
import {
  caches,
  keyOfClaim,
  keyOfOtherSet,
  keyOfSet,
  otherSets,
  pod,
  policy,
  set,
  type Cached,
} from './caches.ts';
import { claim, foreignController, hold, plain, toPod, toSet } from './snapshots.ts';

const withSet = policy('Delete', 'Retain');
const scaledToOne = { ...policy('Retain', 'Delete'), replicas: 1 };
const toOtherSet = toSet({ apiVersion: 'apps.kruise.io/v1beta1' });
/** Of `ns/web` of the other kind, whose template was called something else before. */
const renamed = set({ volumeClaimTemplates: [{ metadata: { name: 'disk' } }] });

/** What is woken over these caches, and the claims that are taken to be as they should. */
function open(cached: Cached, hasNews = false) {
  const { claims, view } = caches(cached);
  const settled: PersistentVolumeClaim[] = [];
  const asked: unknown[] = [];
  const wakes = createRetentionWakes({
    claims,
    view,
    stock: { forget: (each) => void settled.push(each) },
    notices: {
      hasNews: (...given) => {
        asked.push(given);
        return hasNews;
      },
    },
  });
  return { wakes, settled, asked };
}

const named = (name: string, ownerReferences = claim().metadata.ownerReferences ?? []) => ({
  metadata: { ...claim().metadata, name, uid: `uid-of-${name}`, ownerReferences },
});

describe('claim that is named after no workload', () => {
  const mark = '2026-01-01T12:30:00Z';
  const tied = claim();
  test.each<{ state: string; of: PersistentVolumeClaim; woken: boolean }>([
    { state: 'as templates make it', of: claim(), woken: false },
    { state: 'with another controller', of: claim([foreignController]), woken: false },
    { state: 'held', of: claim([hold]), woken: true },
    { state: 'marked', of: claim([], { mark }), woken: true },
    {
      state: 'tied',
      of: { metadata: { ...tied.metadata, annotations: { 'holdfast.dev/deleted-with': 'any' } } },
      woken: true,
    },
    { state: 'controlled by its pod', of: claim([toPod()]), woken: true },
    { state: 'owned by its pod, not controlled', of: claim([plain(toPod())]), woken: false },
    { state: 'held, terminating', of: claim([hold], { deleted: true }), woken: false },
    { state: 'marked, terminating', of: claim([], { mark, deleted: true }), woken: false },
  ])('$state -> its own key: $woken', ({ of, woken }) => {
    const { wakes } = open({ claims: [of] });
    expect([...wakes.claim(of, false)]).toEqual(woken ? [keyOfClaim] : []);
  });
});

describe('claim that is named after a workload', () => {
  test('nothing to do -> nothing is woken, and nothing left to a stock controller', () => {
    const { wakes, settled, asked } = open({ sets: [set()], claims: [claim()] });
    expect([...wakes.claim(claim(), false)]).toStrictEqual([]);
    expect(settled).toEqual([claim()]);
    expect(asked).toEqual([[claim(), { kind: 'none', reason: 'Settled' }]]);
  });

  test('nothing to do, but something to be told -> its workload', () => {
    const { wakes } = open({ sets: [set()], claims: [claim()] }, true);
    expect([...wakes.claim(claim(), false)]).toEqual([keyOfSet]);
  });

  test('something to do -> its workload at once, and what is left to a stock controller stays so', () => {
    const { wakes, settled } = open({ sets: [set(withSet)], claims: [claim()], pods: [pod([toSet()])] });
    expect([...wakes.claim(claim(), false)]).toEqual([keyOfSet]);
    expect(settled).toStrictEqual([]);
  });

  test('held, to be confirmed by whoever holds it -> its workload in two seconds; after a start at once', () => {
    const held = claim([hold, toSet()]);
    const { wakes } = open({ sets: [set(withSet)], claims: [held], pods: [pod([toSet()])] });
    expect([...wakes.claim(held, false)]).toEqual([{ key: keyOfSet, delay: 2_000 }]);
    expect([...wakes.claim(held, true)]).toEqual([keyOfSet]);
  });

  test('held, and it is to be taken back -> its workload at once', () => {
    const held = claim([hold, toSet()]);
    const { wakes } = open({ sets: [set()], claims: [held], pods: [pod([toSet()])] });
    expect([...wakes.claim(held, false)]).toEqual([keyOfSet]);
  });

  test('marked, or controlled by its pod -> not its own key', () => {
    const marked = claim([toPod()], { mark: '2026-01-01T12:30:00Z' });
    const { wakes } = open({ sets: [set()], claims: [marked] });
    expect([...wakes.claim(marked, false)]).toEqual([keyOfSet]);
  });

  test('named after two -> both', () => {
    const { wakes } = open({ sets: [set()], others: [set({}, { uid: 'uid-2' })], claims: [claim()] }, true);
    expect([...wakes.claim(claim(), false)]).toEqual([keyOfSet, keyOfOtherSet]);
  });

  test('controlled by another, which has no template for it any more -> its own key too', () => {
    const left = claim([{ ...toOtherSet, uid: 'uid-2' }]);
    const others = [{ ...renamed, metadata: { ...renamed.metadata, uid: 'uid-2' } }];
    const { wakes } = open({ sets: [set()], others, claims: [left] }, true);
    expect([...wakes.claim(left, false)]).toEqual([keyOfClaim, keyOfSet]);
  });
});

describe('pod', () => {
  test('of a set’s name -> concerns the claim of its ordinal, whoever controls it', () => {
    const claims = [claim(), named('data-web-0'), named('data-db-1')];
    const { wakes } = open({ sets: [set(), set({}, { name: 'db', uid: 'uid-of-db' })], claims });
    expect(wakes.claimsOfPod(pod([foreignController]))).toEqual([claim()]);
    expect(wakes.claimsOfPod(pod([], { name: 'web' }))).toStrictEqual([]);
  });

  test('of no set’s name -> concerns the claims that it controls', () => {
    const controlled = claim([toPod()]);
    const { wakes } = open({ claims: [controlled, named('data-web-0', [toPod({ name: 'web-0' })])] });
    expect(wakes.claimsOfPod(pod())).toEqual([controlled]);
    expect(wakes.claimsOfPod(pod([], { namespace: 'other' }))).toStrictEqual([]);
  });

  test('there is something to do for a claim of it -> its workload at once', () => {
    const { wakes } = open({ sets: [set(scaledToOne)], claims: [claim()], pods: [pod([toSet()])] });
    expect([...wakes.pod(pod([toSet()]))]).toEqual([keyOfSet]);
  });

  test('held claim is to be confirmed -> its workload later, since a pod that comes is no start', () => {
    const held = claim([hold, toSet()]);
    const { wakes } = open({ sets: [set(withSet)], claims: [held], pods: [pod([toSet()])] });
    expect([...wakes.pod(pod([toSet()]))]).toEqual([{ key: keyOfSet, delay: 2_000 }]);
  });

  test.each([
    { state: 'the same controller', before: [toSet()], after: [toSet()], woken: false },
    { state: 'none, as before', before: [], after: [], woken: false },
    { state: 'another one', before: [toSet({ uid: 'uid-0' })], after: [toSet()], woken: true },
    { state: 'one now', before: [], after: [toSet()], woken: true },
    { state: 'none any more', before: [toSet()], after: [], woken: true },
  ])('changed, has $state -> woken: $woken', ({ before, after, woken }) => {
    const { wakes } = open({ sets: [set(scaledToOne)], claims: [claim()], pods: [pod([toSet()])] });
    const keys = wakes.podChanged(pod(before), pod(after));
    expect(typeof keys === 'object' ? [...keys] : keys).toEqual(woken ? [keyOfSet] : undefined);
  });
});

describe('workload', () => {
  const both = { sets: [set()], others: [set({}, { uid: 'uid-2' })], claims: [claim()] };

  test('comes -> itself; claims that are its own alone come by themselves', () => {
    const { wakes, settled } = open({ sets: [set()], claims: [claim()] }, true);
    expect([...wakes.workload(statefulSets, set(), false)]).toEqual([keyOfSet]);
    expect(settled).toStrictEqual([]);
  });

  test('comes, its claims are named after another too -> both', () => {
    const { wakes } = open(both, true);
    expect([...wakes.workload(statefulSets, set(), false)]).toEqual([keyOfSet, keyOfSet, keyOfOtherSet]);
  });

  test('comes without a template for a claim that it controls -> that claim', () => {
    const claims = [claim([toOtherSet]), named('disk-web-1', [toOtherSet])];
    const { wakes } = open({ others: [renamed], claims });
    expect([...wakes.workload(otherSets, renamed, true)]).toEqual([keyOfOtherSet, keyOfClaim]);
  });

  test('made, marks of claims name it -> itself, and those claims that no template of it makes', () => {
    const left = claim([], { mark: '2026-01-01T12:30:00Z' });
    const sets = [renamed];
    const { wakes } = open({ sets, claims: [left] });
    expect([...wakes.workload(statefulSets, renamed, false)]).toEqual([keyOfSet, keyOfClaim]);
    const { wakes: ofItsOwn } = open({ sets: [set()], claims: [left] });
    expect([...ofItsOwn.workload(statefulSets, set(), false)]).toEqual([keyOfSet]);
  });

  test('changed, of the same templates -> itself', () => {
    const { wakes } = open(both, true);
    expect([...wakes.workloadChanged(statefulSets, set(), set(withSet))]).toEqual([keyOfSet]);
  });

  test('changed, of other templates -> itself, and what is to be done for the claims of both', () => {
    const claims = [claim(), named('disk-web-1')];
    const { wakes, settled } = open({ others: [renamed], claims }, true);
    expect([...wakes.workloadChanged(otherSets, set(), renamed)]).toEqual([keyOfOtherSet, keyOfOtherSet]);
    expect(settled).toEqual([claims[1]]);
  });

  test('changed, of other templates, claim of the former is held -> the claim itself', () => {
    const { wakes } = open({ others: [renamed], claims: [claim([hold])] });
    expect([...wakes.workloadChanged(otherSets, set(), renamed)]).toEqual([keyOfOtherSet, keyOfClaim]);
  });

  test('changed, of other templates, a claim of neither is controlled by it -> that claim', () => {
    const former = set({ volumeClaimTemplates: [{ metadata: { name: 'log' } }] });
    const { wakes } = open({ others: [renamed], claims: [claim([toOtherSet])] });
    expect([...wakes.workloadChanged(otherSets, former, renamed)]).toEqual([keyOfOtherSet, keyOfClaim]);
  });

  test('changed, held claim is to be confirmed -> its workload later, since a change is no start', () => {
    const after = set(withSet);
    const cached = { others: [after], claims: [claim([hold, toOtherSet])], pods: [pod([toSet()])] };
    const { wakes } = open(cached);
    expect([...wakes.workloadChanged(otherSets, renamed, after)]).toEqual([
      keyOfOtherSet,
      { key: keyOfOtherSet, delay: 2_000 },
    ]);
  });

  test('gone -> the claims that it left something on', () => {
    const claims = [claim([hold]), named('data-web-0')];
    const { wakes } = open({ claims });
    expect([...wakes.workloadGone(set())]).toEqual([keyOfClaim]);
  });

  test('gone, a claim was named after another too, which has to confirm it -> that one later', () => {
    const held = claim([hold, toSet()]);
    const { wakes } = open({ sets: [set(withSet)], claims: [held], pods: [pod([toSet()])] });
    expect([...wakes.workloadGone(set({}, { uid: 'uid-2' }))]).toEqual([{ key: keyOfSet, delay: 2_000 }]);
  });
});
