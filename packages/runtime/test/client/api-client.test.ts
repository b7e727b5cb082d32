import { afterEach, describe, expect, test } from '@jest/globals';
import {
  persistentVolumeClaims,
  persistentVolumes,
  statefulSets,
  urlPath,
  type PersistentVolumeClaim,
} from '@holdfast/core';
import { createFakeClock } from '@holdfast/testing/fake-clock';
import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { Registry } from 'prom-client';
import type { ApiClient, ConnectedClient, WatchEvent, WatchOptions } from '../../src/client/api-client.ts';
import {
  ApiError,
  isAlreadyExists,
  isConflict,
  isForbidden,
  isRefused,
  isGone,
  isInvalid,
  isNotFound,
} from '../../src/client/api-error.ts';
import { createClientMetrics } from '../../src/client/client-metrics.ts';
import type { BusyWait } from '../../src/client/request-sender.ts';
import type { CredentialSource, Credentials } from '../../src/client/credentials.ts';
import { createApiClient, type ApiClientOptions } from '../../src/client/http-api-client.ts';
import { createTransport } from '../../src/client/transport.ts';
import { systemClock } from '../../src/time/clock.ts';
import { createTokenBucket } from '../../src/time/token-bucket.ts';
import { claim } from '../claim.ts';
import { until } from '../until.ts';
import {
  answerAsked,
  answerJson,
  answerStatus,
  startLocalServer,
  type Answer,
  type LocalServer,
} from './local-server.ts';

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) {
    await each.close();
  }
});

const credentialsOf = (credentials: Credentials): CredentialSource => ({
  fresh: () => credentials,
  get: () => Promise.resolve(credentials),
  renew: () => undefined,
});

async function start(
  answer: Answer,
  options: Partial<ApiClientOptions> = {},
  tls?: { readonly cert: string; readonly key: string },
): Promise<{ client: ConnectedClient; server: LocalServer; registry: Registry }> {
  const server = await startLocalServer(answer, tls);
  const registry = new Registry();
  const client = createApiClient({
    transport: createTransport({ origin: server.origin }),
    credentials: credentialsOf({ headers: { authorization: 'Bearer secret' }, tls: {} }),
    rateLimit: createTokenBucket({ qps: 0, burst: 1, clock: systemClock }),
    metrics: createClientMetrics(registry, 'cluster'),
    clock: systemClock,
    userAgent: 'test/1',
    ...options,
  });
  opened.push(server, client);
  return { client, server, registry };
}

const ref = { namespace: 'shop', name: 'data' };
const data = claim('data', 7);

