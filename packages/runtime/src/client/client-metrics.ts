import { Counter, Histogram, type Registry } from 'prom-client';
import { oncePerRegistry } from '../metrics/once-per-registry.ts';

/** The request metrics of client-go, with its names and labels. */
export interface ClientMetrics {
  /** @param duration milliseconds until the answer was complete; for a watch, until it ended. */
  observe(verb: string, method: string, code: number | '<error>', duration: number): void;
  /** @param delay milliseconds that the request waited for the rate limit of its client. */
  observeRateLimiter(verb: string, delay: number): void;
  /** Counts a list that was given up because its pages did not end. */
  endlessList(): void;
  /** Counts a warning of the API server; see `ApiWarning`. */
  warning(): void;
}

/** Clients that share a registry are counted together. */
export function createClientMetrics(registry: Registry, host: string): ClientMetrics {
  const { requests, durations, limiter, endless, warnings } = familiesOf(registry);
  // There are few series, but every request needs one, and a lookup by labels takes longer than counting
  // does.
  const requestSeries = new Map<string, ReturnType<typeof requests.labels>>();
  const durationSeries = new Map<string, ReturnType<typeof durations.labels>>();
  return {
    observe: (verb, method, code, duration) => {
      const key = `${method} ${String(code)}`;
      let counter = requestSeries.get(key);
      if (counter === undefined) {
        counter = requests.labels({ code, method, host });
        requestSeries.set(key, counter);
      }
      counter.inc();
      let histogram = durationSeries.get(verb);
      if (histogram === undefined) {
        histogram = durations.labels({ verb, host });
        durationSeries.set(verb, histogram);
      }
      histogram.observe(duration / 1000);
    },
    endlessList: () => endless.inc({ host }),
    warning: () => warnings.inc({ host }),
    observeRateLimiter: (verb, delay) => limiter.observe({ verb, host }, delay / 1000),
  };
}

const buckets = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];

const familiesOf = oncePerRegistry((registry) => {
  const registers = [registry];
  return {
    requests: new Counter({
      name: 'rest_client_requests_total',
      help: 'Number of HTTP requests, partitioned by status code, method, and host.',
      labelNames: ['code', 'method', 'host'] as const,
      registers,
    }),
    durations: new Histogram({
      name: 'rest_client_request_duration_seconds',
      help: 'Request latency in seconds. Broken down by verb, and host.',
      labelNames: ['verb', 'host'] as const,
      buckets,
      registers,
    }),
    endless: new Counter({
      name: 'rest_client_endless_lists_total',
      help: 'Number of lists that were given up because their pages did not come to an end, by host.',
      labelNames: ['host'] as const,
      registers,
    }),
    warnings: new Counter({
      name: 'rest_client_warnings_total',
      help: 'Number of warnings in answers of the API server, by host.',
      labelNames: ['host'] as const,
      registers,
    }),
    limiter: new Histogram({
      name: 'rest_client_rate_limiter_duration_seconds',
      help: 'Client side rate limiter latency in seconds. Broken down by verb, and host.',
      labelNames: ['verb', 'host'] as const,
      buckets,
      registers,
    }),
  };
});
