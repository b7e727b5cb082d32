import { describe, expect, test } from '@jest/globals';
import {
  configMaps,
  deployments,
  ownerReference,
  storageClasses,
  type ApiResource,
  type ConfigMap,
  type Deployment,
  type KubernetesObject,
  type OwnerReference,
  type StorageClass,
} from '@holdfast/core';
import { createStore } from '../../src/cache/store.ts';
import { ApiError } from '../../src/client/api-error.ts';
import type { Applied } from '../../src/client/verbs.ts';
import {
  createApplyChild,
  type ApplyChildOptions,
  type ChildConfiguration,
} from '../../src/process/apply-child.ts';
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

interface Asked {
  readonly resourceVersion?: string;
  readonly ownerReferences?: readonly OwnerReference[];
}

/** Applies a map of the deployment once, and answers what was sent. */
function setUp({ cached, live }: { readonly cached?: ConfigMap; readonly live?: ConfigMap }) {
  const store = createStore<ConfigMap>();
  if (cached !== undefined) {
    store.set(cached);
  }
  const sent: ('get' | Sent)[] = [];
  const configurations: unknown[] = [];
  let answer: Applied<ConfigMap> | Error = { kind: 'written', object: map('2', toWeb) };
  const client = {
    get: () => {
      sent.push('get');
      const status = { reason: 'NotFound', message: 'configmaps "a" not found' };
      return live === undefined ? Promise.reject(new ApiError('GET a', 404, status)) : Promise.resolve(live);
    },
    apply: (
      _resource: unknown,
      at: unknown,
      configuration: {
        readonly metadata?: { readonly uid?: string; readonly resourceVersion?: string };
      },
      { force, ...how }: { readonly force?: boolean },
    ) => {
      const { metadata } = configuration;
      sent.push({ uid: metadata?.uid, resourceVersion: metadata?.resourceVersion, force });
      configurations.push({ at, configuration, ...how });
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    },
  } as ApplyChildOptions<Deployment>['client'];
  const applyChild = createApplyChild({ client, resource: deployments, fieldManager: 'test' });
  const children = { resource: configMaps, store, addHandler: () => undefined };
  const { signal } = new AbortController();
  return {
    store,
    sent,
    configurations,
    answer: (given: Applied<ConfigMap>) => (answer = given),
    fail: (error: Error) => (answer = error),
    apply: (text = 'x', asked: Asked = {}) =>
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
      expect((error as Error).message).toMatch(
        /^ConfigMap "shop\/a" (is there already|of before has still to go)/,
      );
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

  test('configuration -> sent as it was given, by this manager, with the owner as the one controller', async () => {
    const { apply, configurations } = setUp({ cached: map('7', toWeb) });
    const backup: OwnerReference = { ...toWeb, kind: 'Backup', name: 'b', uid: 'uid-4', controller: false };
    await apply('x', { ownerReferences: [toWeb, backup] });
    expect(configurations).toEqual([
      {
        at: ref,
        configuration: {
          metadata: { name: 'a', uid: 'uid-2', resourceVersion: '7', ownerReferences: [backup, toWeb] },
          data: { text: 'x' },
        },
        fieldManager: 'test',
        signal: expect.any(AbortSignal),
      },
    ]);
  });

  describe('its namespace is terminating', () => {
    const causes = [{ reason: 'NamespaceTerminating' }];
    const terminating = new ApiError('PATCH a', 403, { reason: 'Forbidden', details: { causes } });

    test('so is its owner -> ends early', async () => {
      const { apply, fail } = setUp({});
      fail(terminating);
      const end: unknown = await apply().catch((error: unknown) => error);
      expect((end as EarlyEnd).result).toEqual({
        kind: 'lookAgain',
        reason: 'namespace "shop" is terminating',
      });
    });

    test('its owner is one of the cluster, and stays -> thrown', async () => {
      const { apply } = setUpOfCluster(configMaps, () => Promise.reject(terminating));
      await expect(apply(ref)).rejects.toBe(terminating);
    });

    test('another error -> thrown as it is', async () => {
      const { apply, fail } = setUp({});
      const error = new ApiError('PATCH a', 403, { reason: 'Forbidden' });
      fail(error);
      await expect(apply()).rejects.toBe(error);
    });
  });
});

/** Applies a child of a StorageClass. */
function setUpOfCluster<Child extends KubernetesObject>(
  resource: ApiResource<Child>,
  answer: () => Promise<Applied<Child>>,
) {
  const zone = { metadata: { name: 'zone', uid: 'uid-9', resourceVersion: '1' }, provisioner: 'x' };
  const refs: unknown[] = [];
  const client = {
    get: () => Promise.reject(new ApiError('GET a', 404, { reason: 'NotFound' })),
    apply: (_resource: unknown, at: unknown) => {
      refs.push(at);
      return answer();
    },
  } as unknown as ApplyChildOptions<StorageClass>['client'];
  const applyChild = createApplyChild({ client, resource: storageClasses, fieldManager: 'test' });
  const children = { resource, store: createStore<Child>(), addHandler: () => undefined };
  const { signal } = new AbortController();
  return {
    refs,
    apply: (metadata: { readonly name: string; readonly namespace?: string }) =>
      applyChild.apply(zone, children, { metadata } as ChildConfiguration<Child>, signal),
  };
}

describe('createApplyChild of an owner of the cluster', () => {
  test('child in a namespace -> says which, and is refused without', async () => {
    const { apply, refs } = setUpOfCluster(configMaps, () =>
      Promise.resolve({ kind: 'written', object: map('1') }),
    );
    await apply(ref);
    expect(refs).toEqual([ref]);
    await expect(apply({ name: 'a' })).rejects.toThrow(
      'ConfigMap "a" has no namespace, nor has its owner, StorageClass "zone"; give metadata.namespace',
    );
  });

  test('child in a namespace that is not there -> Error that names it', async () => {
    const { apply } = setUpOfCluster(configMaps, () => Promise.resolve({ kind: 'gone' }));
    await expect(apply(ref)).rejects.toThrow(
      'ConfigMap "shop/a" can\'t be made: there is no namespace "shop"; create it, or choose another one',
    );
  });

  test('child of the cluster, gone -> ends early: its kind is not served', async () => {
    const { apply, refs } = setUpOfCluster(storageClasses, () => Promise.resolve({ kind: 'gone' }));
    const end: unknown = await apply(ref).catch((error: unknown) => error);
    expect((end as EarlyEnd).result).toEqual({ kind: 'done' });
    expect(refs).toEqual([{ name: 'a' }]);
  });
});
