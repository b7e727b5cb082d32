import { expect, test } from '@jest/globals';
import { createFakeClock } from '../src/fake-clock.ts';
import { startApiServer } from '../src/server.ts';
import { clientOf, configMaps } from './client.ts';

test('many changes, long ago -> who begins from before them is told to list anew, live watches go on', async () => {
  const clock = createFakeClock(Date.UTC(2030, 0, 1));
  const server = await startApiServer({ tls: false, now: clock.now, after: clock.after });
  const { send, watch } = clientOf(server);
  const change = (index: number): Promise<{ readonly code: number }> =>
    send('PUT', `${configMaps}/a`, { metadata: { name: 'a' }, data: { index: String(index) } });
  await send('POST', configMaps, { metadata: { name: 'a' } });
  const { body } = await send('GET', `${configMaps}?limit=1`);
  const { resourceVersion } = body.metadata;
  const live = await watch(`${configMaps}?watch=1&resourceVersion=${resourceVersion}`);
  for (let index = 0; index < 150; index++) {
    expect((await change(index)).code).toBe(200);
  }
  await clock.advance(6 * 60_000);
  await change(150);

  const late = await watch(`${configMaps}?watch=1&resourceVersion=${resourceVersion}`);
  expect(await late.next()).toMatchObject({ type: 'ERROR', object: { code: 410, reason: 'Expired' } });
  const exact = `resourceVersion=${resourceVersion}&resourceVersionMatch=Exact`;
  expect((await send('GET', `${configMaps}?${exact}`)).code).toBe(410);
  const seen: (string | undefined)[] = [];
  while (seen.length < 151) {
    seen.push((await live.next())?.type);
  }
  expect(new Set(seen)).toEqual(new Set(['MODIFIED']));
  live.stop();
  late.stop();
  await server.stop();
});
