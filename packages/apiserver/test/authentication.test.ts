import { afterEach, describe, expect, test } from '@jest/globals';
import { request as httpRequest } from 'node:http';
import { type ApiServer, type ApiServerOptions, startApiServer } from '../src/server.ts';
import { clientOf } from './client.ts';

const accounts = '/api/v1/namespaces/default/serviceaccounts';
const whoAmI = '/apis/authentication.k8s.io/v1/selfsubjectreviews';

describe('tokens', () => {
  const servers: ApiServer[] = [];
  afterEach(() => Promise.all(servers.splice(0).map((server) => server.stop())));

  async function start(options: ApiServerOptions = {}): Promise<ApiServer> {
    const server = await startApiServer({ tls: false, ...options });
    servers.push(server);
    return server;
  }

  async function issue(server: ApiServer, spec: object = {}): Promise<string> {
    const { body } = await clientOf(server).send('POST', `${accounts}/s/token`, { spec });
    return (body.status as { token: string }).token;
  }

  const ask = async (server: ApiServer, token: string): Promise<number> =>
    (await clientOf(server, token).send('POST', whoAmI, {})).code;

  test('service account’s token -> good until the second it expires', async () => {
    let now = Date.UTC(2030, 0, 1);
    const server = await start({ now: () => now });
    await clientOf(server).send('POST', accounts, { metadata: { name: 's' } });
    const token = await issue(server, { expirationSeconds: 600 });
    now += 599_000;
    expect(await ask(server, token)).toBe(201);
    now += 1000;
    expect(await ask(server, token)).toBe(401);
  });

  test('service account deleted and made again -> its old token stays bad, a new one is good', async () => {
    const server = await start();
    const client = clientOf(server);
    await client.send('POST', accounts, { metadata: { name: 's' } });
    const old = await issue(server);
    await client.send('DELETE', `${accounts}/s`);
    expect(await ask(server, old)).toBe(401);
    await client.send('POST', accounts, { metadata: { name: 's' } });
    expect(await ask(server, old)).toBe(401);
    expect(await ask(server, await issue(server))).toBe(201);
  });

  test('token bound to a secret -> ends with the secret', async () => {
    const server = await start();
    const client = clientOf(server);
    const secrets = '/api/v1/namespaces/default/secrets';
    await client.send('POST', accounts, { metadata: { name: 's' } });
    await client.send('POST', secrets, { metadata: { name: 'anchor' } });
    const token = await issue(server, {
      boundObjectRef: { apiVersion: 'v1', kind: 'Secret', name: 'anchor' },
    });
    expect(await ask(server, token)).toBe(201);
    await client.send('DELETE', `${secrets}/anchor`);
    expect(await ask(server, token)).toBe(401);
  });

  test('server restarted with its admin token -> issued tokens stay good; with another -> not', async () => {
    const first = await start({ token: 'one' });
    await clientOf(first).send('POST', accounts, { metadata: { name: 's' } });
    const token = await issue(first);
    const { storage } = first;
    expect(await ask(await start({ storage, token: 'one' }), token)).toBe(201);
    expect(await ask(await start({ storage, token: 'two' }), token)).toBe(401);
  });

  test('claims changed or signature cut -> not good', async () => {
    const server = await start();
    await clientOf(server).send('POST', accounts, { metadata: { name: 's' } });
    const [header = '', payload = '', signature = ''] = (await issue(server)).split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>;
    const forged = Buffer.from(JSON.stringify({ ...claims, exp: 9e9 })).toString('base64url');
    expect(await ask(server, `${header}.${payload}.${signature}`)).toBe(201);
    expect(await ask(server, `${header}.${forged}.${signature}`)).toBe(401);
    expect(await ask(server, `${header}.${payload}.`)).toBe(401);
    expect(await ask(server, `${header}.${payload}.${signature.slice(0, 8)}`)).toBe(401);
  });

  test('two users with one token -> refused, both named', async () => {
    const users = [
      { token: 't', name: 'alice' },
      { token: 't', name: 'bob' },
    ];
    await expect(startApiServer({ tls: false, users })).rejects.toThrow('"alice" and "bob"');
  });

  test.each([
    ['bearer t', 200],
    ['Bearer t', 200],
    ['Bearer u', 401],
    ['Basic dDp0', 403],
    ['Bearer', 403],
  ])('Authorization: %s -> %i', async (authorization, expected) => {
    const server = await start({ users: [{ token: 't', name: 'alice' }] });
    const code = await new Promise<number | undefined>((resolve, reject) => {
      httpRequest(`${server.url}/api`, { headers: { authorization }, agent: false }, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
        .on('error', reject)
        .end();
    });
    expect(code).toBe(expected);
  });
});
