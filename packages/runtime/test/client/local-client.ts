import { Registry } from 'prom-client';
import { createClientMetrics } from '../../src/client/client-metrics.ts';
import { createApiClient, type ApiClientOptions } from '../../src/client/http-api-client.ts';
import { createTransport } from '../../src/client/transport.ts';
import type { WritingClient } from '../../src/client/verbs.ts';
import { systemClock } from '../../src/time/clock.ts';
import type { LocalServer } from './local-server.ts';

const none = { headers: {}, tls: {} };

/** A client of a local server, without credentials. Options are for what a test is about. */
export function createLocalClient(
  { origin }: LocalServer,
  options: Partial<ApiClientOptions> = {},
): WritingClient {
  return createApiClient({
    transport: createTransport({ origin }),
    credentials: { fresh: () => none, get: () => Promise.resolve(none), renew: () => undefined },
    metrics: createClientMetrics(new Registry(), 'cluster'),
    clock: systemClock,
    userAgent: 'test/1',
    ...options,
  });
}
