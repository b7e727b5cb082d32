import { afterEach, expect, test } from '@jest/globals';
import { pods } from '@holdfast/core';
import { isConflict, type ApiClient } from '@holdfast/runtime';
import { createFakeClock, type FakeClock } from '@holdfast/testing/fake-clock';
import { until } from '../until.ts';
import { createLocalClient } from './local-client.ts';
import { answerJson, answerStatus, startLocalServer, type Answer } from './local-server.ts';

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) {
    await each.close();
  }
});

async function start(answer: Answer): Promise<{ client: ApiClient; clock: FakeClock }> {
  const server = await startLocalServer(answer);
  const clock = createFakeClock();
  const client = createLocalClient(server, { clock });
  opened.push(server, client);
  return { client, clock };
}

const ref = { namespace: 'shop', name: 'web-0' };
const date = 'Wed, 21 Oct 2015 07:28:00 GMT';
const pod = { metadata: { name: 'web-0' } };

test('nothing was answered yet -> not known', async () => {
  const { client } = await start(() => undefined);
  expect(client.serverTime()).toBeUndefined();
});

test('answer -> its Date, which runs on by the monotonic clock', async () => {
  const { client, clock } = await start((response) => answerJson(response, 200, pod, { date }));
  await client.get(pods, ref);
  expect(client.serverTime()?.toISOString()).toBe('2015-10-21T07:28:00.000Z');
  await clock.advance(90_500);
  expect(client.serverTime()?.toISOString()).toBe('2015-10-21T07:29:30.500Z');
});

test('server whose clock was set back -> what it says now counts', async () => {
  const dates = [date, 'Tue, 20 Oct 2015 07:28:00 GMT'];
  const { client } = await start((response, _request, number) =>
    answerJson(response, 200, pod, { date: dates[number] }),
  );
  await client.get(pods, ref);
  await client.get(pods, ref);
  expect(client.serverTime()?.toISOString()).toBe('2015-10-20T07:28:00.000Z');
});

test('answer that is a refusal -> has a Date too', async () => {
  const { client } = await start((response) => answerStatus(response, 409, 'Conflict', { date }));
  expect(isConflict(await client.get(pods, ref).catch((error: unknown) => error))).toBe(true);
  expect(client.serverTime()?.toISOString()).toBe('2015-10-21T07:28:00.000Z');
});

test('502 of a proxy, or a Date that is none -> leaves what was known', async () => {
  const { client } = await start((response, _request, number) =>
    number === 0
      ? answerJson(response, 200, pod, { date })
      : number === 1
        ? response.writeHead(502, { date: 'Wed, 21 Oct 2099 07:28:00 GMT' }).end()
        : answerJson(response, 200, pod, { date: 'soon' }),
  );
  await client.get(pods, ref);
  await client.get(pods, ref).catch(() => undefined);
  await client.get(pods, ref);
  expect(client.serverTime()?.toISOString()).toBe('2015-10-21T07:28:00.000Z');
});

test('watch, which is answered for minutes -> its Date is of its beginning', async () => {
  const { client, clock } = await start((response, { url }) => {
    response.writeHead(200, { date, 'content-type': 'application/json' }).flushHeaders();
    if (!url.includes('watch=true')) {
      response.end(JSON.stringify(pod));
    }
  });
  const stop = new AbortController();
  const options = { timeoutSeconds: 300, silenceLimit: 60_000, signal: stop.signal };
  const watching = client.watch(pods, options, () => undefined).catch(() => undefined);
  await until('it is answered', () => client.serverTime() !== undefined);
  await clock.advance(60_000);
  stop.abort(new Error('enough'));
  await watching;
  expect(client.serverTime()?.toISOString()).toBe('2015-10-21T07:29:00.000Z');
});