async function errorOf(running: Promise<unknown>): Promise<unknown> {
  return running.then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe('requests', () => {
  test('H2: aborted while its credentials hang -> the reason at once, and nothing is sent', async () => {
    const { client, server } = await start((response) => answerJson(response, 200, data), {
      credentials: {
        fresh: () => undefined,
        get: () => new Promise(() => undefined),
        renew: () => undefined,
      },
    });
    const stop = new AbortController();
    const running = errorOf(client.get(persistentVolumeClaims, ref, { signal: stop.signal }));
    stop.abort(new Error('enough'));
    expect(String(await running)).toContain('enough');
    expect(server.requests).toStrictEqual([]);
  });

  test('get -> path, headers, and the object as it came', async () => {
    const { client, server } = await start((response) => answerJson(response, 200, data));
    expect(await client.get(persistentVolumeClaims, ref)).toEqual(data);
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]).toMatchObject({
      method: 'GET',
      url: '/api/v1/namespaces/shop/persistentvolumeclaims/data',
      headers: { accept: 'application/json', 'user-agent': 'test/1', authorization: 'Bearer secret' },
    });
  });

  test('document of the server itself -> asked for with the credentials, as it came', async () => {
    const { client, server } = await start(
      (response) => answerJson(response, 200, { gitVersion: 'v1.36.3' }),
      {
        basePath: '/k8s/c-1',
      },
    );
    expect(await client.document(urlPath('version'))).toEqual({ gitVersion: 'v1.36.3' });
    expect(server.requests[0]).toMatchObject({
      method: 'GET',
      url: '/k8s/c-1/version',
      headers: { accept: 'application/json', authorization: 'Bearer secret' },
    });
  });

  test('text -> as it came', async () => {
    const { client, server } = await start((response) => void response.end('up{of="api"} 1\n'));
    expect(await client.text(urlPath('metrics'))).toBe('up{of="api"} 1\n');
    expect(server.requests[0]).toMatchObject({ method: 'GET', url: '/metrics' });
  });

  test('text that the server refuses -> ApiError', async () => {
    const { client } = await start((response) => answerStatus(response, 403, 'Forbidden'));
    expect(isForbidden(await errorOf(client.text(urlPath('metrics'))))).toBe(true);
  });

  test('document that the server refuses -> ApiError', async () => {
    const { client } = await start((response) => answerStatus(response, 403, 'Forbidden'));
    expect(isForbidden(await errorOf(client.document(urlPath('version'))))).toBe(true);
  });

  test('server behind a gateway, cluster-wide object, name to be escaped -> in the path', async () => {
    const { client, server } = await start((response, request) => answerAsked(response, request, data), {
      basePath: '/k8s/c-1',
    });
    await client.get(persistentVolumes, { name: 'a/b' });
    expect(server.requests[0]?.url).toBe('/k8s/c-1/api/v1/persistentvolumes/a%2Fb');
  });

  test('create -> POST to the collection with apiVersion and kind', async () => {
    const { client, server } = await start((response) => answerJson(response, 201, data));
    expect(await client.create(statefulSets, 'shop', { metadata: { name: 'web' } })).toEqual(data);
    expect(server.requests[0]).toMatchObject({
      method: 'POST',
      url: '/apis/apps/v1/namespaces/shop/statefulsets',
    });
    expect(server.requests[0]?.headers['content-type']).toBe('application/json');
    expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { name: 'web' },
    });
  });

  test('patch, with and without subresource -> a JSON Patch', async () => {
    const { client, server } = await start((response) => answerJson(response, 200, data));
    const patch = [{ op: 'remove', path: '/metadata/finalizers/0' }] as const;
    await client.patch(persistentVolumeClaims, ref, patch);
    await client.patch(persistentVolumeClaims, ref, patch, { subresource: 'status' });
    const path = '/api/v1/namespaces/shop/persistentvolumeclaims/data';
    expect(server.requests.map(({ method, url }) => [method, url])).toEqual([
      ['PATCH', path],
      ['PATCH', `${path}/status`],
    ]);
    expect(server.requests[0]?.headers['content-type']).toBe('application/json-patch+json');
    expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual(patch);
  });

  test('delete with preconditions -> DeleteOptions in the body', async () => {
    const { client, server } = await start((response) =>
      answerJson(response, 200, { kind: 'Status', status: 'Success' }),
    );
    await client.delete(persistentVolumeClaims, ref, {
      preconditions: { uid: 'u' },
      propagationPolicy: 'Background',
    });
    expect(server.requests[0]?.method).toBe('DELETE');
    expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      preconditions: { uid: 'u' },
      propagationPolicy: 'Background',
    });
  });

  test.each([true, false])('dry run %s -> every write says so, no read does', async (dryRun) => {
    const { client, server } = await start((response) => answerJson(response, 200, { ...data, items: [] }), {
      dryRun,
    });
    await client.create(persistentVolumeClaims, 'shop', {});
    await client.patch(persistentVolumeClaims, ref, []);
    await client.delete(persistentVolumeClaims, ref);
    await client.get(persistentVolumeClaims, ref);
    await client.list(persistentVolumeClaims);
    const saysSo = server.requests.map(({ url }) => new URL(url, server.origin).searchParams.get('dryRun'));
    expect(saysSo).toEqual(dryRun ? ['All', 'All', 'All', null, null] : [null, null, null, null, null]);
    const options = { apiVersion: 'v1', kind: 'DeleteOptions' };
    expect(JSON.parse(server.requests[2]?.body ?? '')).toEqual(
      dryRun ? { ...options, dryRun: ['All'] } : options,
    );
  });

  test('listPages -> follows continue, without naming a version beside the token', async () => {
    const { client, server } = await start((response, _request, number) =>
      answerJson(response, 200, {
        metadata: {
          resourceVersion: '9',
          ...(number < 2 ? { continue: `token=${String(number)}` } : { continue: '' }),
        },
        items: [claim(`claim-${String(number)}`, 3)],
      }),
    );
    const names: string[] = [];
    const options = {
      limit: 1,
      labelSelector: 'app in (a,b)',
      resourceVersion: '5',
      resourceVersionMatch: 'NotOlderThan',
    } as const;
    for await (const page of client.listPages(persistentVolumeClaims, options)) {
      names.push(...page.items.map(({ metadata }) => metadata.name));
    }
    expect(names).toEqual(['claim-0', 'claim-1', 'claim-2']);
    const queries = server.requests.map(({ url }) =>
      Object.fromEntries(new URL(url, server.origin).searchParams),
    );
    const selection = { limit: '1', labelSelector: 'app in (a,b)' };
    expect(queries).toEqual([
      { ...selection, resourceVersion: '5', resourceVersionMatch: 'NotOlderThan' },
      { ...selection, continue: 'token=0' },
      { ...selection, continue: 'token=1' },
    ]);
  });

  test('listPages without a limit -> 500 objects a page, and list all at once', async () => {
    const { client, server } = await start((response, _request, number) =>
      answerJson(response, 200, {
        metadata: { resourceVersion: '9', continue: number === 0 ? 'more' : '' },
        items: [],
      }),
    );
    for await (const page of client.listPages(persistentVolumeClaims, {})) {
      expect(page.items).toStrictEqual([]);
    }
    await client.list(persistentVolumeClaims);
    const limits = server.requests.map(({ url }) => new URL(url, server.origin).searchParams.get('limit'));
    expect(limits).toEqual(['500', '500', null]);
  });

  test('snapshot expires between two pages -> thrown as gone', async () => {
    const { client } = await start((response, _request, number) =>
      number === 0
        ? answerJson(response, 200, { metadata: { resourceVersion: '9', continue: 'x' }, items: [] })
        : answerStatus(response, 410, 'Expired'),
    );
    const pages = client.listPages(persistentVolumeClaims, {});
    await pages.next();
    expect(isGone(await errorOf(pages.next()))).toBe(true);
  });

  test('rate limit is used up -> the request waits its turn, unless aborted', async () => {
    const clock = createFakeClock();
    const { client, server } = await start((response) => answerJson(response, 200, data), {
      clock,
      rateLimit: createTokenBucket({ qps: 1, burst: 1, clock }),
    });
    const stop = new AbortController();
    await client.get(persistentVolumeClaims, ref);
    const second = client.get(persistentVolumeClaims, ref);
    const third = errorOf(client.get(persistentVolumeClaims, ref, { signal: stop.signal }));
    stop.abort(new Error('enough'));
    expect(String(await third)).toContain('enough');
    expect(server.requests).toHaveLength(1);
    await clock.advance(1_000);
    await second;
    expect(server.requests).toHaveLength(2);
  });

  test('answer takes too long -> fails', async () => {
    const { client } = await start(() => undefined, { timeout: 100 });
    expect(String(await errorOf(client.get(persistentVolumeClaims, ref)))).toMatch(/timeout/i);
  });

  test('aborted before and meanwhile -> the reason', async () => {
    const { client, server } = await start(() => undefined);
    const stop = new AbortController();
    const running = errorOf(client.get(persistentVolumeClaims, ref, { signal: stop.signal }));
    await until('the request is there', () => server.requests.length === 1);
    stop.abort(new Error('enough'));
    expect(String(await running)).toContain('enough');
    expect(String(await errorOf(client.get(persistentVolumeClaims, ref, { signal: stop.signal })))).toContain(
      'enough',
    );
    expect(server.requests).toHaveLength(1);
  });

  test('nobody listens -> the error names the address', async () => {
    const { client, server } = await start(() => undefined);
    await server.close();
    expect(String(await errorOf(client.get(persistentVolumeClaims, ref)))).toContain('ECONNREFUSED');
  });

  test('metrics -> as client-go names and labels them', async () => {
    const { client, registry } = await start((response, _request, number) =>
      number === 0 ? answerJson(response, 200, data) : answerStatus(response, 404, 'NotFound'),
    );
    await client.get(persistentVolumeClaims, ref);
    await errorOf(client.patch(persistentVolumeClaims, ref, []));
    await errorOf(
      client.get(persistentVolumeClaims, ref, { signal: AbortSignal.abort(new Error('enough')) }),
    );
    const text = await registry.metrics();
    expect(text).toContain('rest_client_requests_total{code="200",method="GET",host="cluster"} 1');
    expect(text).toContain('rest_client_requests_total{code="404",method="PATCH",host="cluster"} 1');
    expect(text).toContain('rest_client_requests_total{code="<error>",method="GET",host="cluster"} 1');
    expect(text).toContain('rest_client_request_duration_seconds_count{verb="PATCH",host="cluster"} 1');
    expect(text).toContain('rest_client_rate_limiter_duration_seconds_count{verb="GET",host="cluster"}');
  });
});

