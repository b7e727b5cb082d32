import { describe, expect, test } from '@jest/globals';
import {
  configMaps,
  deployments,
  ownerReference,
  storageClasses,
  type ConfigMap,
  type Deployment,
  type OwnerReference,
  type StorageClass,
} from '@holdfast/core';
import { createStore } from '../../src/cache/store.ts';
import { ApiError } from '../../src/client/api-error.ts';
import type { Applied } from '../../src/client/verbs.ts';
import { createApplyChild, type ApplyChildOptions } from '../../src/process/apply-child.ts';
import { EarlyEnd } from '../../src/process/early-end.ts';

const web = {
  metadata: { namespace: 'shop', name: 'web', uid: 'uid-1', resourceVersion: '1' },
} as Deployment;
const ref = { namespace: 'shop', name: 'a' };
const toWeb = ownerReference(deployments, web, { metadata: ref }, { controller: true });

function map(resourceVersion: string, ...ownerReferences: readonly OwnerReference[]): ConfigMap {
  return { metadata: { ...ref, uid: 'uid-2', resourceVersion, ownerReferences } };
}

interface Sent {
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
  readonly force: boolean | undefined;
}

/** Applies a map of the deployment once, and answers what was sent. */
function setUp({ cached, live }: { readonly cached?: ConfigMap; readonly live?: ConfigMap }) {
  const store = createStore<ConfigMap>();
  if (cached !== undefined) {
    store.set(cached);
  }
  const sent: ('get' | Sent)[] = [];
  let answer: Applied<ConfigMap> = { kind: 'written', object: map('2', toWeb) };
  const client = {
    get: () => {
      sent.push('get');
      const status = { reason: 'NotFound', message: 'configmaps "a" not found' };
      return live === undefined ? Promise.reject(new ApiError('GET a', 404, status)) : Promise.resolve(live);
    },
    apply: (
      _resource: unknown,
      _ref: unknown,
      { metadata }: { readonly metadata?: { readonly uid?: string; readonly resourceVersion?: string } },
      { force }: { readonly force?: boolean },
    ) => {
      sent.push({ uid: metadata?.uid, resourceVersion: metadata?.resourceVersion, force });
      return Promise.resolve(answer);
    },
  } as ApplyChildOptions<Deployment>['client'];
  const applyChild = createApplyChild({ client, resource: deployments, fieldManager: 'test' });
  const children = { resource: configMaps, store, addHandler: () => undefined };
  const { signal } = new AbortController();
  return {
    store,
    sent,
    answer: (given: Applied<ConfigMap>) => (answer = given),
    apply: (text = 'x', asked: { readonly resourceVersion?: string } = {}) =>
      applyChild.apply(web, children, { metadata: { name: ref.name, ...asked }, data: { text } }, signal),
    change: () =>
      applyChild.change(web, children, { metadata: { name: ref.name }, data: { text: 'x' } }, signal),
  };
}

