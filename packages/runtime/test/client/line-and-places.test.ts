import { afterEach, describe, expect, test } from '@jest/globals';
import { persistentVolumeClaims } from '@holdfast/core';
import { createFakeClock } from '@holdfast/testing/fake-clock';
import type { ApiClient } from '../../src/client/api-client.ts';
import { openLook } from '../../src/client/look.ts';
import { createTransport } from '../../src/client/transport.ts';
import { createTokenBucket } from '../../src/time/token-bucket.ts';
import { claim } from '../claim.ts';
import { until } from '../until.ts';
import { createLocalClient } from './local-client.ts';
import { answerAsked, startLocalServer, type Answer } from './local-server.ts';

const closing: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of closing.splice(0)) {
    await each.close();
  }
});

/** @param limit of the client's requests; none: there is no limit. */
async function start(
  limit?: { readonly qps: number; readonly burst: number },
  answer: Answer = (response, request) => answerAsked(response, request, claim('data', 7)),
) {
  const server = await startLocalServer(answer);
  const clock = createFakeClock();
  const client = createLocalClient(server, {
    transport: createTransport({ origin: server.origin, clock }),
    ...(limit === undefined
      ? {}
      : {
          rateLimit: createTokenBucket({ ...limit, clock }),
          watchRateLimit: createTokenBucket({ ...limit, clock }),
        }),
    clock,
  });
  const stop = new AbortController();
  closing.push(
    {
      close: () => {
        stop.abort(new Error('test is over'));
        return Promise.resolve();
      },
    },
    client,
    server,
  );
  /** Asks for this many claims of a namespace; nobody waits for the answers. */
  const ask = (namespace: string, count: number): void => {
    for (let n = 0; n < count; n++) {
      const ref = { namespace, name: `data-${String(n)}` };
      client.get(persistentVolumeClaims, ref, { signal: stop.signal }).catch(() => undefined);
    }
  };
  const askedOf = (namespace: string): number =>
    server.requests.filter(({ url }) => url.includes(`/namespaces/${namespace}/`)).length;
  return { client, server, clock, ask, askedOf };
}

const ref = { namespace: 'shop', name: 'data' };

describe('line for the rate limit', () => {
  test.each([
    { namespaces: 1, each: 100 },
    { namespaces: 20, each: 10 },
  ])(
    '$each reads in each of $namespaces namespaces wait, and a write that rests on a look comes -> it is sent before them, in time',
    async ({ namespaces, each }) => {
      const { client, server, ask } = await start({ qps: 1, burst: 1 });
      const look = openLook();
      await client.get(persistentVolumeClaims, ref, { look });
      for (let n = 0; n < namespaces; n++) {
        ask(n === 0 ? 'shop' : `other-${String(n)}`, each);
      }
      await client.patch(persistentVolumeClaims, ref, [], { look });
      expect(server.requests.map(({ method }) => method)).toEqual(['GET', 'PATCH']);
    },
  );

  test('looks at 20 objects each begin in each of six namespaces -> the reads of each come one after the other', async () => {
    const { client, server, clock } = await start({ qps: 1, burst: 1 });
    const namespaces = ['a', 'b', 'c', 'd', 'e', 'f'];
    const looks = namespaces.flatMap((namespace) => {
      const look = openLook();
      return Array.from({ length: 20 }, (_each, n) =>
        client.get(persistentVolumeClaims, { namespace, name: `data-${String(n)}` }, { look }),
      );
    });
    for (let sent = 1; sent < looks.length; sent++) {
      await until('the next is sent', () => server.requests.length === sent);
      await clock.advance(1_000);
    }
    await Promise.all(looks);
    expect(server.requests.map(({ url }) => /namespaces\/(.)\//.exec(url)?.[1])).toEqual(
      namespaces.flatMap((namespace) => Array.from({ length: 20 }, () => namespace)),
    );
  });

  test('hundreds of reads of one namespace wait -> one of another waits for 32 of them at the most', async () => {
    const { clock, ask, askedOf } = await start({ qps: 1, burst: 1 });
    ask('shop', 300);
    ask('other', 1);
    for (let second = 0; askedOf('other') === 0; second++) {
      expect(askedOf('shop')).toBeLessThanOrEqual(33);
      const asked = askedOf('shop') + askedOf('other');
      await clock.advance(1_000);
      await until('the next is sent', () => askedOf('shop') + askedOf('other') > asked);
    }
  });
});

describe('watches', () => {
  const endAtOnce: Answer = (response, request) =>
    request.url.includes('watch=true')
      ? response.writeHead(200, { 'content-type': 'application/json' }).end()
      : answerAsked(response, request, claim('data', 7));
  const watch = (client: ApiClient, namespace: string): Promise<void> =>
    client.watch(
      persistentVolumeClaims,
      {
        namespace,
        resourceVersion: '7',
        timeoutSeconds: 40,
        silenceLimit: 50_000,
        signal: new AbortController().signal,
      },
      () => undefined,
    );

  test('hundreds are to be opened anew -> a read does not wait for them', async () => {
    const { client, clock, askedOf } = await start({ qps: 1, burst: 1 }, endAtOnce);
    const watches = Array.from({ length: 300 }, () => watch(client, 'shop'));
    await client.get(persistentVolumeClaims, { namespace: 'other', name: 'data' });
    expect(askedOf('shop')).toBeLessThanOrEqual(1);
    // As many a second as there may be other requests.
    for (let opened = 1; opened < 5; opened++) {
      await until('the next is opened', () => askedOf('shop') === opened);
      await clock.advance(1_000);
    }
    await clock.advance(300_000);
    await Promise.all(watches);
  });

  test('the rate limit is used up by reads -> one is opened at once', async () => {
    const { client, ask, askedOf } = await start({ qps: 1, burst: 1 }, endAtOnce);
    ask('other', 100);
    await watch(client, 'shop');
    expect(askedOf('other')).toBeLessThanOrEqual(1);
  });
});

describe('connections', () => {
  test('a hundred requests to one namespace hang -> one to another is answered', async () => {
    const { client, ask, askedOf } = await start({ qps: 1_000, burst: 1_000 }, (response, request) => {
      if (!request.url.includes('/shop/')) {
        answerAsked(response, request, claim('data', 7));
      }
    });
    ask('shop', 100);
    await until('half of the connections are taken', () => askedOf('shop') === 32);
    await client.get(persistentVolumeClaims, { namespace: 'other', name: 'data' });
    expect(askedOf('shop')).toBe(32);
  });
});
