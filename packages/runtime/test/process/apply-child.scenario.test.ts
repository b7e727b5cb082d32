import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  configMaps,
  namespaces,
  storageClasses,
  type ConfigMap,
  type KubernetesObject,
  type OwnerReference,
} from '@holdfast/core';
import { controlPlaneMissing, startControlPlane, type ControlPlane } from '@holdfast/testing';
import { createStore } from '../../src/cache/store.ts';
import { find } from '../../src/client/find.ts';
import type { WritingClient } from '../../src/client/verbs.ts';
import { createApplyChild, type ApplyChildOptions } from '../../src/process/apply-child.ts';
import { EarlyEnd } from '../../src/process/early-end.ts';
import { connectPlane, type ConnectedPlane } from '../connected-plane.ts';

/*
 * Whose child an object is, where a cache or a look has grown old: what the API server makes of it, on whatever control
 * plane is chosen.
 */

const suite = controlPlaneMissing() === undefined ? describe : describe.skip;
const namespace = 'default';

suite('apply of a child', () => {
  let connected: ConnectedPlane<ControlPlane>;
  let client: WritingClient;

  beforeAll(async () => {
    connected = await connectPlane(startControlPlane());
    ({ client } = connected);
  }, 90_000);

  afterAll(() => connected.close(), 60_000);

  const make = (name: string, data: Record<string, string>): Promise<ConfigMap> =>
    client.create(configMaps, namespace, { metadata: { name }, data });
  const read = (name: string): Promise<ConfigMap | undefined> =>
    find(client, configMaps, { namespace, name });

  /** Applies `data: { own: 'x' }` as the child of a map, of which the cache has what it is given. */
  const applier = (owner: ConfigMap, name: string, given: Partial<ApplyChildOptions<ConfigMap>> = {}) => {
    const store = createStore<ConfigMap>();
    const { apply } = createApplyChild({ client, resource: configMaps, fieldManager: 'test', ...given });
    const children = { resource: configMaps, store, addHandler: () => undefined };
    return {
      store,
      apply: (
        own = 'x',
        asked: { readonly ownerReferences?: readonly OwnerReference[] } = {},
      ): Promise<ConfigMap> =>
        apply(owner, children, { metadata: { name, ...asked }, data: { own } }, AbortSignal.timeout(30_000)),
    };
  };
  const endOf = (applied: Promise<KubernetesObject>): Promise<unknown> =>
    applied.then(
      () => 'applied',
      (error: unknown) => (error instanceof EarlyEnd ? error.result.kind : String(error)),
    );

  test('somebody makes an object of that name after the look, with other fields -> not taken over', async () => {
    const owner = await make('late-owner', {});
    const { apply } = applier(owner, 'late', {
      client: {
        get: async (...asked) => {
          try {
            return await client.get(...asked);
          } finally {
            await make('late', { precious: 'yes' });
          }
        },
        apply: client.apply,
      },
    });
    expect(await endOf(apply())).toBe('lookAgain');
    const after = await read('late');
    expect([after?.data, after?.metadata.ownerReferences]).toEqual([{ precious: 'yes' }, undefined]);
  });

  test('child was let go, and the cache does not know yet -> not taken back', async () => {
    const owner = await make('left-owner', {});
    const { store, apply } = applier(owner, 'left');
    store.set(await apply());
    await client.patch(configMaps, { namespace, name: 'left' }, [
      { op: 'remove', path: '/metadata/ownerReferences' },
    ]);
    expect(await endOf(apply('y'))).toContain(
      '"default/left" is there already, and nobody is its controller',
    );
    const after = await read('left');
    expect([after?.data, after?.metadata.ownerReferences]).toEqual([{ own: 'x' }, undefined]);
  });

  test('child was changed by others, and the cache does not know yet -> applied all the same', async () => {
    const owner = await make('busy-owner', {});
    const { store, apply } = applier(owner, 'busy');
    store.set(await apply());
    await client.patch(configMaps, { namespace, name: 'busy' }, [
      { op: 'add', path: '/data/theirs', value: 'z' },
    ]);
    expect((await apply('y')).data).toEqual({ own: 'y', theirs: 'z' });
  });

  test('owners that the child has are given, its controller among them -> each once', async () => {
    const owner = await make('kept-owner', {});
    const { metadata } = await make('kept-other', {});
    const { store, apply } = applier(owner, 'kept');
    const child = await apply();
    store.set(child);
    const other = { apiVersion: 'v1', kind: 'ConfigMap', name: metadata.name, uid: metadata.uid };
    const ownerReferences = [...(child.metadata.ownerReferences ?? []), other];
    const after = await apply('x', { ownerReferences });
    expect(after.metadata.ownerReferences?.map(({ name }) => name).toSorted()).toEqual([
      'kept-other',
      'kept-owner',
    ]);
  });

  test('owner without a namespace, child in a namespace that is not there -> an error that names it', async () => {
    const owner = await client.create(storageClasses, undefined, {
      metadata: { name: 'apply-child' },
      provisioner: 'example.com/none',
    });
    const { apply } = createApplyChild({ client, resource: storageClasses, fieldManager: 'test' });
    const children = { resource: configMaps, store: createStore<ConfigMap>(), addHandler: () => undefined };
    const metadata = { name: 'a', namespace: 'nowhere' };
    expect(await endOf(apply(owner, children, { metadata }, AbortSignal.timeout(30_000)))).toBe(
      'Error: ConfigMap "nowhere/a" can\'t be made: there is no namespace "nowhere"; create it, or choose another one',
    );
  });

  test('namespace is terminating, and the owner with it -> looked at again, and no error', async () => {
    const metadata = { name: 'ending' };
    await client.create(namespaces, undefined, { metadata });
    const owner = await client.create(configMaps, 'ending', {
      metadata: { name: 'owner', finalizers: ['example.com/stay'] },
    });
    await client.delete(namespaces, metadata);
    const { apply } = applier(owner, 'new');
    expect(await endOf(apply())).toBe('lookAgain');
    await client.patch(configMaps, owner.metadata, [{ op: 'remove', path: '/metadata/finalizers' }]);
  });
});