describe('answers without success -> typed', () => {
  const kinds = { isNotFound, isConflict, isAlreadyExists, isInvalid, isGone, isForbidden };

  test.each<{ code: number; reason: string; kind: keyof typeof kinds | 'none' }>([
    { code: 404, reason: 'NotFound', kind: 'isNotFound' },
    { code: 409, reason: 'Conflict', kind: 'isConflict' },
    { code: 409, reason: 'AlreadyExists', kind: 'isAlreadyExists' },
    { code: 422, reason: 'Invalid', kind: 'isInvalid' },
    { code: 410, reason: 'Expired', kind: 'isGone' },
    { code: 410, reason: 'Gone', kind: 'isGone' },
    { code: 403, reason: 'Forbidden', kind: 'isForbidden' },
    { code: 400, reason: 'BadRequest', kind: 'none' },
    { code: 500, reason: 'InternalError', kind: 'none' },
    { code: 429, reason: 'TooManyRequests', kind: 'none' },
    { code: 503, reason: 'ServiceUnavailable', kind: 'none' },
  ])('$code $reason -> $kind, sent once', async ({ code, reason, kind }) => {
    const { client, server } = await start((response) => answerStatus(response, code, reason));
    const error = await errorOf(client.get(persistentVolumeClaims, ref));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ code, reason, status: { kind: 'Status', message: `it is ${reason}` } });
    expect(String(error)).toContain(
      `GET /api/v1/namespaces/shop/persistentvolumeclaims/data: ${String(code)} ${reason}`,
    );
    const holds = Object.entries(kinds).filter(([, is]) => is(error));
    expect(holds.map(([name]) => name)).toEqual(kind === 'none' ? [] : [kind]);
    expect(isRefused(error)).toBe(code < 500);
    expect(server.requests).toHaveLength(1);
  });

  test('4xx of a proxy, without a Status -> not known to be refused', async () => {
    const { client } = await start((response) => response.writeHead(403).end('no entry'));
    const error = await errorOf(client.get(persistentVolumeClaims, ref));
    expect(error).toMatchObject({ code: 403, reason: '' });
    expect(isRefused(error)).toBe(false);
  });

  test('no ApiError -> of no kind', () => {
    const others = [new Error('404'), undefined, { code: 404 }];
    expect(others.filter((error) => Object.values(kinds).some((is) => is(error)))).toStrictEqual([]);
  });

  test('page of a proxy -> its code and the beginning of its text', async () => {
    const { client } = await start((response) =>
      response
        .writeHead(502, { 'content-type': 'text/html' })
        .end(`<html>Bad Gateway</html>${'x'.repeat(10_000)}`),
    );
    const error = await errorOf(client.get(persistentVolumeClaims, ref));
    expect(error).toMatchObject({ code: 502, reason: '' });
    expect(String(error)).toContain('<html>Bad Gateway</html>');
    expect(String(error).length).toBeLessThan(700);
  });

  test('Issue 17: a Secret that is no JSON -> the error shows nothing of it', async () => {
    const { client } = await start((response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":{"key":hunter2}}'),
    );
    for (const read of [client.get(persistentVolumeClaims, ref), client.list(persistentVolumeClaims)]) {
      expect(String(await errorOf(read))).toMatch(/answered with \d+ characters that are no JSON$/);
    }
  });

  test('JSON that is no Status -> its code and text', async () => {
    const { client } = await start((response) => answerJson(response, 404, { error: 'no route' }));
    const error = await errorOf(client.get(persistentVolumeClaims, ref));
    expect(error).toMatchObject({ code: 404, reason: '' });
    // Nothing says that the object is gone.
    expect(isNotFound(error)).toBe(false);
    expect(String(error)).toContain('no route');
  });
});

