import { afterEach, describe, expect, test } from '@jest/globals';
import { configMaps, persistentVolumes, pods, type ApiResource, type KubernetesObject } from '@holdfast/core';
import { createFakeClock } from '@holdfast/testing/fake-clock';
import { Registry } from 'prom-client';
import { createClientMetrics } from '../../src/client/client-metrics.ts';
import { evict } from '../../src/client/evict.ts';
import type { ApiClientOptions } from '../../src/client/http-api-client.ts';
import { openLook } from '../../src/client/look.ts';
import { podBinding, serviceAccountToken } from '../../src/client/subresource.ts';
import { createTenure, TenureOver } from '../../src/client/tenure.ts';
import type { WritingClient } from '../../src/client/verbs.ts';
import type { RequestOptions } from '../../src/client/api-client.ts';
import { processSecrets } from '../../src/logging/secret-values.ts';
import { systemClock } from '../../src/time/clock.ts';
import { createTokenBucket } from '../../src/time/token-bucket.ts';
import { createProjection } from '../../src/wire/projection.ts';
import { until } from '../until.ts';
import { createLocalClient } from './local-client.ts';
import { answerJson, answerStatus, startLocalServer, type Answer, type LocalServer } from './local-server.ts';

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) {
    await each.close();
  }
});

interface Stage {
  readonly client: WritingClient;
  readonly server: LocalServer;
  readonly registry: Registry;
}

async function start(answer: Answer, options: Partial<ApiClientOptions> = {}): Promise<Stage> {
  const server = await startLocalServer(answer);
  const registry = new Registry();
  const client = createLocalClient(server, { metrics: createClientMetrics(registry, 'cluster'), ...options });
  opened.push(server, client);
  return { client, server, registry };
}

const ref = { namespace: 'shop', name: 'data' };
const data = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { ...ref, uid: 'uid-1', resourceVersion: '7', labels: { app: 'web' } },
  data: { colour: 'blue' },
};
const success = { apiVersion: 'v1', kind: 'Status', status: 'Success' };
const toNode = { target: { kind: 'Node', name: 'node-1' } };
const byUs = { fieldManager: 'us' };
const red = <T extends object>(map: T): T => ({ ...map, data: { colour: 'red' } });

/** Each verb, and the method by which it writes. */
const verbs: readonly {
  readonly verb: string;
  readonly method: string;
  readonly write: (client: WritingClient, options?: RequestOptions) => Promise<unknown>;
}[] = [
  {
    verb: 'apply',
    method: 'PATCH',
    write: (client, o) => client.apply(configMaps, ref, {}, { ...byUs, ...o }),
  },
  { verb: 'mergePatch', method: 'PATCH', write: (client, o) => client.mergePatch(configMaps, ref, {}, o) },
  { verb: 'update', method: 'PUT', write: (client, o) => client.update(configMaps, ref, red, o) },
  {
    verb: 'deleteCollection',
    method: 'DELETE',
    write: (client, o) => client.deleteCollection(configMaps, 'shop', 'all', o),
  },
  {
    verb: 'createSubresource',
    method: 'POST',
    write: (client, o) => client.createSubresource(podBinding, ref, toNode, o),
  },
  { verb: 'evict', method: 'POST', write: (client, o) => evict(client, ref, o) },
];

const reads: Answer = (response, { method }) =>
  answerJson(response, method === 'POST' ? 201 : 200, method === 'POST' ? success : data);
/** Answers reads, and leaves writes to the other. */
const whereWrites =
  (answer: Answer): Answer =>
  (...request) =>
    (request[1].method === 'GET' ? reads : answer)(...request);

const writesOf = ({ requests }: LocalServer) => requests.filter(({ method }) => method !== 'GET');
const errorOf = (running: Promise<unknown>): Promise<unknown> =>
  running.then(
    (answer) => ({ answered: answer }),
    (error: unknown) => error,
  );

