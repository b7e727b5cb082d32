import { Counter, Gauge, type Registry } from 'prom-client';

/** What the informers of a process report, by resource (its plural). */
export interface InformerMetrics {
  listed(resource: string): void;
  watchStarted(resource: string): void;
  failed(resource: string): void;
  /** An object could not be read, and was left out. */
  skipped(resource: string): void;
  /**
   * Reports from now on how long ago an informer heard from the API server.
   *
   * @param staleness milliseconds since the informer last heard from the API server; called when the metrics are read.
   */
  follow(resource: string, staleness: () => number): void;
}

/** `reflector_*`: the names that client-go's reflectors had. `informer_staleness_seconds` is ours: client-go has no such metric. */
export function createInformerMetrics(registry: Registry): InformerMetrics {
  const counter = (name: string, help: string): Counter<'name'> =>
    new Counter({ name, help, labelNames: ['name'], registers: [registry] });
  const lists = counter('reflector_lists_total', 'Total number of API lists done by the reflectors');
  const watches = counter('reflector_watches_total', 'Total number of API watches started by the reflectors');
  const failures = counter('reflector_failures_total', 'Total number of lists and watches that failed');
  const skips = counter(
    'reflector_objects_skipped_total',
    'Total number of objects of lists and watches that could not be read and were left out',
  );
  const followed: { readonly name: string; readonly staleness: () => number }[] = [];
  new Gauge({
    name: 'informer_staleness_seconds',
    help:
      'Seconds since an informer last heard from the API server: a list, a change, a bookmark, the normal end of a watch. ' +
      'Below 50 while all is well.',
    labelNames: ['name'],
    registers: [registry],
    collect() {
      const oldest = new Map<string, number>();
      for (const { name, staleness } of followed) {
        oldest.set(name, Math.max(oldest.get(name) ?? 0, staleness()));
      }
      for (const [name, milliseconds] of oldest) {
        this.set({ name }, milliseconds / 1000);
      }
    },
  });
  return {
    listed: (name) => lists.inc({ name }),
    watchStarted: (name) => watches.inc({ name }),
    failed: (name) => failures.inc({ name }),
    skipped: (name) => skips.inc({ name }),
    follow: (name, staleness) => followed.push({ name, staleness }),
  };
}