describe('Retry-After', () => {
  test.each([429, 503, 500])('%d with it -> waited out, then tried again', async (code) => {
    const clock = createFakeClock();
    const { client, server } = await start(
      (response, _request, number) =>
        number < 2
          ? answerStatus(response, code, 'Busy', { 'retry-after': '3' })
          : answerJson(response, 200, data),
      { clock },
    );
    const running = client.get(persistentVolumeClaims, ref);
    await until('it waits', () => clock.pending === 1);
    await clock.advance(2_999);
    expect(server.requests).toHaveLength(1);
    await clock.advance(1);
    await until('it waits again', () => clock.pending === 1);
    expect(server.requests).toHaveLength(2);
    await clock.advance(3_000);
    expect(await running).toEqual(data);
  });

  test.each<{ retryAfter: string; waited: number }>([
    { retryAfter: '0', waited: 1_000 },
    { retryAfter: '-5', waited: 1_000 },
    { retryAfter: '1', waited: 1_000 },
    { retryAfter: '30', waited: 30_000 },
    { retryAfter: '31', waited: 30_000 },
    { retryAfter: '3600', waited: 30_000 },
    { retryAfter: '9'.repeat(400), waited: 30_000 },
  ])('H5: $retryAfter -> $waited ms are waited out', async ({ retryAfter, waited }) => {
    const clock = createFakeClock();
    const waits: BusyWait[] = [];
    const { client, server } = await start(
      (response, _request, number) =>
        number === 0
          ? answerStatus(response, 429, 'TooManyRequests', { 'retry-after': retryAfter })
          : answerJson(response, 200, data),
      { clock, onBusy: (wait) => waits.push(wait) },
    );
    const running = client.get(persistentVolumeClaims, ref);
    await until('it waits', () => clock.pending === 1);
    expect(waits).toEqual([
      { request: 'GET /api/v1/namespaces/shop/persistentvolumeclaims/data', code: 429, delay: waited },
    ]);
    await clock.advance(waited - 1);
    expect(server.requests).toHaveLength(1);
    await clock.advance(1);
    expect(await running).toEqual(data);
  });

  test('again and again -> ten times, then thrown', async () => {
    const clock = createFakeClock();
    const { client, server } = await start(
      (response) => answerStatus(response, 429, 'TooManyRequests', { 'retry-after': '1' }),
      { clock },
    );
    const running = errorOf(client.get(persistentVolumeClaims, ref));
    for (let retry = 1; retry <= 10; retry++) {
      await until('it waits', () => clock.pending === 1);
      await clock.advance(1_000);
    }
    expect(await running).toMatchObject({ code: 429 });
    expect(server.requests).toHaveLength(11);
  });

  test('retries: 0 -> thrown at once', async () => {
    const { client, server } = await start(
      (response) => answerStatus(response, 429, 'TooManyRequests', { 'retry-after': '1' }),
      { retries: 0 },
    );
    expect(await errorOf(client.get(persistentVolumeClaims, ref))).toMatchObject({
      code: 429,
      retryAfter: 1_000,
    });
    expect(server.requests).toHaveLength(1);
  });

  test('a write -> sent again with its body', async () => {
    const clock = createFakeClock();
    const { client, server } = await start(
      (response, _request, number) =>
        number === 0
          ? answerStatus(response, 429, 'TooManyRequests', { 'retry-after': '1' })
          : answerJson(response, 200, data),
      { clock },
    );
    const running = client.patch(persistentVolumeClaims, ref, []);
    await until('it waits', () => clock.pending === 1);
    await clock.advance(1_000);
    await running;
    expect(server.requests.map(({ body }) => body)).toEqual(['[]', '[]']);
  });

  test.each<{ code: number; retryAfter: string }>([
    { code: 429, retryAfter: 'Wed, 21 Oct 2026 07:28:00 GMT' },
    { code: 429, retryAfter: '' },
    { code: 429, retryAfter: '1e1' },
    { code: 409, retryAfter: '0' },
    { code: 404, retryAfter: '0' },
  ])('$code with $retryAfter -> thrown at once, as in client-go', async ({ code, retryAfter }) => {
    const { client, server } = await start((response) =>
      answerStatus(response, code, 'Busy', { 'retry-after': retryAfter }),
    );
    expect(await errorOf(client.get(persistentVolumeClaims, ref))).toMatchObject({ code });
    expect(server.requests).toHaveLength(1);
  });

  test('aborted while it waits -> the reason', async () => {
    const clock = createFakeClock();
    const { client } = await start(
      (response) => answerStatus(response, 429, 'Busy', { 'retry-after': '60' }),
      { clock },
    );
    const stop = new AbortController();
    const running = errorOf(client.get(persistentVolumeClaims, ref, { signal: stop.signal }));
    await until('it waits', () => clock.pending === 1);
    stop.abort(new Error('enough'));
    expect(String(await running)).toContain('enough');
    expect(clock.pending).toBe(0);
  });
});

