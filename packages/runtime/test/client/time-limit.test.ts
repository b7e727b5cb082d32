import { afterEach, describe, expect, test } from '@jest/globals';
import { persistentVolumeClaims } from '@holdfast/core';
import { createFakeClock } from '@holdfast/testing/fake-clock';
import type { ServerResponse } from 'node:http';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { createInformerMetrics } from '../../src/cache/informer-metrics.ts';
import { createInformer } from '../../src/cache/informer.ts';
import type { ApiClient } from '../../src/client/api-client.ts';
import { createTransport } from '../../src/client/transport.ts';
import type { Clock } from '../../src/time/clock.ts';
import { until } from '../until.ts';
import { createLocalClient } from './local-client.ts';
import { answerJson, answerStatus, startLocalServer } from './local-server.ts';

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) {
    await each.close();
  }
});

/**
 * A server whose answers drip, a byte whenever the test says so, until it is mended; and a client whose time is the
 * test's. Streamed lists it does not know.
 */
async function start() {
  const open = new Set<ServerResponse>();
  let isMended = false;
  const server = await startLocalServer((response, { url }) => {
    if (url.includes('sendInitialEvents')) {
      answerStatus(response, 422, 'Invalid');
    } else if (isMended && !url.includes('watch=')) {
      answerJson(response, 200, { metadata: { resourceVersion: '7' }, items: [] });
    } else {
      response.writeHead(200, { 'content-type': 'application/json' }).write('{');
      open.add(response);
      response.once('close', () => open.delete(response));
    }
  });
  const fake = createFakeClock();
  let looks = 0;
  /** The client looks at the clock whenever it hears something. */
  const clock: Clock = {
    now: () => {
      looks += 1;
      return fake.now();
    },
    after: fake.after,
  };
  const client = createLocalClient(server, {
    transport: createTransport({ origin: server.origin, clock }),
    clock,
  });
  opened.push(server, client);
  const heard = async (what: () => unknown): Promise<void> => {
    const before = looks;
    what();
    await until('the client has heard of it', () => looks > before);
  };
  return {
    client,
    clock,
    advance: fake.advance,
    pending: () => fake.pending,
    open,
    /** Lets this many milliseconds pass, and then a byte come. */
    drip: async (milliseconds: number) => {
      await fake.advance(milliseconds);
      await heard(() => open.forEach((response) => response.write(' ')));
    },
    mend: () => {
      isMended = true;
    },
  };
}

const ref = { namespace: 'shop', name: 'data' };
const signal = new AbortController().signal;
type Request = (client: ApiClient) => Promise<unknown>;

describe('B2: the answer drips for ever, a byte within each silence that is allowed', () => {
  test.each<{ readonly verb: string; readonly method: string; readonly request: Request }>([
    { verb: 'get', method: 'GET', request: (client) => client.get(persistentVolumeClaims, ref) },
    { verb: 'list', method: 'GET', request: (client) => client.list(persistentVolumeClaims) },
    {
      verb: 'create',
      method: 'POST',
      request: (client) => client.create(persistentVolumeClaims, 'shop', {}),
    },
    { verb: 'patch', method: 'PATCH', request: (client) => client.patch(persistentVolumeClaims, ref, []) },
    { verb: 'delete', method: 'DELETE', request: (client) => client.delete(persistentVolumeClaims, ref) },
    {
      verb: 'watch',
      method: 'GET',
      request: (client) =>
        client.watch(
          persistentVolumeClaims,
          { timeoutSeconds: 60, silenceLimit: 30_000, signal },
          () => undefined,
        ),
    },
  ])(
    '$verb -> fails after 90 s, and names the request, the limit and what to look for',
    async ({ method, request }) => {
      const { client, drip, advance, pending, open } = await start();
      let error: unknown;
      const ended = request(client).then(
        () => undefined,
        (reason: unknown) => {
          error = reason;
        },
      );
      await until('the answer has begun', () => open.size === 1);
      for (let n = 0; n < 3; n++) {
        await drip(29_000);
      }
      await advance(2_999);
      expect(error).toBeUndefined();
      await advance(1);
      await ended;
      expect(error).toMatchObject({ name: 'TimeLimitError' });
      expect(String(error)).toMatch(
        new RegExp(`${method} /api/v1/.*persistentvolumeclaims.* after 90000 ms; look for`),
      );
      await until('the connection is closed', () => open.size === 0);
      expect(pending()).toBe(0);
    },
  );

  test('list of an informer -> given up, logged, and tried again until the server is well', async () => {
    const { client, clock, drip, advance, open, mend } = await start();
    const registry = new Registry();
    const lines: { readonly msg: string; readonly err: { readonly type: string } }[] = [];
    const stream = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        lines.push(JSON.parse(chunk.toString()) as (typeof lines)[number]);
        done();
      },
    });
    const informer = createInformer({
      client,
      clock,
      resource: persistentVolumeClaims,
      logger: pino(stream),
      metrics: createInformerMetrics(registry),
    });
    const stop = new AbortController();
    const running = informer.run(stop.signal);
    await until('the list has begun', () => open.size === 1);
    for (let n = 0; n < 3; n++) {
      await drip(29_000);
    }
    mend();
    await advance(3_000);
    await until('it is given up', () => lines.length === 1);
    expect(lines[0]).toMatchObject({ msg: 'Watch failed', err: { type: 'TimeLimitError' } });
    await advance(60_000);
    await until('it is listed', () => informer.hasSynced());
    stop.abort(new Error('the test is over'));
    await running;
  });
});
