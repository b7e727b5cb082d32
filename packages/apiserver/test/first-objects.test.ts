import { setImmediate } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type ApiServer, createStorage, startApiServer } from '../src/index.ts';

/* What a server has that nobody created, and keeps as it is. */

const noon = Date.UTC(2030, 0, 2, 12);
let server: ApiServer;
beforeAll(async () => {
  server = await startApiServer({ tls: false, now: () => noon });
});
afterAll(() => server.stop());

const apiServices = '/apis/apiregistration.k8s.io/v1/apiservices';
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

interface Answered {
  readonly items?: readonly { readonly metadata: { readonly name: string } }[];
}

async function ask(method: string, path: string, body?: object, type?: string): Promise<Answered> {
  const answer = await server.handle(method, path, body && JSON.stringify(body), type);
  return JSON.parse(answer.body) as Answered;
}

test('new server -> an APIService for each of its group versions', async () => {
  const { items = [] } = await ask('GET', apiServices);
  expect(items.map(({ metadata }) => metadata.name)).toEqual([
    'v1.',
    'v1.admissionregistration.k8s.io',
    'v1.apiextensions.k8s.io',
    'v1.apps',
    'v1.authentication.k8s.io',
    'v1.authorization.k8s.io',
    'v1.autoscaling',
    'v1.batch',
    'v1.certificates.k8s.io',
    'v1.coordination.k8s.io',
    'v1.discovery.k8s.io',
    'v1.events.k8s.io',
    'v1.flowcontrol.apiserver.k8s.io',
    'v1.networking.k8s.io',
    'v1.node.k8s.io',
    'v1.policy',
    'v1.rbac.authorization.k8s.io',
    'v1.resource.k8s.io',
    'v1.scheduling.k8s.io',
    'v1.storage.k8s.io',
    'v2.autoscaling',
  ]);
  await expect(ask('GET', `${apiServices}/v2.autoscaling`)).resolves.toMatchObject({
    metadata: { labels: { 'kube-aggregator.kubernetes.io/automanaged': 'onstart' } },
    spec: { group: 'autoscaling', version: 'v2', groupPriorityMinimum: 17500, versionPriority: 30 },
    status: { conditions: [{ type: 'Available', status: 'True', reason: 'Local' }] },
  });
});

test('new server -> the Lease of its identity', async () => {
  const { items } = await ask('GET', '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases');
  expect(items).toMatchObject([
    {
      metadata: {
        name: expect.stringMatching(/^apiserver-[a-z2-7]{26}$/),
        labels: { 'apiserver.kubernetes.io/identity': 'kube-apiserver' },
      },
      spec: {
        holderIdentity: expect.stringMatching(/^apiserver-[a-z2-7]{26}_[0-9a-f-]{36}$/),
        leaseDurationSeconds: 3600,
        renewTime: '2030-01-02T12:00:00.000000Z',
      },
    },
  ]);
});

test('new server -> the ConfigMap that says since when tokens are tracked', async () => {
  const name = 'kube-apiserver-legacy-service-account-token-tracking';
  await expect(ask('GET', `/api/v1/namespaces/kube-system/configmaps/${name}`)).resolves.toMatchObject({
    data: { since: '2030-01-02' },
  });
});

describe('group version of a CustomResourceDefinition', () => {
  const definition = (served: boolean): object => ({
    metadata: { name: 'widgets.shop.example.com' },
    spec: {
      group: 'shop.example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [
        { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } },
        { name: 'v2', served, storage: false, schema: { openAPIV3Schema: { type: 'object' } } },
      ],
    },
  });
  const names = async (): Promise<readonly string[]> => {
    const { items = [] } = await ask('GET', apiServices);
    return items.map(({ metadata }) => metadata.name).filter((name) => name.endsWith('example.com'));
  };
  /** The server registers a moment after it has answered. */
  const untilNamesAre = async (wanted: readonly string[]): Promise<void> => {
    while (!isDeepStrictEqual(await names(), wanted)) {
      await setImmediate();
    }
  };
  const path = `${definitions}/widgets.shop.example.com`;
  const merge = 'application/merge-patch+json';

  test('comes and goes -> so does its APIService', async () => {
    await ask('POST', definitions, definition(true));
    await untilNamesAre(['v1.shop.example.com', 'v2.shop.example.com']);
    await expect(ask('GET', `${apiServices}/v1.shop.example.com`)).resolves.toMatchObject({
      metadata: { labels: { 'kube-aggregator.kubernetes.io/automanaged': 'true' } },
      spec: {
        group: 'shop.example.com',
        version: 'v1',
        groupPriorityMinimum: 1000,
        versionPriority: 100,
      },
    });
    await ask('PATCH', path, { spec: (definition(false) as { spec: object }).spec }, merge);
    await untilNamesAre(['v1.shop.example.com']);
    await ask('DELETE', path);
    await untilNamesAre([]);
  });

  test('its APIService changed or deleted -> as it was', async () => {
    await ask('POST', definitions, definition(false));
    await untilNamesAre(['v1.shop.example.com']);
    const own = `${apiServices}/v1.shop.example.com`;
    await ask('PATCH', own, { spec: { versionPriority: 5 } }, merge);
    const current = (): Promise<object> => ask('GET', own);
    while (!JSON.stringify(await current()).includes('"versionPriority":100')) {
      await setImmediate();
    }
    await ask('DELETE', own);
    await untilNamesAre(['v1.shop.example.com']);
    await ask('DELETE', path);
  });
});

test('storage of an earlier server -> nothing is made a second time', async () => {
  const storage = createStorage();
  const first = await startApiServer({ tls: false, storage });
  await first.stop();
  const { revision } = storage;
  const second = await startApiServer({ tls: false, storage });
  await second.stop();
  expect(storage.revision).toBe(revision);
});