describe('401', () => {
  /** Credentials whose token is one further with each renewal. */
  function renewable(): CredentialSource & { renewals(): number } {
    let renewals = 0;
    const credentials = (): Credentials => ({
      headers: { authorization: `Bearer ${String(renewals)}` },
      tls: {},
    });
    return {
      fresh: () => undefined,
      get: () => Promise.resolve(credentials()),
      renew: () => {
        renewals += 1;
      },
      renewals: () => renewals,
    };
  }

  test('once -> credentials renewed, and tried again with them', async () => {
    const credentials = renewable();
    const { client, server } = await start(
      (response, { headers }) =>
        headers.authorization === 'Bearer 1'
          ? answerJson(response, 200, data)
          : answerStatus(response, 401, 'Unauthorized'),
      { credentials },
    );
    expect(await client.get(persistentVolumeClaims, ref)).toEqual(data);
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer 0', 'Bearer 1']);
  });

  test('still -> thrown, renewed once', async () => {
    const credentials = renewable();
    const { client } = await start((response) => answerStatus(response, 401, 'Unauthorized'), {
      credentials,
    });
    expect(await errorOf(client.get(persistentVolumeClaims, ref))).toMatchObject({ code: 401 });
    expect(credentials.renewals()).toBe(1);
  });

  test('lasting, three requests every 500 ms for 80 s -> renewed after a second, and ever less often up to every 10 s', async () => {
    const credentials = renewable();
    const clock = createFakeClock();
    const { client } = await start((response) => answerStatus(response, 401, 'Unauthorized'), {
      clock,
      credentials,
    });
    const fail = (): Promise<unknown> => errorOf(client.get(persistentVolumeClaims, ref));
    const renewedAt: number[] = [];
    for (let time = 0; time < 80_000; time += 500) {
      const before = credentials.renewals();
      expect(await fail()).toMatchObject({ code: 401 });
      await Promise.all([fail(), fail()]);
      if (credentials.renewals() > before) {
        renewedAt.push(time);
      }
      await clock.advance(500);
    }
    expect(renewedAt).toEqual([
      0, 1_000, 2_500, 4_000, 6_000, 8_500, 11_000, 14_000, 18_000, 22_500, 28_000, 34_500, 42_000, 51_000,
      61_000, 71_000,
    ]);
  });

  test('lasting, sixty requests wait for the rate limit, twenty a second -> renewed as often as for one', async () => {
    const credentials = renewable();
    const clock = createFakeClock();
    const { client } = await start(() => undefined, {
      clock,
      credentials,
      rateLimit: createTokenBucket({ qps: 20, burst: 1, clock }),
      transport: {
        send: () => Promise.resolve({ status: 401, contentType: '', body: Buffer.alloc(0) }),
        close: () => Promise.resolve(),
      },
    });
    const failing = Promise.all(
      Array.from({ length: 60 }, () => errorOf(client.get(persistentVolumeClaims, ref))),
    );
    await clock.advance(6_000);
    expect(await failing).toHaveLength(60);
    expect(credentials.renewals()).toBe(3);
  });

  test('lasting for 30 s, then the same credentials accepted -> the next 401 that lasts is renewed a second later again', async () => {
    const credentials = renewable();
    const clock = createFakeClock();
    let isRefused = true;
    const { client } = await start(
      (response) =>
        isRefused ? answerStatus(response, 401, 'Unauthorized') : answerJson(response, 200, data),
      { clock, credentials },
    );
    const get = (): Promise<unknown> => errorOf(client.get(persistentVolumeClaims, ref));
    for (let time = 0; time < 30_000; time += 500) {
      expect(await get()).toMatchObject({ code: 401 });
      await clock.advance(500);
    }
    isRefused = false;
    expect(await get()).toBeUndefined();
    await clock.advance(60_000);
    isRefused = true;
    const before = credentials.renewals();
    expect(await get()).toMatchObject({ code: 401 });
    expect(credentials.renewals()).toBe(before + 1);
    await clock.advance(1_000);
    expect(await get()).toMatchObject({ code: 401 });
    expect(credentials.renewals()).toBe(before + 2);
  });

  test('lasting, a leader tries every 2 s until its lease is lost -> each try renews', async () => {
    const credentials = renewable();
    const clock = createFakeClock();
    const { client } = await start((response) => answerStatus(response, 401, 'Unauthorized'), {
      clock,
      credentials,
    });
    const renewals: number[] = [];
    for (let time = 0; time < 10_000; time += 2_000) {
      expect(await errorOf(client.get(persistentVolumeClaims, ref))).toMatchObject({ code: 401 });
      renewals.push(credentials.renewals());
      await clock.advance(2_000);
    }
    expect(renewals).toEqual([1, 2, 3, 4, 5]);
  });

  test('ended by a renewal after two in vain -> the next 401 renews at once, and again a second later', async () => {
    const credentials = renewable();
    const clock = createFakeClock();
    let accepted: string | undefined;
    const { client } = await start(
      (response, { headers }) =>
        headers.authorization === accepted
          ? answerJson(response, 200, data)
          : answerStatus(response, 401, 'Unauthorized'),
      { clock, credentials },
    );
    const get = (): Promise<unknown> => errorOf(client.get(persistentVolumeClaims, ref));
    const acceptRenewed = (): void => {
      accepted = `Bearer ${String(credentials.renewals() + 1)}`;
    };
    expect(await get()).toMatchObject({ code: 401 });
    await clock.advance(1_000);
    expect(await get()).toMatchObject({ code: 401 });
    await clock.advance(2_000);
    acceptRenewed();
    expect(await get()).toBeUndefined();
    accepted = undefined;
    expect(await get()).toMatchObject({ code: 401 });
    await clock.advance(1_000);
    acceptRenewed();
    expect(await get()).toBeUndefined();
  });
});