describe('what is sent', () => {
  const sent = async (write: (client: WritingClient) => Promise<unknown>, answer = reads) => {
    const { client, server } = await start(answer);
    const answered = await write(client);
    const [request] = writesOf(server);
    return {
      answered,
      line: `${request?.method ?? ''} ${request?.url ?? ''}`,
      type: request?.headers['content-type'],
      body: JSON.parse(request?.body ?? '') as unknown,
    };
  };
  const path = '/api/v1/namespaces/shop/configmaps/data';

  test('apply -> manager and force in the query, name and namespace of the reference in the body', async () => {
    const configuration = { metadata: { labels: { a: 'b' } }, data: { colour: 'red' } };
    expect(
      await sent((client) =>
        client.apply(configMaps, ref, configuration, { fieldManager: 'a b&c', force: true }),
      ),
    ).toEqual({
      answered: { kind: 'written', object: data },
      line: `PATCH ${path}?fieldManager=a%20b%26c&force=true`,
      type: 'application/apply-patch+yaml',
      body: {
        ...{ apiVersion: 'v1', kind: 'ConfigMap', data: { colour: 'red' } },
        metadata: { ...ref, labels: { a: 'b' } },
      },
    });
    expect(await sent((client) => client.apply(configMaps, ref, configuration, byUs))).toMatchObject({
      line: `PATCH ${path}?fieldManager=us`,
    });
  });

  test('apply names no manager -> that of the client; has this none either -> refused, nothing sent', async () => {
    const { client, server } = await start(reads, { fieldManager: 'acme-sites' });
    await client.apply(configMaps, ref, {});
    expect(writesOf(server).map(({ url }) => url)).toEqual([`${path}?fieldManager=acme-sites`]);
    await client.apply(configMaps, ref, {}, byUs);
    expect(writesOf(server)[1]?.url).toBe(`${path}?fieldManager=us`);

    const nameless = await start(reads);
    await expect(nameless.client.apply(configMaps, ref, {})).rejects.toThrow('apply needs a fieldManager');
    expect(writesOf(nameless.server)).toStrictEqual([]);
  });

  test('apply of another name than the reference, unseen by the compiler -> that of the reference', async () => {
    const untyped: ApiResource<KubernetesObject> = configMaps;
    const configuration = { metadata: { name: 'other', namespace: 'other' } };
    expect(await sent((client) => client.apply(untyped, ref, configuration, byUs))).toMatchObject({
      body: { metadata: ref },
    });
  });

  test('merge patch at a subresource -> its path, and the patch alone', async () => {
    const patch = { metadata: { labels: null }, data: { colour: null } };
    expect(
      await sent((client) => client.mergePatch(configMaps, ref, patch, { subresource: 'status' })),
    ).toEqual({
      answered: { kind: 'written', object: data },
      line: `PATCH ${path}/status`,
      type: 'application/merge-patch+json',
      body: patch,
    });
  });

  test('update -> the whole object, under the identity and version that were read', async () => {
    const change = (map: typeof data) => ({
      ...red(map),
      metadata: { ...map.metadata, name: 'other', uid: 'other', resourceVersion: '', labels: {} },
    });
    expect(await sent((client) => client.update(configMaps, ref, change as never))).toEqual({
      answered: { kind: 'written', object: data },
      line: `PUT ${path}`,
      type: 'application/json',
      body: { ...data, data: { colour: 'red' }, metadata: { ...data.metadata, labels: {} } },
    });
  });

  test('update with the options of a read that has a projection -> the whole object all the same', async () => {
    const { signal } = new AbortController();
    const options = { signal, projection: createProjection(configMaps, {}) };
    const request = await sent((client) =>
      client.update(configMaps, ref, (map) => ({ ...map, immutable: true }), options),
    );
    expect(request.body).toEqual({ ...data, immutable: true });
  });

  test('update that changes what it was given, and returns that -> written', async () => {
    const request = await sent((client) =>
      client.update(configMaps, ref, (map) => Object.assign(map, { data: { colour: 'red' } })),
    );
    expect(request).toMatchObject({ line: `PUT ${path}`, body: { ...data, data: { colour: 'red' } } });
  });

  test('update of an object of the cluster -> without a namespace', async () => {
    const metadata = { name: 'data', uid: 'uid-1', resourceVersion: '7' };
    const volume = { kind: 'PersistentVolume', metadata };
    const request = await sent(
      (client) => client.update(persistentVolumes, { name: 'data' }, (each) => ({ ...each })),
      (response) => answerJson(response, 200, volume),
    );
    expect(request).toMatchObject({ line: 'PUT /api/v1/persistentvolumes/data' });
    expect(request.body).toEqual({ apiVersion: 'v1', kind: 'PersistentVolume', metadata });
  });

  test('delete of a collection -> selectors in the query, options in the body', async () => {
    const choice = { labelSelector: 'app in (a,b)', fieldSelector: 'metadata.name!=x' };
    const options = { gracePeriodSeconds: 0, propagationPolicy: 'Background' } as const;
    expect(
      await sent((client) => client.deleteCollection(configMaps, 'shop', choice, options)),
    ).toMatchObject({
      line: 'DELETE /api/v1/namespaces/shop/configmaps?labelSelector=app%20in%20(a%2Cb)&fieldSelector=metadata.name!%3Dx',
      body: { apiVersion: 'v1', kind: 'DeleteOptions', ...options },
    });
  });

  test('delete of a collection that is refused here -> nothing is sent', async () => {
    const { client, server } = await start(reads);
    for (const [namespace, choice] of [
      ['shop', { labelSelector: '' }],
      ['', 'all'],
    ] as const) {
      expect(await errorOf(client.deleteCollection(configMaps, namespace, choice))).toBeInstanceOf(Error);
    }
    expect(server.requests).toStrictEqual([]);
  });

  test('eviction -> of the kind of its own group, with the options that were given', async () => {
    const options = { preconditions: { uid: 'uid-1' }, gracePeriodSeconds: 5 };
    expect(await sent((client) => evict(client, ref, options))).toEqual({
      answered: { kind: 'written', object: success },
      line: 'POST /api/v1/namespaces/shop/pods/data/eviction',
      type: 'application/json',
      body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: ref, deleteOptions: options },
    });
  });

  test('token request -> what is answered, whatever it is', async () => {
    const request = await sent(
      (client) => client.createSubresource(serviceAccountToken, ref, { spec: { audiences: ['a'] } }),
      (response) => answerJson(response, 201, { kind: 'TokenRequest', status: null }),
    );
    expect(request).toMatchObject({
      answered: { kind: 'written' },
      line: 'POST /api/v1/namespaces/shop/serviceaccounts/data/token',
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata: ref },
    });
  });

  test('many tokens are issued -> none pushes a secret of the process out of what is kept from its outputs', async () => {
    const { client } = await start((response, _request, number) =>
      answerJson(response, 201, {
        kind: 'TokenRequest',
        status: { token: `issued-token-${String(number)}` },
      }),
    );
    processSecrets.add('own-secret-of-9d1f');
    for (let n = 0; n < 40; n++) {
      await client.createSubresource(serviceAccountToken, ref, { spec: {} });
    }
    expect(processSecrets.redact('it is own-secret-of-9d1f')).toBe('it is [redacted]');
  });

  test('name that no path can hold -> not sent', async () => {
    const { client, server } = await start(reads);
    for (const name of ['', '..']) {
      const odd = { namespace: 'shop', name };
      expect(await errorOf(client.apply(configMaps, odd, {}, byUs))).toBeInstanceOf(Error);
      expect(await errorOf(client.mergePatch(configMaps, odd, {}))).toBeInstanceOf(Error);
      expect(await errorOf(client.update(configMaps, odd, red))).toBeInstanceOf(Error);
      expect(await errorOf(evict(client, odd))).toBeInstanceOf(Error);
    }
    expect(server.requests).toStrictEqual([]);
  });
});

