import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** The metrics that the webhook server reports for one route. */
export interface WebhookMetrics {
  started(): void;
  /** @param duration milliseconds. */
  finished(code: number, duration: number): void;
}

/**
 * Creates controller-runtime's `controller_runtime_webhook_*` metrics; `webhook` is the path. Call it once
 * for each registry.
 */
export function createWebhookMetrics(registry: Registry): (webhook: string) => WebhookMetrics {
  const registers = [registry];
  const requests = new Counter({
    name: 'controller_runtime_webhook_requests_total',
    help: 'Total number of admission requests by HTTP status code.',
    labelNames: ['webhook', 'code'],
    registers,
  });
  const latency = new Histogram({
    name: 'controller_runtime_webhook_latency_seconds',
    help: 'Histogram of the latency of processing admission requests',
    labelNames: ['webhook'],
    registers,
  });
  const inFlight = new Gauge({
    name: 'controller_runtime_webhook_requests_in_flight',
    help: 'Current number of admission requests being served.',
    labelNames: ['webhook'],
    registers,
  });
  return (webhook) => {
    // The series start at 0: an alert could see no increase in a series that appears with its first error.
    for (const code of [200, 500]) {
      requests.inc({ webhook, code }, 0);
    }
    inFlight.set({ webhook }, 0);
    return {
      started: () => inFlight.inc({ webhook }),
      finished: (code, duration) => {
        inFlight.dec({ webhook });
        requests.inc({ webhook, code });
        latency.observe({ webhook }, duration / 1000);
      },
    };
  };
}
