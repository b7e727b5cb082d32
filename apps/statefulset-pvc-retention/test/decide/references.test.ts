import { describe, expect, test } from '@jest/globals';
import type { OwnerReference } from '@holdfast/core';
import {
  controllingPod,
  isNamedAfter,
  isOfKind,
  isOfOurForm,
  ownReferences,
} from '../../src/decide/references.ts';
import { claim, facts, stock, toPod, toSet } from '../snapshots.ts';

/** Each differs from a reference of ours in one thing. */
const foreign: readonly { readonly name: string; readonly reference: OwnerReference }[] = [
  { name: 'to a set of another name', reference: toSet({ name: 'db' }) },
  { name: 'to another kind of the name', reference: toSet({ kind: 'Deployment' }) },
  { name: 'to the kind of another group', reference: toSet({ apiVersion: 'apps.kruise.io/v1' }) },
  { name: 'to the set, not as controller', reference: toSet({ controller: false }) },
  { name: 'to a pod of another name', reference: toPod({ name: 'web-2' }) },
  { name: 'to another kind with the name of the pod', reference: toPod({ kind: 'Backup' }) },
  { name: 'to a Pod of another group', reference: toPod({ apiVersion: 'example.com/v1' }) },
  { name: 'to the pod, not as controller', reference: toPod({ controller: false }) },
];

describe('which references are ours to remove', () => {
  const owned = (reference: OwnerReference, enabled = true) =>
    ownReferences(claim([reference]), facts(), { podName: 'web-1', enabled });

  test.each(foreign)('$name -> not ours', ({ reference }) => {
    expect(owned(reference)).toStrictEqual([]);
  });

  test.each([
    { name: 'to the set', reference: toSet() },
    { name: 'to the set in another version', reference: toSet({ apiVersion: 'apps/v1beta1' }) },
    { name: 'to an earlier set of the name', reference: toSet({ uid: 'earlier' }) },
    { name: 'to the pod', reference: toPod() },
    { name: 'to the set, written by the stock controller', reference: stock(toSet()) },
  ])('$name -> ours', ({ reference }) => {
    expect(owned(reference)).toEqual([reference]);
  });

  test("gate off -> a stock controller's is not ours, and ours is", () => {
    expect(owned(stock(toSet()), false)).toStrictEqual([]);
    expect(owned(toSet(), false)).toEqual([toSet()]);
  });
});

test.each([
  { one: 'apps/v1', other: 'apps/v1beta1', is: true },
  { one: 'v1', other: 'v1', is: true },
  { one: 'apps/v1', other: 'v1', is: false },
  { one: 'apps/v1', other: 'opps/v1', is: false },
  { one: 'v1', other: 'v/v1', is: false },
])('a kind of $one and of $other -> the same: $is', ({ one, other, is }) => {
  expect(isOfKind(toSet({ apiVersion: one }), { apiVersion: other, kind: 'StatefulSet' })).toBe(is);
});

describe('the pod that controls a claim named after it', () => {
  test('controller, and the claim has its name at the end -> it', () => {
    expect(controllingPod(claim([toPod()]))).toEqual(toPod());
  });

  test.each([
    ...foreign.filter(({ reference }) => reference.kind !== 'StatefulSet'),
    { name: 'to a pod whose name begins within the last word', reference: toPod({ name: 'eb-1' }) },
    { name: 'to the set', reference: toSet({ name: 'web-1' }) },
  ])('$name -> none', ({ reference }) => {
    expect(controllingPod(claim([reference]))).toBeUndefined();
  });

  test.each(['web', 'web-01', 'web-1a', '1'])('named %s, which no pod of a workload is -> none', (name) => {
    const { metadata } = claim([toPod({ name })]);
    expect(controllingPod({ metadata: { ...metadata, name: `data-${name}` } })).toBeUndefined();
  });
});

describe('a reference in the form in which this program writes it', () => {
  test.each([
    { name: 'to the set', reference: toSet(), is: true },
    { name: 'to the set, not as controller', reference: toSet({ controller: false }), is: false },
    { name: 'to the set, written by the stock controller', reference: stock(toSet()), is: false },
    { name: 'to what the claim is not named after', reference: toSet({ name: 'db' }), is: false },
  ])('$name -> $is', ({ reference, is }) => {
    expect(isOfOurForm(claim(), reference)).toBe(is);
  });
});

test.each([
  { workload: 'web', is: true },
  { workload: 'eb', is: false },
  { workload: 'data-web', is: false },
  { workload: 'web-1', is: false },
  { workload: 'db', is: false },
])('claim data-web-1 -> named after $workload: $is', ({ workload, is }) => {
  expect(isNamedAfter(claim(), toSet({ name: workload }))).toBe(is);
});