describe.each(verbs)('$verb', ({ method, write }) => {
  test('dry run -> says so', async () => {
    const { client, server } = await start(reads, { dryRun: true });
    await write(client);
    const [request] = writesOf(server);
    expect(new URL(request?.url ?? '', server.origin).searchParams.getAll('dryRun')).toEqual(['All']);
    if (method === 'DELETE') {
      expect(JSON.parse(request?.body ?? '')).toMatchObject({ dryRun: ['All'] });
    }
  });

  test('lease has ended -> not sent, unless it outlives the tenure', async () => {
    const tenure = createTenure(systemClock);
    tenure.end();
    const { client, server } = await start(reads, { tenure });
    expect(await errorOf(write(client))).toBeInstanceOf(TenureOver);
    expect(writesOf(server)).toStrictEqual([]);
    await write(client, { outlivesTenure: true });
    expect(writesOf(server)).toHaveLength(1);
  });

  test('answer is lost -> thrown, and not sent again', async () => {
    const { client, server } = await start(whereWrites((response) => response.destroy()));
    expect(await errorOf(write(client))).toBeInstanceOf(Error);
    expect(writesOf(server)).toHaveLength(1);
  });

  test('server is silent -> thrown in its time', async () => {
    const { client } = await start(
      whereWrites(() => undefined),
      { timeout: 100 },
    );
    expect(String(await errorOf(write(client)))).toMatch(/timeout/i);
  });

  test('aborted -> the reason', async () => {
    const stop = new AbortController();
    const { client, server } = await start(whereWrites(() => undefined));
    const running = errorOf(write(client, { signal: stop.signal }));
    await until('the request is there', () => writesOf(server).length === 1);
    stop.abort(new Error('enough'));
    expect(String(await running)).toContain('enough');
  });

  test('takes its turn in the rate limit, and is counted', async () => {
    const clock = createFakeClock();
    const { client, server, registry } = await start(reads, {
      clock,
      rateLimit: createTokenBucket({ qps: 1, burst: 1, clock }),
    });
    await client.get(configMaps, ref);
    const running = write(client);
    await until('it waits', () => clock.pending === 1);
    expect(server.requests).toHaveLength(1);
    while (writesOf(server).length === 0) {
      await clock.advance(1_000);
      await until('it is sent, or waits', () => writesOf(server).length === 1 || clock.pending === 1);
    }
    await running;
    const text = await registry.metrics();
    expect(text).toMatch(
      new RegExp(`rest_client_requests_total{code="20[01]",method="${method}",host="cluster"} 1`),
    );
    expect(text).toContain(`rest_client_request_duration_seconds_count{verb="${method}",host="cluster"} 1`);
    expect(text).toContain(
      `rest_client_rate_limiter_duration_seconds_count{verb="${method}",host="cluster"} 1`,
    );
  });

  test.each([429, 503])(
    '%d with Retry-After -> again after that time, but for a collection',
    async (code) => {
      const clock = createFakeClock();
      let isBusy = true;
      const { client, server } = await start(
        whereWrites((response, ...rest) => {
          if (isBusy) {
            isBusy = false;
            answerStatus(response, code, 'Busy', { 'retry-after': '1' });
          } else {
            reads(response, ...rest);
          }
        }),
        { clock },
      );
      const running = errorOf(write(client));
      if (method === 'DELETE') {
        expect(await running).toMatchObject({ code });
        expect(writesOf(server)).toHaveLength(1);
        return;
      }
      await until('it waits', () => writesOf(server).length === 1 && clock.pending === 1);
      await clock.advance(1_000);
      expect(await running).toMatchObject({ answered: { kind: 'written' } });
      const [first, second] = writesOf(server);
      expect(second).toMatchObject({ method: first?.method, url: first?.url, body: first?.body });
    },
  );

  test.each([
    { what: '403', code: 403, reason: 'Forbidden' },
    { what: '404 of a proxy', code: 404, reason: '' },
    { what: '409 of a name that is taken', code: 409, reason: 'AlreadyExists' },
    { what: '422', code: 422, reason: 'Invalid' },
    { what: '500', code: 500, reason: 'InternalError' },
    { what: '204', code: 204, reason: '' },
  ])('$what -> thrown', async ({ code, reason }) => {
    const { client, server } = await start(whereWrites((response) => answerStatus(response, code, reason)));
    expect(await errorOf(write(client))).toMatchObject({ name: 'ApiError', code });
    expect(writesOf(server)).toHaveLength(1);
  });
});

