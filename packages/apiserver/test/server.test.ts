import { describe, expect, test } from '@jest/globals';
import { request } from 'node:https';
import { startApiServer } from '../src/server.ts';
import type { ResourceDefinition } from '../src/resources/resource-definition.ts';
import { dnsSubdomain } from '../src/meta/names.ts';
import { ageColumn, nameColumn, since } from '../src/resources/table-columns.ts';
import { clientOf, configMaps, mergePatch } from './client.ts';

const widgets: ResourceDefinition = {
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  singular: 'widget',
  namespaced: true,
  nameRule: dnsSubdomain,
  hasGeneration: true,
  status: {
    prepareForUpdate(object, old) {
      object['spec'] = old['spec'];
    },
  },
  columns: [nameColumn, ageColumn],
  cells: ({ metadata }, { now }) => [metadata.name ?? '', since(metadata.creationTimestamp, now)],
};

describe('server', () => {
  test('kubeconfig’s authority and token -> trusted https, admin', async () => {
    const server = await startApiServer();
    const config = JSON.parse(server.kubeconfig) as {
      clusters: { cluster: { server: string; 'certificate-authority-data': string } }[];
      users: { user: { token: string } }[];
    };
    const cluster = config.clusters[0]?.cluster;
    const ca = Buffer.from(cluster?.['certificate-authority-data'] ?? '', 'base64');
    const token = config.users[0]?.user.token ?? '';
    const code = (authorization?: string): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const headers = authorization === undefined ? {} : { authorization };
        const path = `${cluster?.server ?? ''}${configMaps}`;
        request(path, { ca, headers, agent: false }, (response) => {
          response.resume();
          resolve(response.statusCode);
        })
          .on('error', reject)
          .end();
      });
    expect(await code(`Bearer ${token}`)).toBe(200);
    expect(await code('Bearer other')).toBe(401);
    expect(await code()).toBe(403);
    await server.stop();
    await server.stop();
  });

  test.each([
    { requested: 25, left: 25, ends: '2026-01-01T00:00:25Z' },
    { requested: 5, left: 1, ends: '2026-01-01T00:00:10Z' },
  ])(
    'pod deleted 10 of 30 s ago, deleted again within $requested s -> $left s, until $ends',
    async ({ requested, left, ends }) => {
      let now = Date.parse('2026-01-01T00:00:00Z');
      const server = await startApiServer({ tls: false, now: () => now });
      const pods = '/api/v1/namespaces/default/pods';
      const pod = {
        metadata: { name: 'a' },
        spec: { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] },
      };
      await server.handle('POST', pods, JSON.stringify(pod));
      await server.handle('DELETE', `${pods}/a`, undefined);
      now += 10_000;
      const { body } = await server.handle(
        'DELETE',
        `${pods}/a`,
        JSON.stringify({ gracePeriodSeconds: requested }),
      );
      await server.stop();
      expect(JSON.parse(body)).toMatchObject({
        metadata: { deletionGracePeriodSeconds: left, deletionTimestamp: ends },
      });
    },
  );

  test('requests in process -> answered like those over the network, by nobody logged', async () => {
    const server = await startApiServer({ tls: false });
    const client = clientOf(server);
    const body = JSON.stringify({ metadata: { name: 'a' }, data: { colour: 'blue' } });
    const created = await server.handle('POST', configMaps, body);
    expect(created.code).toBe(201);
    const patch = JSON.stringify({ data: { colour: 'red' } });
    const patched = await server.handle('PATCH', `${configMaps}/a`, patch, mergePatch);
    expect(patched.code).toBe(200);
    expect((await client.send('GET', `${configMaps}/a`)).body).toEqual(JSON.parse(patched.body));
    expect(JSON.parse((await server.handle('GET', `${configMaps}/a`)).body)).toEqual(
      JSON.parse(patched.body),
    );

    const again = await client.send('POST', configMaps, JSON.parse(body));
    const refused = await server.handle('POST', configMaps, body);
    expect(refused.code).toBe(409);
    expect(JSON.parse(refused.body)).toEqual(again.body);
    expect(await server.handle('GET', '/healthz')).toEqual({ code: 200, body: 'ok' });
    expect((await server.handle('GET', '/apis/none.example.com')).code).toBe(404);
    expect(server.requests.total).toBe(2);
    await server.stop();
  });

  test('watch in process -> refused with the way out', async () => {
    const server = await startApiServer({ tls: false });
    await expect(server.handle('GET', `${configMaps}?watch=true`)).rejects.toThrow('over the network');
    await server.stop();
  });

  test('storage of a stopped server given to the next -> same objects and versions', async () => {
    const first = await startApiServer({ tls: false });
    const { body } = await clientOf(first).send('POST', configMaps, { metadata: { name: 'a' } });
    await first.stop();
    const second = await startApiServer({ tls: false, storage: first.storage });
    const again = await clientOf(second).send('GET', `${configMaps}/a`);
    expect(again.body).toEqual(body);
    await second.stop();
  });

  test('clock given -> timestamps come from it', async () => {
    const server = await startApiServer({ tls: false, now: () => Date.UTC(2030, 0, 1, 12) });
    const { body } = await clientOf(server).send('POST', configMaps, { metadata: { name: 'a' } });
    expect(body.metadata.creationTimestamp).toBe('2030-01-01T12:00:00Z');
    await server.stop();
  });

  test('StorageObjectInUseProtection off -> claims get no finalizer; unknown plugin -> refused by name', async () => {
    const server = await startApiServer({
      tls: false,
      disableAdmissionPlugins: ['StorageObjectInUseProtection'],
    });
    const claim = {
      metadata: { name: 'c' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    };
    const path = '/api/v1/namespaces/default/persistentvolumeclaims';
    const { code, body } = await clientOf(server).send('POST', path, claim);
    expect(code).toBe(201);
    expect(body.metadata.finalizers).toBeUndefined();
    await server.stop();
    await expect(startApiServer({ tls: false, disableAdmissionPlugins: ['Typo'] })).rejects.toThrow('"Typo"');
  });

  test('kind registered by the test -> discovered, stored with its unknown fields, status split from spec', async () => {
    const server = await startApiServer({ tls: false, resources: [widgets] });
    const client = clientOf(server);
    const path = '/apis/example.com/v1/namespaces/default/widgets';
    const created = await client.send('POST', path, {
      metadata: { name: 'w' },
      spec: { size: 3, deep: { x: [1] } },
    });
    expect(created.code).toBe(201);
    expect(created.body.spec).toEqual({ size: 3, deep: { x: [1] } });
    const patch = { spec: { size: 9 }, status: { ready: true } };
    const patched = await client.send('PATCH', `${path}/w/status`, patch, 'application/merge-patch+json');
    expect(patched.body.spec).toMatchObject({ size: 3 });
    expect(patched.body.status).toEqual({ ready: true });
    const strategic = await client.send('PATCH', `${path}/w`, {}, 'application/strategic-merge-patch+json');
    expect(strategic.code).toBe(415);
    const discovery = await client.send('GET', '/apis/example.com/v1');
    expect(JSON.stringify(discovery.body)).toContain('"widgets/status"');
    await server.stop();
  });

  test('requests are counted with verb, resource and code', async () => {
    const server = await startApiServer({ tls: false });
    const client = clientOf(server);
    await client.send('GET', `${configMaps}/none`);
    await client.send('GET', configMaps);
    expect(server.requests.count({ resource: 'configmaps' })).toBe(2);
    expect(server.requests.count({ verb: 'get', code: 404, name: 'none' })).toBe(1);
    server.requests.clear();
    expect(server.requests.total).toBe(0);
    await server.stop();
  });
});