describe('watch', () => {
  const events: WatchEvent<PersistentVolumeClaim>[] = [];
  const watch = (client: ApiClient, options: Partial<WatchOptions> = {}): Promise<void> => {
    events.length = 0;
    const request = {
      resourceVersion: '7',
      timeoutSeconds: 300,
      silenceLimit: 5_000,
      signal: new AbortController().signal,
      ...options,
    };
    return client.watch(persistentVolumeClaims, request, (event) => events.push(event));
  };
  const line = (type: string, object: unknown): string => `${JSON.stringify({ type, object })}\n`;
  const open = (response: ServerResponse): ServerResponse =>
    response.writeHead(200, { 'content-type': 'application/json' });

  test('what is asked -> version, bookmarks, timeout, selection', async () => {
    const { client, server } = await start((response) => open(response).end());
    await watch(client, { namespace: 'shop', labelSelector: 'a=b', fieldSelector: 'metadata.name=x' });
    const url = new URL(server.requests[0]?.url ?? '', server.origin);
    expect(url.pathname).toBe('/api/v1/namespaces/shop/persistentvolumeclaims');
    expect(Object.fromEntries(url.searchParams)).toEqual({
      watch: 'true',
      allowWatchBookmarks: 'true',
      resourceVersion: '7',
      timeoutSeconds: '300',
      labelSelector: 'a=b',
      fieldSelector: 'metadata.name=x',
    });
  });

  test('events in one chunk, then a bookmark, then the end -> callbacks in order, resolves', async () => {
    const { client } = await start((response) => {
      open(response);
      response.write(
        line('ADDED', claim('a', 8)) + line('MODIFIED', claim('a', 9)) + line('DELETED', claim('a', 10)),
      );
      response.end(line('BOOKMARK', { kind: 'PersistentVolumeClaim', metadata: { resourceVersion: '99' } }));
    });
    await watch(client);
    expect(events).toEqual([
      { type: 'ADDED', object: claim('a', 8) },
      { type: 'MODIFIED', object: claim('a', 9) },
      { type: 'DELETED', object: claim('a', 10) },
      { type: 'BOOKMARK', resourceVersion: '99' },
    ]);
  });

  test('chunks cut within a character -> the text comes whole', async () => {
    const object = claim('a', 8, { annotations: { note: 'Über 漢字 🙂' } });
    const { client } = await start((response) => {
      open(response);
      const bytes = Buffer.from(line('ADDED', object));
      const writeFrom = (place: number): void => {
        if (place >= bytes.length) {
          response.end();
          return;
        }
        response.write(bytes.subarray(place, place + 1), () => setImmediate(() => writeFrom(place + 1)));
      };
      writeFrom(0);
    });
    await watch(client);
    expect(events).toEqual([{ type: 'ADDED', object }]);
  });

  test.each<{ object: unknown; code: number }>([
    {
      object: { kind: 'Status', code: 410, reason: 'Expired', message: 'too old resource version' },
      code: 410,
    },
    { object: { kind: 'Status', reason: 'Expired' }, code: 410 },
    { object: { kind: 'Status', code: 500, reason: 'InternalError' }, code: 500 },
    { object: { kind: 'Status', message: 'unknown' }, code: 500 },
  ])('ERROR event $object -> thrown as ApiError $code', async ({ object, code }) => {
    const { client } = await start((response) => open(response).write(line('ERROR', object)));
    const error = await errorOf(watch(client));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ code });
    expect(isGone(error)).toBe(code === 410);
  });

  test.each([
    { what: 'no JSON', text: 'oops\n' },
    { what: 'of an unknown type', text: '{"type":"RENAMED","object":{}}\n' },
  ])('event $what -> thrown', async ({ text }) => {
    const { client } = await start((response) => open(response).write(text));
    expect(await errorOf(watch(client))).toBeInstanceOf(Error);
  });

  test('Issue 17: event that is no JSON -> the error shows nothing of it', async () => {
    const { client } = await start((response) => open(response).write('{"object":hunter2}\n'));
    expect(String(await errorOf(watch(client)))).not.toContain('hunter2');
  });

  test('410 as status -> thrown as gone', async () => {
    const { client } = await start((response) => answerStatus(response, 410, 'Expired'));
    expect(isGone(await errorOf(watch(client)))).toBe(true);
  });

  test('nothing comes for the silence limit -> thrown', async () => {
    const { client } = await start((response) => open(response).write(line('ADDED', claim('a', 8))));
    expect(String(await errorOf(watch(client, { silenceLimit: 150 })))).toMatch(/timeout/i);
    expect(events).toHaveLength(1);
  });

  test('connection breaks -> thrown; half an event is none', async () => {
    const { client } = await start((response) => {
      open(response).write(`${line('ADDED', claim('a', 8))}{"type":"ADD`, () =>
        setImmediate(() => response.destroy()),
      );
    });
    expect(await errorOf(watch(client))).toBeInstanceOf(Error);
    expect(events).toHaveLength(1);
  });

  test('aborted -> ends with the reason', async () => {
    const stop = new AbortController();
    const { client } = await start((response) => open(response).write(line('ADDED', claim('a', 8))));
    const running = errorOf(watch(client, { signal: stop.signal }));
    await until('the first event came', () => events.length === 1);
    stop.abort(new Error('enough'));
    expect(String(await running)).toContain('enough');
  });

  test('ended watch -> counted in the metrics', async () => {
    const { client, registry } = await start((response) => open(response).end());
    await watch(client);
    expect(await registry.metrics()).toContain(
      'rest_client_request_duration_seconds_count{verb="WATCH",host="cluster"} 1',
    );
  });
});

