import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { persistentVolumeClaims, type ApiResource, type KubernetesObject } from '@holdfast/core';
import { startEmbeddedControlPlane, type EmbeddedControlPlane } from '@holdfast/testing';
import { createFakeClock, type FakeClock } from '@holdfast/testing/fake-clock';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import type { ApiClient } from '../../src/client/api-client.ts';
import { ApiError, isNotFound } from '../../src/client/api-error.ts';
import { connect } from '../../src/client/connect.ts';
import { loadKubeConfig } from '../../src/client/kubeconfig.ts';
import { serveHttp, type HttpServer } from '../../src/serving/http-server.ts';
import { until } from '../until.ts';
import { processSecrets } from '../../src/logging/secret-values.ts';
import { serializeError } from '../../src/process/serialize-error.ts';
import { createProtection } from '../../src/serving/protected-handler.ts';

// A busy machine takes its time.
jest.setTimeout(30_000);

const rbac = { group: 'rbac.authorization.k8s.io', version: 'v1', namespaced: false } as const;
const clusterRoles: ApiResource<KubernetesObject> = { ...rbac, kind: 'ClusterRole', plural: 'clusterroles' };
const bindings: ApiResource<KubernetesObject> = {
  ...rbac,
  kind: 'ClusterRoleBinding',
  plural: 'clusterrolebindings',
};

let plane: EmbeddedControlPlane;
let folder: string;
let admin: ApiClient;
beforeAll(async () => {
  plane = await startEmbeddedControlPlane({
    users: [
      { token: 'token-of-prometheus', name: 'prometheus', groups: ['scrapers'] },
      { token: 'token-of-jane', name: 'jane' },
    ],
  });
  folder = await mkdtemp(join(tmpdir(), 'holdfast-protected-'));
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, plane.kubeconfig);
  admin = connect({
    kubeConfig: () => loadKubeConfig({ kubeconfig }),
    registry: new Registry(),
    program: 'test',
    version: '0',
  });
  await admin.create(clusterRoles, undefined, {
    metadata: { name: 'scraper' },
    rules: [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }],
  });
  await admin.create(bindings, undefined, {
    metadata: { name: 'scraper' },
    subjects: [{ kind: 'Group', apiGroup: rbac.group, name: 'scrapers' }],
    roleRef: { kind: 'ClusterRole', apiGroup: rbac.group, name: 'scraper' },
  });
}, 30_000);
afterAll(async () => {
  await admin.close();
  await plane.stop();
  await rm(folder, { recursive: true });
});

let clock: FakeClock;
let asked: string[];
let trouble: (() => Promise<void>) | undefined;
let server: HttpServer;
let logged: string[];
beforeEach(async () => {
  clock = createFakeClock();
  asked = [];
  logged = [];
  trouble = undefined;
  const client: ApiClient = {
    ...admin,
    create: async (resource, ...rest) => {
      asked.push(resource.kind);
      await trouble?.();
      return admin.create(resource, ...rest);
    },
  };
  const logger = pino({ serializers: { err: serializeError } }, { write: (line) => void logged.push(line) });
  const protect = createProtection({ client, clock, logger });
  const page = protect((_request, response) => void response.end('the page'));
  const bind = { kind: 'listen', host: '127.0.0.1', port: 0 } as const;
  server = await serveHttp('metrics', bind, { '/metrics': page, '/flagz': page }, pino({ level: 'silent' }));
});
afterEach(() => server.close());

async function get(path: string, authorization?: string): Promise<readonly [number, string]> {
  const response = await fetch(`http://${server.address}${path}`, {
    headers: { connection: 'close', ...(authorization === undefined ? {} : { authorization }) },
  });
  return [response.status, await response.text()];
}

