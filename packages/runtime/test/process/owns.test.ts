import { describe, expect, test } from '@jest/globals';
import {
  configMaps,
  deployments,
  objectKey,
  storageClasses,
  type ConfigMap,
  type Deployment,
  type KubernetesObject,
  type OwnerReference,
} from '@holdfast/core';
import type { EventHandler } from '../../src/cache/informer.ts';
import { createStore } from '../../src/cache/store.ts';
import { owns, type Kept } from '../../src/process/owns.ts';
import { createProjection } from '../../src/wire/projection.ts';

const web = {
  metadata: { namespace: 'shop', name: 'web', uid: 'uid-1', resourceVersion: '1' },
} as Deployment;
const toWeb: OwnerReference = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  name: 'web',
  uid: 'uid-1',
  controller: true,
};

function map(...ownerReferences: readonly OwnerReference[]): ConfigMap {
  return { metadata: { namespace: 'shop', name: 'a', uid: 'uid-2', resourceVersion: '1', ownerReferences } };
}

/** What is woken by each kind of change of a child. */
function wokenOf<Owner extends KubernetesObject>(
  resource: Kept<Owner>['resource'],
  owners: readonly Owner[],
) {
  const store = createStore<Owner>();
  owners.forEach((owner) => store.set(owner));
  let handler: EventHandler<ConfigMap> = {};
  const children: Kept<ConfigMap> = {
    resource: configMaps,
    store: createStore<ConfigMap>(),
    addHandler: (given) => (handler = given),
  };
  const woken: string[] = [];
  owns(
    { resource, store, addHandler: () => undefined },
    children,
  )({
    add: (key) => woken.push(key),
    addAfter: () => undefined,
  });
  const take = (call: () => void): readonly string[] => {
    call();
    return woken.splice(0);
  };
  return {
    added: (child: ConfigMap) => take(() => handler.added?.(child, false)),
    updated: (before: ConfigMap, after: ConfigMap) => take(() => handler.updated?.(before, after)),
    deleted: (last: ConfigMap) => take(() => handler.deleted?.(last)),
  };
}

describe('owns', () => {
  const key = objectKey(web);

  test.each<{ state: string; reference: OwnerReference; wakes: boolean; gone: boolean }>([
    { state: 'its controller', reference: toWeb, wakes: true, gone: true },
    {
      state: 'another version of the group',
      reference: { ...toWeb, apiVersion: 'apps/v2' },
      wakes: true,
      gone: true,
    },
    {
      state: 'another group',
      reference: { ...toWeb, apiVersion: 'apps.example.com/v1' },
      wakes: false,
      gone: false,
    },
    { state: 'the core group', reference: { ...toWeb, apiVersion: 'v1' }, wakes: false, gone: false },
    { state: 'another kind', reference: { ...toWeb, kind: 'DaemonSet' }, wakes: false, gone: false },
    { state: 'a name that is not there', reference: { ...toWeb, name: 'db' }, wakes: false, gone: false },
    { state: 'no controller', reference: { ...toWeb, controller: false }, wakes: false, gone: false },
    { state: 'a former one of its name', reference: { ...toWeb, uid: 'uid-0' }, wakes: false, gone: true },
  ])(
    'child of $state -> owner woken when it comes: $wakes, when it goes: $gone',
    ({ reference, wakes, gone }) => {
      const { added, updated, deleted } = wokenOf(deployments, [web]);
      const child = map(reference);
      expect(added(child)).toEqual(wakes ? [key] : []);
      expect(updated(child, child)).toEqual(wakes ? [key, key] : []);
      expect(deleted(child)).toEqual(gone ? [key] : []);
    },
  );

  test('child is given to another owner, or let go -> who has lost it is woken too', () => {
    const db = { metadata: { ...web.metadata, name: 'db', uid: 'uid-3' } } as Deployment;
    const { updated } = wokenOf(deployments, [web, db]);
    expect(updated(map(toWeb), map({ ...toWeb, name: 'db', uid: 'uid-3' }))).toEqual([key, objectKey(db)]);
    expect(updated(map(toWeb), map())).toEqual([key]);
  });

  test('owner without a namespace -> woken by children in any', () => {
    const metadata = { name: 'fast', uid: 'uid-4', resourceVersion: '1' };
    const { added } = wokenOf(storageClasses, [{ metadata, provisioner: 'x' }]);
    const { uid, name } = metadata;
    expect(
      added(map({ apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', name, uid, controller: true })),
    ).toEqual(['fast']);
  });

  test('owner of the core group -> woken by children that name its version alone', () => {
    const { added } = wokenOf(configMaps, [
      { metadata: { namespace: 'shop', name: 'web', uid: 'uid-1', resourceVersion: '1' } },
    ]);
    expect(added(map({ ...toWeb, apiVersion: 'v1', kind: 'ConfigMap' }))).toEqual([key]);
  });

  describe('children kept with a projection', () => {
    const field = { apiVersion: true, kind: true, name: true, uid: true, controller: true } as const;
    const ownedBy = (reference: Partial<typeof field>): void => {
      const children = {
        resource: configMaps,
        store: createStore<ConfigMap>(),
        addHandler: () => undefined,
        projection: createProjection(configMaps, { metadata: { ownerReferences: [reference] } }),
      };
      owns(
        { resource: deployments, store: createStore<Deployment>(), addHandler: () => undefined },
        children,
      );
    };

    test('with all that tells a controller -> taken', () => {
      expect(() => ownedBy(field)).not.toThrow();
    });

    test.each(Object.keys(field))('without %s -> Error with the fields to keep', (missing) => {
      const rest = Object.fromEntries(Object.entries(field).filter(([name]) => name !== missing));
      expect(() => ownedBy(rest)).toThrow(
        /cache of configmaps.*its Deployment; add metadata: \{ ownerReferences/,
      );
    });
  });
});
