import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { persistentVolumeClaims } from '@holdfast/core';
import {
  createApiClient,
  find,
  guardedWrite,
  LookTooOld,
  openLook,
  type ApiClient,
  type ApiClientOptions,
  type Look,
} from '@holdfast/runtime';
import { createFakeClock, type FakeClock } from '@holdfast/testing/fake-clock';
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as pass } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Registry } from 'prom-client';
import { createClientMetrics } from '../../src/client/client-metrics.ts';
import { checkLook } from '../../src/client/look.ts';
import { createTransport } from '../../src/client/transport.ts';
import { createTokenBucket } from '../../src/time/token-bucket.ts';
import { claim } from '../claim.ts';
import { until } from '../until.ts';
import { createLocalClient } from './local-client.ts';
import {
  answerAsked,
  answerJson,
  answerStatus,
  startLocalServer,
  type Answer,
  type LocalServer,
} from './local-server.ts';
import { startHoldingProxy } from './holding-proxy.ts';

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) {
    await each.close();
  }
});

const fixture = (name: string): string => fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url));
const tls = {
  cert: readFileSync(fixture('loopback.crt'), 'utf8'),
  key: readFileSync(fixture('loopback.key'), 'utf8'),
};
const ref = { namespace: 'shop', name: 'data' };
const data = claim('data', 7);
const patch = [{ op: 'remove', path: '/metadata/finalizers/0' }] as const;

interface Stage {
  readonly client: ApiClient;
  readonly server: LocalServer;
  readonly clock: FakeClock;
  readonly registry: Registry;
  /** What came to the server beside reads. */
  writes(): readonly string[];
}

async function start(
  answer: Answer = (response) => answerJson(response, 200, data),
  options: (clock: FakeClock) => Partial<ApiClientOptions> = () => ({}),
): Promise<Stage> {
  const server = await startLocalServer(answer);
  const clock = createFakeClock();
  const registry = new Registry();
  const client = createLocalClient(server, {
    metrics: createClientMetrics(registry, 'cluster'),
    clock,
    ...options(clock),
  });
  opened.push(server, client);
  const writes = () => server.requests.map(({ method }) => method).filter((method) => method !== 'GET');
  return { client, server, clock, registry, writes };
}

async function lookAt(client: ApiClient, maxAge?: number): Promise<Look> {
  const look = openLook(maxAge === undefined ? {} : { maxAge });
  await find(client, persistentVolumeClaims, ref, { look });
  return look;
}

const sendPatch = (client: ApiClient, look: Look): Promise<unknown> =>
  client.patch(persistentVolumeClaims, ref, patch, { look });
const sendDelete = (client: ApiClient, look: Look): Promise<unknown> =>
  client.delete(persistentVolumeClaims, ref, { look, preconditions: { uid: 'u' } });
const kinds = [
  { verb: 'patch', send: sendPatch },
  { verb: 'delete', send: sendDelete },
];