describe.each(verbs.filter(({ verb }) => verb !== 'deleteCollection'))('$verb', ({ method, write }) => {
  test.each([
    { code: 404, reason: 'NotFound', kind: 'gone' },
    { code: 409, reason: 'Conflict', kind: 'outdated' },
  ])('$code $reason -> $kind', async ({ code, reason, kind }) => {
    const { client } = await start(whereWrites((response) => answerStatus(response, code, reason)));
    expect(await write(client)).toMatchObject({ kind });
  });

  test('look that is too old -> outdated, and not sent', async () => {
    const clock = createFakeClock();
    const { client, server } = await start(reads, { clock });
    const look = openLook({ maxAge: 1_000 });
    await client.get(configMaps, ref, { look });
    await clock.advance(1_001);
    expect(await write(client, { look })).toMatchObject({ kind: 'outdated' });
    expect(writesOf(server)).toStrictEqual([]);
  });

  if (method !== 'POST') {
    test.each([
      { what: 'of another kind', body: { ...data, kind: 'Pod' } },
      { what: 'of another name', body: { ...data, metadata: { ...data.metadata, name: 'other' } } },
      { what: 'that says how it went', body: success },
    ])('answer $what -> not taken for written', async ({ body }) => {
      const { client } = await start(whereWrites((response) => answerJson(response, 200, body)));
      expect(String(await errorOf(write(client)))).toMatch(/answered with/);
    });
  }
});

