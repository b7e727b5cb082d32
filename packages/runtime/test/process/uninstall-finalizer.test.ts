import { expect, test } from '@jest/globals';
import { configMaps, removeFinalizerPatch, type ConfigMap } from '@holdfast/core';
import { uninstallFinalizer } from '../../src/process/uninstall-finalizer.ts';
import { MustStay, type StepOptions } from '../../src/process/uninstall-step.ts';

const ours = 'example.com/ours';
const step = uninstallFinalizer(configMaps, ours);
const options = {} as StepOptions;

function map(metadata: Partial<ConfigMap['metadata']>): ConfigMap {
  return { metadata: { namespace: 'shop', name: 'a', uid: 'uid-1', resourceVersion: '1', ...metadata } };
}

test('object with our finalizer -> it is taken off, and no other', () => {
  const object = map({ finalizers: ['example.com/theirs', ours] });
  expect(step.takeBack(object, options)).toEqual(removeFinalizerPatch(object, ours));
});

test('object without it -> left alone', () => {
  expect(step.takeBack(map({}), options)).toBeUndefined();
  expect(step.takeBack(map({ finalizers: ['example.com/theirs'] }), options)).toBeUndefined();
});

test('object that is terminating -> keeps it, since it has still to be cleaned up', () => {
  const deletionTimestamp = '2030-01-01T00:00:00Z';
  expect(() => step.takeBack(map({ finalizers: [ours], deletionTimestamp }), options)).toThrow(MustStay);
  expect(
    step.takeBack(map({ finalizers: ['example.com/theirs'], deletionTimestamp }), options),
  ).toBeUndefined();
});
