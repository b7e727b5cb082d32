import { createPublicKey, verify } from 'node:crypto';
import { afterEach, expect, test } from '@jest/globals';
import { type ApiServer, startApiServer } from '../src/index.ts';

const started: ApiServer[] = [];

afterEach(async () => {
  await Promise.all(started.splice(0).map((server) => server.stop()));
});

async function start(token: string): Promise<ApiServer> {
  const server = await startApiServer({ tls: false, token });
  started.push(server);
  return server;
}

async function read(server: ApiServer, path: string): Promise<Record<string, unknown>> {
  const { code, body } = await server.handle('GET', path);
  expect({ path, code }).toEqual({ path, code: 200 });
  return JSON.parse(body) as Record<string, unknown>;
}

async function tokenOf(server: ApiServer): Promise<string> {
  const accounts = '/api/v1/namespaces/default/serviceaccounts';
  await server.handle('POST', accounts, JSON.stringify({ metadata: { name: 'robot' } }));
  const { body } = await server.handle('POST', `${accounts}/robot/token`, '{"spec":{}}');
  return (JSON.parse(body) as { status: { token: string } }).status.token;
}

interface Key {
  readonly kid: string;
}

async function keysOf(server: ApiServer): Promise<readonly Key[]> {
  return (await read(server, '/openid/v1/jwks'))['keys'] as readonly Key[];
}

test('who wants to check tokens -> finds the issuer that they name and where its keys are', async () => {
  const server = await start('admin');
  await expect(read(server, '/.well-known/openid-configuration')).resolves.toEqual({
    issuer: 'https://kubernetes.default.svc.cluster.local',
    jwks_uri: `${server.url}/openid/v1/jwks`,
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
  });
});

test('token of a service account -> signed by the published key', async () => {
  const server = await start('admin');
  const token = await tokenOf(server);
  const [key] = await keysOf(server);
  expect(key).toMatchObject({ use: 'sig', kty: 'EC', crv: 'P-256', alg: 'ES256' });
  const [header = '', payload = '', signature = ''] = token.split('.');
  expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual({ alg: 'ES256', kid: key?.kid });
  const isGood = verify(
    'sha256',
    Buffer.from(`${header}.${payload}`),
    { key: createPublicKey({ key: { ...key }, format: 'jwk' }), dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  expect(isGood).toBe(true);
});

test('server with the same admin token -> the same key; with another -> another', async () => {
  const [one, same, other] = await Promise.all([start('a'), start('a'), start('b')]);
  const [key] = await keysOf(one);
  expect(await keysOf(same)).toEqual([key]);
  expect(await keysOf(other)).not.toEqual([key]);
});

test('token that somebody changed -> not taken', async () => {
  const server = await start('admin');
  const token = await tokenOf(server);
  const [header = '', payload = '', signature = ''] = token.split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object;
  const forged = Buffer.from(JSON.stringify({ ...claims, sub: 'system:serviceaccount:default:other' }));
  const review = async (asked: string): Promise<unknown> => {
    const { body } = await server.handle(
      'POST',
      '/apis/authentication.k8s.io/v1/tokenreviews',
      JSON.stringify({ spec: { token: asked } }),
    );
    return (JSON.parse(body) as { status: { authenticated?: boolean } }).status.authenticated;
  };
  await expect(review(token)).resolves.toBe(true);
  await expect(review(`${header}.${forged.toString('base64url')}.${signature}`)).resolves.toBeUndefined();
  await expect(review(`${header}.${payload}.`)).resolves.toBeUndefined();
  await expect(review(`${header}.${payload}.AAAA`)).resolves.toBeUndefined();
});
