import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  addFinalizerPatch,
  guardedPatch,
  persistentVolumeClaims,
  removeFinalizerPatch,
  type JsonPatch,
} from '@holdfast/core';
import { isOutdated, type ApiClient } from '@holdfast/runtime';
import { controlPlaneMissing, startControlPlane, type ControlPlane } from '@holdfast/testing';
import { connectPlane, type ConnectedPlane } from '../connected-plane.ts';

/* What the API server really answers, on whatever control plane is chosen. */

const suite = controlPlaneMissing() === undefined ? describe : describe.skip;
const finalizer = 'example.com/keep';
const namespace = 'default';

suite('a write that did not take place', () => {
  let connected: ConnectedPlane<ControlPlane>;
  let client: ApiClient;

  beforeAll(async () => {
    connected = await connectPlane(startControlPlane());
    ({ client } = connected);
  }, 90_000);

  afterAll(() => connected.close(), 60_000);

  const claim = (finalizers: readonly string[] = []) =>
    client.create(persistentVolumeClaims, namespace, {
      metadata: { generateName: 'data-', finalizers },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    });
  const errorOf = (name: string, patch: JsonPatch): Promise<unknown> =>
    client.patch(persistentVolumeClaims, { namespace, name }, patch).then(
      () => undefined,
      (error: unknown) => error,
    );

  test('another object has the name by now -> outdated', async () => {
    const { metadata } = await claim();
    const before = { metadata: { ...metadata, uid: 'an-earlier-one' } };
    expect(isOutdated(await errorOf(metadata.name, guardedPatch(before, [])))).toBe(true);
  });

  test('the finalizer to be removed is gone by now -> outdated', async () => {
    const before = await claim([finalizer]);
    const patch = removeFinalizerPatch(before, finalizer);
    expect(await errorOf(before.metadata.name, patch)).toBeUndefined();
    expect(isOutdated(await errorOf(before.metadata.name, patch))).toBe(true);
  });

  test('nothing at the path of a remove -> outdated', async () => {
    const { metadata } = await claim();
    const patch: JsonPatch = [{ op: 'remove', path: '/metadata/annotations/none' }];
    expect(isOutdated(await errorOf(metadata.name, patch))).toBe(true);
  });

  test('an annotation with characters of HTML, tested and replaced -> not outdated', async () => {
    const { metadata } = await claim();
    const path = '/metadata/annotations';
    const annotations = { note: 'R&D <\u2028>' };
    expect(await errorOf(metadata.name, [{ op: 'add', path, value: annotations }])).toBeUndefined();
    const patch: JsonPatch = [
      { op: 'test', path, value: annotations },
      { op: 'replace', path: `${path}/note`, value: 'none' },
    ];
    expect(await errorOf(metadata.name, patch)).toBeUndefined();
  });

  test('a finalizer for what is terminating by now -> outdated', async () => {
    const before = await claim([finalizer]);
    await client.delete(persistentVolumeClaims, { namespace, name: before.metadata.name });
    const patch = addFinalizerPatch(before, 'example.com/more');
    expect(isOutdated(await errorOf(before.metadata.name, patch))).toBe(true);
  });

  test('a delete whose precondition does not hold -> outdated', async () => {
    const { metadata } = await claim();
    const error: unknown = await client
      .delete(
        persistentVolumeClaims,
        { namespace, name: metadata.name },
        { preconditions: { uid: 'an-earlier-one' } },
      )
      .catch((reason: unknown) => reason);
    expect(isOutdated(error)).toBe(true);
  });

  test('validation refuses the write -> not outdated, since it would refuse it again', async () => {
    const { metadata } = await claim();
    const patch: JsonPatch = [{ op: 'replace', path: '/spec/accessModes', value: ['ReadOnlyMany'] }];
    const error = await errorOf(metadata.name, patch);
    expect(error).toMatchObject({ code: 422 });
    expect(isOutdated(error)).toBe(false);
  });

  test('the object is gone -> not outdated, there is nothing to look at again', async () => {
    const error = await errorOf('none', [{ op: 'test', path: '/metadata/name', value: 'none' }]);
    expect(error).toMatchObject({ code: 404 });
    expect(isOutdated(error)).toBe(false);
  });
});