describe('who may', () => {
  test.each([
    ['no token', '/metrics', undefined, 401, 'Unauthorized\n'],
    ['no bearer token', '/metrics', 'Basic amFuZTpqYW5l', 401, 'Unauthorized\n'],
    ['token that nobody has', '/metrics', 'Bearer nobodys', 401, 'Unauthorized\n'],
    [
      'user without the permission',
      '/metrics',
      'Bearer token-of-jane',
      403,
      'Authorization denied for user jane\n',
    ],
    ['user with the permission', '/metrics', 'Bearer token-of-prometheus', 200, 'the page'],
    [
      'permission for another path',
      '/flagz',
      'Bearer token-of-prometheus',
      403,
      'Authorization denied for user prometheus\n',
    ],
  ])('%s, %s -> %s', async (_case, path, authorization, status, body) => {
    expect(await get(path, authorization)).toEqual([status, body]);
  });
});

describe('answers of the API server', () => {
  test('asked again and again -> two reviews a minute, for users that are allowed and users that are not', async () => {
    for (const token of ['token-of-prometheus', 'token-of-jane']) {
      asked = [];
      const first = await get('/metrics', `Bearer ${token}`);
      await clock.advance(59_000);
      expect(await get('/metrics?x=y', `Bearer ${token}`)).toEqual(first);
      expect(asked).toEqual(['TokenReview', 'SubjectAccessReview']);
      await clock.advance(1_000);
      expect(await get('/metrics', `Bearer ${token}`)).toEqual(first);
      expect(asked.length).toBe(4);
    }
  });

  test('API server away -> 500, which is not kept', async () => {
    trouble = () => Promise.reject(new Error('connect ECONNREFUSED'));
    expect(await get('/metrics', 'Bearer token-of-prometheus')).toEqual([500, 'Authentication failed\n']);
    trouble = undefined;
    expect((await get('/metrics', 'Bearer token-of-prometheus'))[0]).toBe(200);
  });

  test('flood of tokens while the API server is slow -> eight questions at once, the others 429', async () => {
    const free = Promise.withResolvers<undefined>();
    trouble = () => free.promise;
    const answers = Array.from({ length: 20 }, (_each, index) => get('/metrics', `Bearer ${String(index)}`));
    // Twelve answers come while the API server answers nothing at all.
    const refused: number[] = [];
    await new Promise<void>((resolve) => {
      for (const answer of answers) {
        void answer.then(([status]) => refused.push(status) === 12 && resolve());
      }
    });
    expect(refused).toEqual(Array.from({ length: 12 }, () => 429));
    expect(asked).toEqual(Array.from({ length: 8 }, () => 'TokenReview'));
    free.resolve(undefined);
    expect((await Promise.all(answers)).filter(([status]) => status === 401).length).toBe(8);
  });

  test('stranger sends words as tokens -> they are left as they are in all that others are answered and log', async () => {
    const free = Promise.withResolvers<undefined>();
    trouble = () => free.promise;
    const words = ['NotFound', 'Status', 'persistentvolumeclaims', '"message"'];
    const answers = words.map((word) => get('/metrics', `Bearer ${word}`));
    await until('all are asked about', () => asked.length === words.length);
    const ref = { namespace: 'shop', name: 'data' };
    const error = await admin.get(persistentVolumeClaims, ref).catch((thrown: unknown) => thrown);
    expect(isNotFound(error)).toBe(true);
    expect(String(error)).toContain('404 NotFound: persistentvolumeclaims "data" not found');
    expect(processSecrets.redact(words.join())).toBe(words.join());
    free.resolve(undefined);
    await Promise.all(answers);
  });

  test('API server repeats the token in its error -> the log has the error without it', async () => {
    const token = 'token-that-is-repeated';
    trouble = () =>
      Promise.reject(
        new ApiError('POST /tokenreviews', 403, { reason: 'Forbidden', message: `no review of "${token}"` }),
      );
    expect((await get('/metrics', `Bearer ${token}`))[0]).toBe(500);
    expect(logged.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { err: { code: 403, message: 'POST /tokenreviews: 403 Forbidden: no review of "[redacted]"' } },
    ]);
    expect(logged.join('')).not.toContain(token);
  });
});