function errorOf(running: Promise<unknown>): Promise<unknown> {
  return running.then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe.each(kinds)('A0: $verb that rests on a look', ({ send }) => {
  test('look just as old as it may be -> sent', async () => {
    const { client, clock, writes } = await start();
    const look = await lookAt(client);
    await clock.advance(2_000);
    await send(client, look);
    expect(writes()).toHaveLength(1);
  });

  test('look older than that -> not sent, outdated, and counted as no request', async () => {
    const { client, clock, writes, registry } = await start();
    const look = await lookAt(client);
    await clock.advance(2_001);
    expect(await errorOf(send(client, look))).toBeInstanceOf(LookTooOld);
    expect(await guardedWrite(() => send(client, look))).toEqual({
      kind: 'outdated',
      reason: 'not sent: its look was 2001 ms old, and 2000 ms are allowed; look again',
    });
    expect(writes()).toStrictEqual([]);
    expect(await registry.metrics()).not.toContain('<error>');
  });

  test('look of another limit -> that counts', async () => {
    const { client, clock, writes } = await start();
    const look = await lookAt(client, 10_000);
    await clock.advance(9_999);
    await send(client, look);
    await clock.advance(2);
    expect(await errorOf(send(client, look))).toBeInstanceOf(LookTooOld);
    expect(writes()).toHaveLength(1);
  });

  test('look grows old while the rate limit holds the write -> not sent', async () => {
    const { client, clock, writes } = await start(undefined, (clock) => ({
      rateLimit: createTokenBucket({ qps: 0.2, burst: 1, clock }),
    }));
    const look = await lookAt(client);
    // Three go ahead of their tokens, the fourth would wait five seconds.
    for (let n = 0; n < 3; n++) {
      await send(client, look);
    }
    const fourth = errorOf(send(client, look));
    await clock.advance(5_000);
    expect(await fourth).toBeInstanceOf(LookTooOld);
    expect(writes()).toHaveLength(3);
    expect(clock.pending).toBe(0);
  });

  test.each([
    { code: 429, retryAfter: '3' },
    { code: 503, retryAfter: '3' },
  ])('look grows old while a $code is waited out -> not sent again', async ({ code, retryAfter }) => {
    const { client, clock, writes } = await start((response, { method }) =>
      method === 'GET'
        ? answerJson(response, 200, data)
        : answerStatus(response, code, 'Busy', { 'retry-after': retryAfter }),
    );
    const look = await lookAt(client);
    const writing = errorOf(send(client, look));
    await until('it waits', () => clock.pending === 1);
    await clock.advance(3_000);
    expect(await writing).toBeInstanceOf(LookTooOld);
    expect(writes()).toHaveLength(1);
  });

  test('what the look has shown is known to be otherwise while a Retry-After is waited out -> not sent again, outdated', async () => {
    const { client, clock, writes } = await start((response, { method }) =>
      method === 'GET'
        ? answerJson(response, 200, data)
        : answerStatus(response, 429, 'TooManyRequests', { 'retry-after': '1' }),
    );
    let holds = true;
    const look = { ...(await lookAt(client)), stillHolds: () => holds };
    const writing = guardedWrite(() => send(client, look));
    await until('it waits', () => clock.pending === 1);
    holds = false;
    await clock.advance(1_000);
    expect(await writing).toEqual({
      kind: 'outdated',
      reason: 'not sent: what its look has shown has changed since; look again',
    });
    expect(writes()).toHaveLength(1);
  });

  test('what the look has shown is known to be otherwise before it is sent -> an error that names itself in a log', async () => {
    const { client, writes } = await start();
    const look = { ...(await lookAt(client)), stillHolds: () => false };
    expect(String(await errorOf(send(client, look)))).toBe(
      'LookOvertaken: not sent: what its look has shown has changed since; look again',
    );
    expect(writes()).toStrictEqual([]);
  });

  test('look is still young after a 503 was waited out -> sent again', async () => {
    const { client, clock, writes } = await start((response, _request, number) =>
      number === 1
        ? answerStatus(response, 503, 'Busy', { 'retry-after': '1' })
        : answerJson(response, 200, data),
    );
    const look = await lookAt(client);
    const writing = send(client, look);
    await until('it waits', () => clock.pending === 1);
    await clock.advance(1_000);
    await writing;
    expect(writes()).toHaveLength(2);
  });

  test('look grows old while credentials are asked for -> not sent', async () => {
    let hand: () => void = () => undefined;
    let isFresh = true;
    const credentials = { headers: {}, tls: {} };
    const { client, clock, writes } = await start(undefined, () => ({
      credentials: {
        fresh: () => (isFresh ? credentials : undefined),
        get: () => new Promise((resolve) => (hand = () => resolve(credentials))),
        renew: () => undefined,
      },
    }));
    const look = await lookAt(client);
    isFresh = false;
    const writing = errorOf(send(client, look));
    await clock.advance(2_001);
    hand();
    expect(await writing).toBeInstanceOf(LookTooOld);
    expect(writes()).toStrictEqual([]);
  });

  test('look grows old while all connections that its namespace may have are taken -> not sent, and the connection serves on', async () => {
    const held: (() => void)[] = [];
    const { client, server, clock, writes } = await start((response, request) =>
      request.url.endsWith('/busy')
        ? held.push(() => answerAsked(response, request, data))
        : answerJson(response, 200, data),
    );
    const look = await lookAt(client);
    const busy = Array.from({ length: 32 }, () =>
      client.get(persistentVolumeClaims, { namespace: 'shop', name: 'busy' }),
    );
    await until('all are taken', () => held.length === 32);
    const writing = errorOf(send(client, look));
    await clock.advance(2_001);
    held.forEach((release) => release());
    expect(await writing).toBeInstanceOf(LookTooOld);
    await Promise.all(busy);
    expect(writes()).toStrictEqual([]);
    await client.get(persistentVolumeClaims, ref);
    expect(server.requests).toHaveLength(34);
  });

  test('look grows old while a connection opens -> not sent', async () => {
    const answer: Answer = (response) => answerJson(response, 200, data);
    const { client: looking, clock } = await start(answer);
    const server = await startLocalServer(answer, tls);
    const proxy = await startHoldingProxy(server.origin);
    const look = await lookAt(looking);
    const client = createApiClient({
      transport: createTransport({ origin: `https://127.0.0.1:${String(proxy.port)}` }),
      credentials: {
        fresh: () => ({ headers: {}, tls: { rejectUnauthorized: false } }),
        get: () => Promise.reject(new Error('not asked')),
        renew: () => undefined,
      },
      metrics: createClientMetrics(new Registry(), 'cluster'),
      clock,
      userAgent: 'test/1',
    });
    opened.push(server, proxy, client);
    const writing = errorOf(send(client, look));
    await until('the handshake has begun', () => proxy.held > 0);
    await clock.advance(2_001);
    proxy.release();
    expect(await writing).toBeInstanceOf(LookTooOld);
    expect(server.requests).toStrictEqual([]);
    // A write whose look is young comes by the same way.
    await send(client, await lookAt(looking));
    expect(server.requests).toHaveLength(1);
  });
});

describe('A0: when a look begins', () => {
  test('the look waits for its token -> it is not older for that', async () => {
    const { client, clock, writes } = await start(undefined, (clock) => ({
      rateLimit: createTokenBucket({ qps: 0.1, burst: 1, clock }),
    }));
    await client.get(persistentVolumeClaims, ref);
    const looking = lookAt(client);
    await clock.advance(10_000);
    const look = await looking;
    expect(look.lookedAt).toBe(clock.now());
    await sendPatch(client, look);
    expect(writes()).toHaveLength(1);
  });

  test('the look is answered by a later try -> it began with that', async () => {
    const { client, clock } = await start((response, _request, number) =>
      number === 0
        ? answerStatus(response, 429, 'Busy', { 'retry-after': '5' })
        : answerJson(response, 200, data),
    );
    const looking = lookAt(client);
    await until('it waits', () => clock.pending === 1);
    await clock.advance(5_000);
    expect((await looking).lookedAt).toBe(clock.now());
  });

  test('nothing is there -> that was seen too', async () => {
    const { client, clock } = await start((response) => answerStatus(response, 404, 'NotFound'));
    expect((await lookAt(client)).lookedAt).toBe(clock.now());
  });

  test('several requests, a list in pages among them -> the first, and none of them is refused', async () => {
    const { client, server, clock } = await start((response, { url }) =>
      url.includes('/data')
        ? answerJson(response, 200, data)
        : answerJson(response, 200, {
            metadata: { resourceVersion: '9', continue: url.includes('continue=') ? '' : 'more' },
            items: [],
          }),
    );
    const began = clock.now();
    const look = openLook();
    for await (const page of client.listPages(persistentVolumeClaims, { look })) {
      expect(page.items).toStrictEqual([]);
      await clock.advance(3_000);
    }
    await client.get(persistentVolumeClaims, ref, { look });
    expect(look.lookedAt).toBe(began);
    expect(server.requests).toHaveLength(3);
  });

  test.each(kinds)('$verb whose look was never answered -> an error that says so', async ({ send }) => {
    const { client, writes } = await start();
    expect(await guardedWrite(() => send(client, openLook()))).toMatchObject({
      kind: 'failed',
      error: { message: expect.stringContaining('pass the look to the reads too') },
    });
    expect(writes()).toStrictEqual([]);
  });
});

/** The process that is frozen, in each test anew: one start serves them all. */
let child: ChildProcessByStdio<Writable, Readable, null>;
beforeAll(() => {
  child = spawn(
    process.execPath,
    ['--conditions=@holdfast/source', '--no-warnings', fixture('frozen-writer.ts')],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
});
afterAll(async () => {
  const ended = once(child, 'close');
  child.stdin.end();
  await ended;
});

describe.each(['patch', 'delete'])('A0: process frozen by SIGSTOP before its %s', (verb) => {
  const maxAge = 200;

  /** A program's start takes seconds, and should have the machine for itself. */
  const whenever = async (holds: () => boolean): Promise<void> => {
    while (!holds() && child.exitCode === null && child.signalCode === null) {
      await pass(5);
    }
  };

  /** @returns what became of the write, and what came to the server. */
  async function run(freezes: 'before it writes' | 'while the connection opens' | 'never') {
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-look-'));
    const answer: Answer = (response) => answerJson(response, 200, data);
    const looking = await startLocalServer(answer);
    const writing = await startLocalServer(answer, tls);
    const proxy = await startHoldingProxy(writing.origin);
    opened.push(looking, writing, proxy);
    const kubeconfig = join(folder, 'config');
    const contexts = ['looking', 'writing'];
    writeFileSync(
      kubeconfig,
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        clusters: [
          { name: 'looking', cluster: { server: looking.origin } },
          {
            name: 'writing',
            cluster: {
              server: `https://127.0.0.1:${String(proxy.port)}`,
              'insecure-skip-tls-verify': true,
            },
          },
        ],
        users: [{ name: 'me', user: {} }],
        contexts: contexts.map((name) => ({ name, context: { cluster: name, user: 'me' } })),
      }),
    );
    let said = '';
    const hear = (chunk: Buffer) => (said += String(chunk));
    child.stdout.on('data', hear);
    // The one that is not frozen is slow only by the machine.
    const age = freezes === 'never' ? 60_000 : maxAge;
    child.stdin.write(`${kubeconfig} ${verb} ${String(age)}\n`);
    try {
      await whenever(() => said === 'looked\n');
      if (freezes === 'before it writes') {
        child.kill('SIGSTOP');
        child.stdin.write('go\n');
      } else {
        child.stdin.write('go\n');
        await whenever(() => proxy.held > 0 || said !== 'looked\n');
        if (freezes !== 'never') {
          child.kill('SIGSTOP');
        }
      }
      proxy.release();
      if (freezes !== 'never') {
        await pass(2 * maxAge);
        child.kill('SIGCONT');
      }
      await whenever(() => said.split('\n').length === 3);
      return { said, came: writing.requests.length };
    } finally {
      child.kill('SIGCONT');
      child.stdout.off('data', hear);
      rmSync(folder, { recursive: true });
    }
  }

  test.each(['before it writes', 'while the connection opens'] as const)(
    '%s -> nothing comes to the server',
    async (freezes) => {
      expect(await run(freezes)).toEqual({ said: 'looked\noutdated\n', came: 0 });
    },
    30_000,
  );

  test('never -> the write comes', async () => {
    expect(await run('never')).toEqual({ said: 'looked\nwritten\n', came: 1 });
  }, 30_000);
});

test('a look is older than it may be -> the error has its kind, its age, and the way out', () => {
  const look = { lookedAt: 1_000, maxAge: 2_000 };
  expect(() => checkLook(look, 3_000)).not.toThrow();
  expect(() => checkLook(look, 3_001)).toThrow(
    expect.objectContaining({
      name: 'LookTooOld',
      age: 2_001,
      message: 'not sent: its look was 2001 ms old, and 2000 ms are allowed; look again',
    }),
  );
});
