import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { createFaultPlan } from '../src/http/faults.ts';
import { startApiServer } from '../src/server.ts';
import { openRawWatch } from './raw-watch.ts';

const requests = 'http.server.request.start';

test.each([
  ['http', false],
  ['https', true],
])(
  'watch over %s whose connection closed before it began -> no timer keeps running',
  async (_protocol, tls) => {
    const running = new Set<object>();
    const faults = createFaultPlan();
    const server = await startApiServer({
      tls,
      faults,
      after: () => {
        const timer = { cancel: () => void running.delete(timer) };
        running.add(timer);
        return timer;
      },
    });
    let response: ServerResponse | undefined;
    const remember = (message: unknown): void => {
      ({ response } = message as { readonly response: ServerResponse });
    };
    subscribe(requests, remember);
    faults.on(
      { verb: 'watch' },
      {
        kind: 'call',
        run: async () => {
          const closed = once(response as ServerResponse, 'close');
          await Promise.all([server.stop(), closed]);
        },
      },
    );
    // Nothing is answered: the server hangs up.
    openRawWatch(server).catch(() => undefined);
    while (server.requests.count({ verb: 'watch' }) === 0) {
      await setImmediate();
    }
    unsubscribe(requests, remember);
    expect(running.size).toBe(0);
  },
);