describe('TLS', () => {
  const fixture = (name: string): string =>
    readFileSync(new URL(`../fixtures/${name}`, import.meta.url), 'utf8');
  const tls = { cert: fixture('loopback.crt'), key: fixture('loopback.key') };
  const answer: Answer = (response) => answerJson(response, 200, data);

  test("server's CA is known -> answered", async () => {
    const credentials = credentialsOf({ headers: {}, tls: { ca: tls.cert } });
    const { client } = await start(answer, { credentials }, tls);
    expect(await client.get(persistentVolumeClaims, ref)).toEqual(data);
  });

  test('it is not -> refused before anything is sent', async () => {
    const { client, server } = await start(
      answer,
      { credentials: credentialsOf({ headers: {}, tls: {} }) },
      tls,
    );
    expect(String(await errorOf(client.get(persistentVolumeClaims, ref)))).toMatch(/self-signed certificate/);
    expect(server.requests).toStrictEqual([]);
  });

  test('CA file is rotated -> the next request trusts the new one', async () => {
    let trusted: Credentials = { headers: {}, tls: {} };
    const current = (): Credentials => trusted;
    const credentials = { fresh: current, get: () => Promise.resolve(current()), renew: () => undefined };
    const { client } = await start(answer, { credentials }, tls);
    expect(String(await errorOf(client.get(persistentVolumeClaims, ref)))).toMatch(/self-signed/);
    trusted = { headers: {}, tls: { ca: tls.cert } };
    expect(await client.get(persistentVolumeClaims, ref)).toEqual(data);
  });

  /** A source whose credentials are others once they are renewed, and how often they were. */
  function renewable(first: Credentials): CredentialSource & { readonly renewals: Credentials[] } {
    const renewals: Credentials[] = [];
    const current = (): Credentials =>
      renewals.length === 0 ? first : { headers: {}, tls: { ca: tls.cert } };
    return {
      fresh: current,
      get: () => Promise.resolve(current()),
      renew: (refused) => void renewals.push(refused),
      renewals,
    };
  }

  test.each<{ state: string; credentials: Credentials }>([
    { state: 'CA of another server', credentials: { headers: {}, tls: {} } },
    {
      state: 'certificate that is none',
      credentials: { headers: {}, tls: { ca: tls.cert, cert: 'CERT', key: 'KEY' } },
    },
    {
      state: 'token that no header can hold',
      credentials: { headers: { authorization: 'Bearer a\nb' }, tls: { ca: tls.cert } },
    },
  ])('$state -> fails, and the next request has those of a kubeconfig read anew', async ({ credentials }) => {
    const source = renewable(credentials);
    const { client } = await start(answer, { credentials: source }, tls);
    expect(await errorOf(client.get(persistentVolumeClaims, ref))).toBeInstanceOf(Error);
    expect(source.renewals).toEqual([credentials]);
    expect(await client.get(persistentVolumeClaims, ref)).toEqual(data);
  });

  test('CA of another server for good, many requests -> the kubeconfig is read every ten seconds', async () => {
    const clock = createFakeClock();
    const renewals: Credentials[] = [];
    const credentials = {
      ...credentialsOf({ headers: {}, tls: {} }),
      renew: (refused: Credentials) => {
        renewals.push(refused);
        throw new Error('the file is being written');
      },
    };
    const { client } = await start(answer, { credentials, clock }, tls);
    const fail = async (): Promise<void> =>
      expect(String(await errorOf(client.get(persistentVolumeClaims, ref)))).toMatch(/self-signed/);
    await fail();
    await fail();
    await clock.advance(9_999);
    await fail();
    expect(renewals).toHaveLength(1);
    await clock.advance(1);
    await fail();
    expect(renewals).toHaveLength(2);
  });

  test('server is not there -> the credentials are not blamed', async () => {
    const source = renewable({ headers: {}, tls: {} });
    const { client, server } = await start(answer, { credentials: source }, tls);
    await server.close();
    expect(String(await errorOf(client.get(persistentVolumeClaims, ref)))).toMatch(/ECONNREFUSED/);
    expect(source.renewals).toStrictEqual([]);
  });
});