describe('apply', () => {
  test('fields of others -> named, and counted as no failure of the transport', async () => {
    const causes = [
      { reason: 'FieldManagerConflict', message: 'conflict with "hpa"', field: '.spec.replicas' },
    ];
    const { client } = await start((response) =>
      answerJson(response, 409, {
        kind: 'Status',
        code: 409,
        reason: 'Conflict',
        message: 'no',
        details: { causes },
      }),
    );
    expect(await client.apply(configMaps, ref, {}, byUs)).toEqual({
      kind: 'conflict',
      conflicts: [{ field: '.spec.replicas', manager: 'hpa', message: 'conflict with "hpa"' }],
    });
  });
});

describe('update', () => {
  test('object is not there -> gone, and nothing is written', async () => {
    const { client, server } = await start((response) => answerStatus(response, 404, 'NotFound'));
    expect(await client.update(configMaps, ref, red)).toEqual({ kind: 'gone' });
    expect(writesOf(server)).toStrictEqual([]);
  });

  test('read is no such object -> thrown, and nothing is written', async () => {
    const { client, server } = await start((response) =>
      answerJson(response, 200, { ...data, metadata: ref }),
    );
    expect(await errorOf(client.update(configMaps, ref, red))).toBeInstanceOf(Error);
    expect(writesOf(server)).toStrictEqual([]);
  });

  test('change throws -> thrown, and nothing is written', async () => {
    const { client, server } = await start(reads);
    const running = client.update(configMaps, ref, () => {
      throw new Error('not my day');
    });
    expect(String(await errorOf(running))).toContain('not my day');
    expect(writesOf(server)).toStrictEqual([]);
  });

  test.each([
    ['a promise, of plain JavaScript', async (map: object) => Promise.resolve({ ...map })],
    ['an object without metadata', () => ({ data: { colour: 'red' } })],
    ['nothing, but has changed what it was given', (map: object) => void Object.assign(map, red(map))],
  ])('change returns %s -> thrown, and nothing is written', async (_what, change) => {
    const { client, server } = await start(reads);
    expect(await errorOf(client.update(configMaps, ref, change as never))).toBeInstanceOf(TypeError);
    expect(writesOf(server)).toStrictEqual([]);
  });
});

describe('eviction that a budget keeps', () => {
  const words = 'The disruption budget web needs 2 healthy pods and has 2 currently';
  const kept = (response: Parameters<Answer>[0], headers = {}): void =>
    answerJson(
      response,
      429,
      {
        ...{ kind: 'Status', code: 429, reason: 'TooManyRequests', message: 'Cannot evict pod' },
        details: { causes: [{ reason: 'DisruptionBudget', message: words }] },
      },
      headers,
    );

  test.each([
    { header: {}, retryAfter: undefined },
    { header: { 'retry-after': '10' }, retryAfter: 10_000 },
  ])('with $header -> blocked, with its words, at once', async ({ header, retryAfter }) => {
    const { client, server } = await start((response) => kept(response, header));
    expect(await evict(client, ref)).toEqual({ kind: 'blocked', reason: words, retryAfter });
    expect(server.requests).toHaveLength(1);
  });

  test('sent as a subresource like any other -> thrown at once', async () => {
    const { client, server } = await start((response) => kept(response, { 'retry-after': '10' }));
    const request = { ...podBinding, of: pods, name: 'eviction' };
    expect(await errorOf(client.createSubresource(request, ref, toNode))).toMatchObject({ code: 429 });
    expect(server.requests).toHaveLength(1);
  });
});
