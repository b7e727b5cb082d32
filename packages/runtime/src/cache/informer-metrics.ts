import { Counter, type Registry } from 'prom-client';

/** How the informers of a process fare, by resource (its plural). */
export interface InformerMetrics {
  listed(resource: string): void;
  watchStarted(resource: string): void;
  failed(resource: string): void;
}

/** `reflector_*`: the names that client-go's reflectors had. */
export function createInformerMetrics(registry: Registry): InformerMetrics {
  const counter = (name: string, help: string): Counter<'name'> =>
    new Counter({ name, help, labelNames: ['name'], registers: [registry] });
  const lists = counter('reflector_lists_total', 'Total number of API lists done by the reflectors');
  const watches = counter('reflector_watches_total', 'Total number of API watches started by the reflectors');
  const failures = counter('reflector_failures_total', 'Total number of lists and watches that failed');
  return {
    listed: (name) => lists.inc({ name }),
    watchStarted: (name) => watches.inc({ name }),
    failed: (name) => failures.inc({ name }),
  };
}
