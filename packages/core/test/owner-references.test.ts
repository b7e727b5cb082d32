import { describe, expect, test } from '@jest/globals';
import { controllerOf, isControlledBy, isOwnedBy, type OwnerReference } from '@holdfast/core';
import { stored } from './stored.ts';

function reference(uid: string, controller?: boolean): OwnerReference {
  const base = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web', uid };
  return controller === undefined ? base : { ...base, controller };
}

const owner = stored({ name: 'web', uid: 'owner' });

describe.each<{
  state: string;
  references: readonly OwnerReference[] | undefined;
  controls: boolean;
  owns: boolean;
}>([
  { state: 'no references', references: undefined, controls: false, owns: false },
  { state: 'empty list', references: [], controls: false, owns: false },
  { state: 'owner as controller', references: [reference('owner', true)], controls: true, owns: true },
  { state: 'owner, not as controller', references: [reference('owner', false)], controls: false, owns: true },
  { state: 'owner, controller not said', references: [reference('owner')], controls: false, owns: true },
  {
    state: 'same name, other UID: the owner was made again',
    references: [reference('owner-before', true)],
    controls: false,
    owns: false,
  },
  {
    state: 'another controls, owner owns',
    references: [reference('owner'), reference('other', true)],
    controls: false,
    owns: true,
  },
  {
    state: 'another owns, owner controls',
    references: [reference('other'), reference('owner', true)],
    controls: true,
    owns: true,
  },
])('$state', ({ references, controls, owns }) => {
  const object = stored(references === undefined ? {} : { ownerReferences: references });

  test(`-> controlled: ${String(controls)}`, () => {
    expect(isControlledBy(object, owner)).toBe(controls);
  });

  test(`-> owned: ${String(owns)}`, () => {
    expect(isOwnedBy(object, owner)).toBe(owns);
  });
});

test('several owners -> the controller is the one that says so', () => {
  const references = [reference('a'), reference('b', true), reference('c', false)];
  expect(controllerOf(stored({ ownerReferences: references }))).toEqual(references[1]);
});

test('no controller among the owners -> undefined', () => {
  expect(controllerOf(stored({ ownerReferences: [reference('a')] }))).toBeUndefined();
  expect(controllerOf(stored())).toBeUndefined();
});
