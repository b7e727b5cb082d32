import { describe, expect, test } from '@jest/globals';
import { statefulSets, type ApiResource, type KubernetesObject } from '@holdfast/core';
import { decideLeftover, namesAnotherKind, workloadsNamedOn } from '../../src/decide/leftover.ts';
import { claim, foreignController, foreignOwner, hold, leftover, noon, toPod, toSet } from '../snapshots.ts';

describe('claim named after no workload', () => {
  const orphan = { uid: 'uid-of-web-1', orphaned: true, namesClaim: true };

  test('the orphaned pod of a scale-down controls it -> the pod lets go of it', () => {
    const given = claim([toPod(), foreignOwner]);
    expect(decideLeftover(leftover({ claim: given }))).toMatchObject({ kind: 'askLive', about: 'pod' });
    expect(decideLeftover(leftover({ claim: given, livePod: orphan }))).toMatchObject({
      kind: 'setOwners',
      operation: 'remove',
      references: [foreignOwner],
    });
  });

  test.each([
    { name: 'pod is gone', livePod: 'none' },
    { name: 'another pod has the name', livePod: { ...orphan, uid: 'other' } },
    { name: 'pod has a controller, or no workload made it', livePod: { ...orphan, orphaned: false } },
    { name: "claim is the pod's ephemeral volume", livePod: { ...orphan, namesClaim: false } },
  ] as const)('$name -> left', ({ livePod }) => {
    expect(decideLeftover(leftover({ claim: claim([toPod()]), livePod })).kind).toBe('none');
  });

  test('mark -> cleared, and nothing else asked', () => {
    const marked = claim([toPod()], { mark: '2026-01-01T00:00:00Z' });
    expect(decideLeftover(leftover({ claim: marked })).kind).toBe('unmark');
  });

  test.each([
    { name: 'gone', given: undefined },
    { name: 'terminating', given: claim([toPod()], { deleted: true }) },
    { name: 'without owner', given: claim() },
    { name: "a pod's of another name", given: claim([toPod({ name: 'db-1' })]) },
    { name: "a pod's, not as controller", given: claim([toPod({ controller: false })]) },
    { name: "a set's", given: claim([toSet()]) },
  ])('claim is $name -> left', ({ given }) => {
    expect(decideLeftover(leftover({ claim: given })).kind).toBe('none');
  });
});

describe('claim of a workload of a kind that another process watches', () => {
  const kruise: ApiResource<KubernetesObject> = {
    group: 'apps.kruise.io',
    version: 'v1beta1',
    kind: 'StatefulSet',
    plural: 'statefulsets',
    namespaced: true,
  };
  const tied = claim();
  const tie = { 'holdfast.dev/deleted-with': 'StatefulSet.apps/web/uid-of-web/uid-of-claim' };

  test.each([
    { name: 'held for it', given: claim([toSet(), hold]), is: true },
    {
      name: 'held for it, the reference rewritten by a stock controller',
      given: claim([{ ...toSet(), blockOwnerDeletion: true }, hold]),
      is: true,
    },
    { name: 'marked with it', given: claim([], { mark: '2026-01-01T00:00:00Z' }), is: true },
    { name: 'tied to it', given: { metadata: { ...tied.metadata, annotations: tie } }, is: true },
    { name: 'held for nothing any more', given: claim([hold]), is: false },
    { name: 'owned by it, and confirmed', given: claim([toSet()]), is: false },
    { name: 'marked with nothing', given: claim([], { mark: 'x', markedUid: 'another' }), is: false },
  ])('$name -> known as such: $is; not where that kind is watched', ({ given, is }) => {
    expect(namesAnotherKind(given, [kruise])).toBe(is);
    expect(namesAnotherKind(given, [])).toBe(is);
    expect(namesAnotherKind(given, [kruise, statefulSets])).toBe(false);
  });

  test.each([
    { name: 'held', given: claim([toSet(), hold]), windows: true },
    { name: 'marked', given: claim([], { mark: '2026-01-01T00:00:00Z' }), windows: false },
  ])('R2: $name -> left to that process', ({ given, windows }) => {
    const left = leftover({ claim: given, windows, isOfAnotherKind: true });
    expect(decideLeftover(left)).toEqual({ kind: 'none', reason: 'NotOurs' });
  });
});

describe('claim whose workload has no template for it any more', () => {
  test.each([
    { name: 'the workload', reference: toSet() },
    { name: 'its pod', reference: toPod() },
  ])('controlled by $name -> only that reference goes', ({ reference }) => {
    expect(
      decideLeftover(leftover({ claim: claim([foreignOwner, reference]), withoutTemplate: [reference] })),
    ).toMatchObject({
      kind: 'setOwners',
      operation: 'remove',
      references: [foreignOwner],
      reason: 'TemplateGone',
    });
  });

  test('tied to it -> untied', () => {
    expect(decideLeftover(leftover({ isTiedInVain: true }))).toMatchObject({
      kind: 'untie',
      reason: 'TemplateGone',
    });
  });
});

test('R1: held claim has a controller that it is not named after -> only the hold goes', () => {
  const other = { ...foreignController, name: 'other' };
  expect(decideLeftover(leftover({ claim: claim([other, hold]) }))).toMatchObject({
    kind: 'setOwners',
    references: [other],
  });
});

test('claim was never tied, undo windows are off -> nothing', () => {
  expect(decideLeftover(leftover({ windows: false }))).toEqual({ kind: 'none', reason: 'NotOurs' });
});

test('due, the workload is gone, and whether a pod names the claim was not asked -> asked', () => {
  const { metadata } = claim();
  const workload = 'StatefulSet.apps/web/uid-of-web/uid-of-claim';
  const annotations = {
    'holdfast.dev/delete-after': new Date(noon - 1).toISOString(),
    'holdfast.dev/delete-after-uid': 'uid-of-claim',
    'holdfast.dev/delete-after-workload': workload,
  };
  const given = leftover({
    claim: { metadata: { ...metadata, annotations } },
    live: { workload: 'gone', inUse: 'notAsked' },
  });
  expect(decideLeftover(given)).toMatchObject({ kind: 'askLive', about: 'users' });
});

describe('workloads that a claim names', () => {
  const web = { kind: 'StatefulSet.apps', name: 'web', uid: 'uid-of-web' };
  const db = { kind: 'StatefulSet.apps', name: 'db', uid: 'uid-of-db' };
  const marked = claim([], { mark: '2026-01-01T00:00:00Z' });
  const tie = { 'holdfast.dev/deleted-with': 'StatefulSet.apps/db/uid-of-db/uid-of-claim' };
  const annotated = (annotations: Readonly<Record<string, string>>) => ({
    metadata: { ...marked.metadata, annotations },
  });

  test.each([
    { name: 'none', given: claim(), named: [] },
    { name: 'a mark', given: marked, named: [web] },
    { name: 'a tie', given: annotated(tie), named: [db] },
    { name: 'both', given: annotated({ ...marked.metadata.annotations, ...tie }), named: [web, db] },
    {
      name: 'a mark for another claim',
      given: claim([], { mark: '2026-01-01T00:00:00Z', markedUid: 'another' }),
      named: [],
    },
    {
      name: 'a tie that can not be read',
      given: annotated({ 'holdfast.dev/deleted-with': 'db' }),
      named: [],
    },
  ])('$name -> $named', ({ given, named }) => {
    expect(workloadsNamedOn(given)).toEqual(named);
  });
});
