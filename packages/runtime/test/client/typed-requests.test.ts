import { expect, test } from '@jest/globals';
import type * as core from '@holdfast/core';
import {
  configMaps,
  deployments,
  parseKey,
  persistentVolumes,
  pods,
  statefulSets,
  type ApiResource,
  type ClusterResource,
  type KubernetesObject,
  type NamespacedResource,
  type ObjectRef,
  type Stored,
} from '@holdfast/core';
import { resultOfWrite } from '../../src/controller/reconcile-result.ts';
import type { ApiClient } from '../../src/client/api-client.ts';
import { evict } from '../../src/client/evict.ts';
import { find } from '../../src/client/find.ts';
import { podBinding, serviceAccountToken } from '../../src/client/subresource.ts';
import type { WritingClient } from '../../src/client/verbs.ts';

/*
 * What compiles, and what does not: `npm run typecheck` fails for each `@ts-expect-error` without an error. The requests are never sent.
 */

type Site = Stored<{ spec: { host: string; replicas?: number }; status?: { ready?: boolean } }>;

const example = { group: 'example.com', version: 'v1' };
const sites: NamespacedResource<Site> = { ...example, kind: 'Site', plural: 'sites', namespaced: true };
const zones: ClusterResource<Site> = { ...example, kind: 'Zone', plural: 'zones', namespaced: false };
const undeclared: ApiResource<Site> = sites;
const inShop = { namespace: 'shop', name: 'data' };
const named = { name: 'data' };

/** The constants of core of which the compiler does not know whether their objects have a namespace. */
type OfUnknownScope = {
  [Name in keyof typeof core]: (typeof core)[Name] extends ApiResource<KubernetesObject>
    ? boolean extends (typeof core)[Name]['namespaced']
      ? Name
      : never
    : never;
}[keyof typeof core];
const noneIsOfUnknownScope: [OfUnknownScope] extends [never] ? true : OfUnknownScope = true;

test('resources of core -> the compiler knows of each whether its objects have a namespace', () => {
  expect(noneIsOfUnknownScope).toBe(true);
});

