import { expect, test } from '@jest/globals';
import { createFakeClock } from '@holdfast/testing/fake-clock';
import { pino } from 'pino';
import { createBusyLog } from '../../src/client/busy-log.ts';

test('H5: waits in a row -> the first logged at once, then one in ten seconds with the number of the others', async () => {
  const clock = createFakeClock();
  const lines: unknown[] = [];
  const say = createBusyLog(
    pino({ base: null, timestamp: false }, { write: (line: string) => lines.push(JSON.parse(line)) }),
    clock,
  );
  const wait = { request: 'GET /api/v1/pods', code: 429, delay: 30_000 };
  say(wait);
  say(wait);
  await clock.advance(9_999);
  say(wait);
  await clock.advance(1);
  say({ ...wait, code: 503 });
  const line = { level: 40, request: wait.request, delayMs: 30_000, msg: 'API server asks to wait' };
  expect(lines).toEqual([
    { ...line, code: 429, suppressed: 0 },
    { ...line, code: 503, suppressed: 2 },
  ]);
});