describe('createApplyChild', () => {
  test('child of the owner is in the cache -> forced, of that very child in that very version', async () => {
    const { apply, sent } = setUp({ cached: map('7', toWeb) });
    await apply();
    expect(sent).toEqual([{ uid: 'uid-2', resourceVersion: '7', force: true }]);
  });

  test('child of the owner is not in the cache yet -> looked for, then forced, of that very child in that very version', async () => {
    const { apply, sent } = setUp({ live: map('7', toWeb) });
    await apply();
    expect(sent).toEqual(['get', { uid: 'uid-2', resourceVersion: '7', force: true }]);
  });

  test('there is no child -> made, by no force, in a version that no object has', async () => {
    const { apply, sent } = setUp({});
    await apply();
    expect(sent).toEqual(['get', { uid: undefined, resourceVersion: '1', force: false }]);
  });

  test('child in the cache is outdated -> looked for and applied to once, then ends early', async () => {
    const { apply, sent, answer } = setUp({ cached: map('7', toWeb), live: map('8', toWeb) });
    answer({ kind: 'outdated', reason: 'modified' });
    await expect(apply()).rejects.toThrow(EarlyEnd);
    expect(sent).toEqual([
      { uid: 'uid-2', resourceVersion: '7', force: true },
      'get',
      { uid: 'uid-2', resourceVersion: '8', force: true },
    ]);
  });

  test('configuration has a version of its own -> that one counts', async () => {
    const { apply, sent } = setUp({ cached: map('7', toWeb) });
    await apply('x', { resourceVersion: '5' });
    expect(sent).toEqual([{ uid: 'uid-2', resourceVersion: '5', force: true }]);
  });

  test('the cache has the answer’s version -> nothing more is sent, until the cache or what is wanted changes', async () => {
    const { apply, sent, store } = setUp({ cached: map('2', toWeb) });
    await apply();
    await apply();
    expect(sent.length).toBe(1);
    await apply('y');
    expect(sent.length).toBe(2);
    await apply('y');
    expect(sent.length).toBe(2);
    store.set(map('2', toWeb));
    await apply('y');
    expect(sent.length).toBe(3);
  });

  test('the cache has another version than the answer -> sent again', async () => {
    const { apply, sent } = setUp({ cached: map('1', toWeb) });
    await apply();
    await apply();
    expect(sent.length).toBe(2);
  });

  test.each<{ state: string; answer: Applied<ConfigMap>; result: EarlyEnd['result'] }>([
    {
      state: 'somebody else has made it just now',
      answer: { kind: 'conflict', conflicts: [] },
      result: { kind: 'lookAgain', reason: 'ConfigMap "shop/a" was made by somebody else just now' },
    },
    {
      state: 'it is another one by now',
      answer: { kind: 'outdated', reason: 'uid' },
      result: { kind: 'lookAgain', reason: 'uid' },
    },
    { state: 'its namespace is gone', answer: { kind: 'gone' }, result: { kind: 'done' } },
  ])('$state -> ends early: $result.kind', async ({ answer, result }) => {
    const { apply, answer: give } = setUp({});
    give(answer);
    const end: unknown = await apply().catch((error: unknown) => error);
    expect(end).toBeInstanceOf(EarlyEnd);
    expect((end as EarlyEnd).result).toEqual(result);
  });

  test.each<{ state: string; live: ConfigMap; kind: string }>([
    { state: 'nobody’s', live: map('1'), kind: 'Error' },
    { state: 'another’s', live: map('1', { ...toWeb, name: 'db', uid: 'uid-3' }), kind: 'Error' },
    { state: 'owned, and not controlled', live: map('1', { ...toWeb, controller: false }), kind: 'Error' },
    {
      state: 'that of a kind of the same name in another group',
      live: map('1', { ...toWeb, apiVersion: 'apps.example.com/v1', uid: 'uid-0' }),
      kind: 'Error',
    },
    { state: 'a former owner’s of that name', live: map('1', { ...toWeb, uid: 'uid-0' }), kind: 'EarlyEnd' },
    {
      state: 'nobody’s, and terminating',
      live: { metadata: { ...map('1').metadata, deletionTimestamp: '2030-01-01T00:00:00Z' } },
      kind: 'EarlyEnd',
    },
  ])('object of that name is $state -> not touched: $kind', async ({ live, kind }) => {
    for (const cached of [{}, { cached: live }]) {
      const { apply, sent } = setUp({ ...cached, live });
      const error: unknown = await apply().catch((thrown: unknown) => thrown);
      expect([(error as Error).name, sent]).toEqual([kind, ['get']]);
    }
  });

  test('changed, and it is there -> as applied; it is not, or is another’s -> nothing is sent', async () => {
    const present = setUp({ live: map('1', toWeb) });
    expect(await present.change()).toEqual(map('2', toWeb));
    expect(present.sent).toEqual(['get', { uid: 'uid-2', resourceVersion: '1', force: true }]);
    for (const live of [undefined, map('1'), map('1', { ...toWeb, uid: 'uid-0' })]) {
      const { change, sent } = setUp(live === undefined ? {} : { live });
      expect([await change(), sent]).toEqual([undefined, ['get']]);
    }
  });

  test('owner of the cluster -> its child says its namespace, and is refused without', async () => {
    const zone = { metadata: { name: 'zone', uid: 'uid-9', resourceVersion: '1' }, provisioner: 'x' };
    const refs: unknown[] = [];
    const client = {
      get: () => Promise.reject(new ApiError('GET a', 404, { reason: 'NotFound' })),
      apply: (_resource: unknown, at: unknown) => {
        refs.push(at);
        return Promise.resolve({ kind: 'written', object: map('1') });
      },
    } as unknown as ApplyChildOptions<StorageClass>['client'];
    const applyChild = createApplyChild({ client, resource: storageClasses, fieldManager: 'test' });
    const children = { resource: configMaps, store: createStore<ConfigMap>(), addHandler: () => undefined };
    const { signal } = new AbortController();
    await applyChild.apply(zone, children, { metadata: ref }, signal);
    expect(refs).toEqual([ref]);
    await expect(applyChild.apply(zone, children, { metadata: { name: 'a' } }, signal)).rejects.toThrow(
      'ConfigMap "a" has no namespace, nor has its owner, StorageClass "zone"; give metadata.namespace',
    );
  });
});