/** Each is compiled, and none is called. */
const compiled: readonly ((client: WritingClient, ref: ObjectRef) => Promise<unknown>)[] = [
  (client) => client.get(configMaps, inShop),
  // @ts-expect-error a config map has a namespace
  (client) => client.get(configMaps, named),
  // @ts-expect-error a config map has a namespace
  (client) => client.patch(configMaps, { name: 'data' }, []),
  // @ts-expect-error a config map has a namespace
  (client) => client.delete(configMaps, { name: 'data' }),
  (client) => client.get(persistentVolumes, named),
  // @ts-expect-error a volume has no namespace
  (client) => client.get(persistentVolumes, inShop),
  // @ts-expect-error a volume has no namespace
  (client) => client.patch(persistentVolumes, { namespace: 'shop', name: 'data' }, []),
  // @ts-expect-error a volume has no namespace
  (client) => client.delete(persistentVolumes, inShop),
  (client) => find(client, configMaps, inShop),
  // @ts-expect-error a config map has a namespace
  (client) => find(client, configMaps, named),
  // @ts-expect-error a volume has no namespace
  (client) => find(client, persistentVolumes, inShop),

  // Known at run time only.
  (client, ref) => find(client, configMaps, ref),
  (client) => client.get(configMaps, parseKey('shop/data')),
  (client, ref) => client.delete(persistentVolumes, ref),
  async (client) => client.delete(persistentVolumes, (await client.get(persistentVolumes, named)).metadata),
  (client) => client.get(undeclared, named),
  (client) => client.get(undeclared, inShop),
  (client, ref) => getAny(client, undeclared, ref),

  (client) => client.get(sites, inShop),
  // @ts-expect-error a site has a namespace
  (client) => client.get(sites, named),
  (client) => client.get(zones, named),
  // @ts-expect-error a zone has no namespace
  (client) => client.get(zones, inShop),

  (client) => client.create(configMaps, 'shop', { metadata: named, data: { a: 'b' } }),
  // @ts-expect-error a config map has a namespace
  (client) => client.create(configMaps, undefined, { metadata: named }),
  // @ts-expect-error a volume has no namespace
  (client) => client.create(persistentVolumes, 'shop', { metadata: named }),
  (client, { namespace }) => client.create(configMaps, namespace, { metadata: named }),
  // @ts-expect-error no such field
  (client) => client.create(configMaps, 'shop', { metadata: named, date: { a: 'b' } }),
  // @ts-expect-error no such field
  (client) => client.create(deployments, 'shop', { metadata: named, spec: { ...apps, replcas: 2 } }),
  // @ts-expect-error not of this type
  (client) => client.create(deployments, 'shop', { metadata: named, spec: { ...apps, replicas: '2' } }),
  // @ts-expect-error a template is required
  (client) => client.create(statefulSets, 'shop', { metadata: named, spec: { replicas: 2 } }),
  // @ts-expect-error no such metadata
  (client) => client.create(configMaps, 'shop', { metadata: { nam: 'data' } }),
  (client) => client.create(deployments, 'shop', { spec: { ...apps, replicas: undefined } }),
  // @ts-expect-error the host is required
  (client) => client.create(sites, 'shop', { metadata: named, spec: { replicas: 1 } }),
  (client) => client.create(sites, 'shop', { metadata: named, spec: { host: 'a', replicas: 1 } }),
  // What is created there is of another kind than what is at the path's beginning.
  (client) =>
    client.create({ ...pods, kind: 'Binding', plural: `pods/${named.name}/binding` }, 'shop', { target: {} }),

  (client) => client.apply(deployments, inShop, { spec: { replicas: 2 } }, byUs),
  // @ts-expect-error no such field
  (client) => client.apply(deployments, inShop, { spec: { replcas: 2 } }, byUs),
  // @ts-expect-error a deployment has a namespace
  (client) => client.apply(deployments, named, {}, byUs),
  // @ts-expect-error a volume has no namespace
  (client) => client.apply(persistentVolumes, inShop, {}, byUs),
  (client) => client.apply(deployments, inShop, {}),
  (client) => client.apply(deployments, inShop, {}, { force: true }),
  (client) => client.mergePatch(configMaps, inShop, { data: { a: null }, metadata: { labels: null } }),
  // @ts-expect-error not of this type
  (client) => client.mergePatch(configMaps, inShop, { data: { a: 1 } }),
  // @ts-expect-error no such field
  (client) => client.mergePatch(configMaps, inShop, { date: {} }),
  // @ts-expect-error a config map has a namespace
  (client) => client.mergePatch(configMaps, named, {}),
  (client) => client.update(sites, inShop, (site) => ({ ...site, spec: { ...site.spec, replicas: 2 } })),
  // @ts-expect-error not of this type
  (client) => client.update(sites, inShop, (site) => ({ ...site, spec: { host: 1 } })),
  // @ts-expect-error a site has a namespace
  (client) => client.update(sites, named, (site) => site),
  (client) => client.deleteCollection(configMaps, 'shop', 'all'),
  (client) => client.deleteCollection(persistentVolumes, undefined, { labelSelector: 'a=b' }),
  // @ts-expect-error nothing says which
  (client) => client.deleteCollection(configMaps, 'shop'),
  // @ts-expect-error nothing says which
  (client) => client.deleteCollection(configMaps, 'shop', {}),
  // @ts-expect-error no such word
  (client) => client.deleteCollection(configMaps, 'shop', 'everything'),
  // @ts-expect-error a config map has a namespace
  (client) => client.deleteCollection(configMaps, undefined, 'all'),
  // @ts-expect-error a volume has no namespace
  (client) => client.deleteCollection(persistentVolumes, 'shop', 'all'),
  (client) => client.createSubresource(serviceAccountToken, inShop, { spec: {} }),
  // @ts-expect-error a token request has a spec
  (client) => client.createSubresource(serviceAccountToken, inShop, {}),
  // @ts-expect-error a pod has a namespace
  (client) => client.createSubresource(podBinding, named, { target: {} }),
  // @ts-expect-error no such field
  (client) => client.createSubresource(podBinding, inShop, { target: { nam: 'node-1' } }),
  (client) => evict(client, inShop),
  // @ts-expect-error a pod has a namespace
  (client) => evict(client, named),
  // @ts-expect-error the conflict is to be handled first
  async (client) => resultOfWrite(await client.apply(configMaps, inShop, {}, byUs)),
  async (client) => resultOfWrite(await client.mergePatch(configMaps, inShop, {})),
];

const byUs = { fieldManager: 'us' };
const apps = { selector: {}, template: {} };

const getAny = <T extends KubernetesObject>(
  client: ApiClient,
  resource: ApiResource<T>,
  ref: ObjectRef,
): Promise<T> => client.get(resource, ref);

test('requests that compile -> are there', () => {
  expect(compiled.length).toBeGreaterThan(0);
});
