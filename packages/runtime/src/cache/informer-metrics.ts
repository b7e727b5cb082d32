import { Counter, Gauge, type Registry } from 'prom-client';

/** What the informers of a process report, by resource (its plural). */
export interface InformerMetrics {
  listed(resource: string): void;
  watchStarted(resource: string): void;
  failed(resource: string): void;
  /** Counts an object that could not be read and was left out. */
  skipped(resource: string): void;
  /** From now on, metrics also report the state of this informer. */
  follow(resource: string, state: InformerState): void;
}

/** State of an informer, read whenever the metrics are collected. */
export interface InformerState {
  /** The namespaces that the informer follows; undefined stands for the whole cluster. */
  readonly scopes: readonly (string | undefined)[];
  isFollowing(namespace?: string): boolean;
  /** Milliseconds since the informer last heard from the API server. */
  staleness(): number;
}

/**
 * `reflector_*` are the names that client-go's reflectors used. `informer_*` is Holdfast's: client-go has no
 * such metrics.
 */
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
  const followed: { readonly name: string; readonly state: InformerState }[] = [];
  new Gauge({
    name: 'informer_staleness_seconds',
    help:
      'Seconds since an informer last heard from the API server: a list, a change, a bookmark, the normal end of a watch. ' +
      'Below 50 while all is well.',
    labelNames: ['name'],
    registers: [registry],
    collect() {
      const oldest = new Map<string, number>();
      for (const { name, state } of followed) {
        oldest.set(name, Math.max(oldest.get(name) ?? 0, state.staleness()));
      }
      for (const [name, milliseconds] of oldest) {
        this.set({ name }, milliseconds / 1000);
      }
    },
  });
  new Gauge({
    name: 'informer_followed',
    help:
      'By informer and namespace, which is empty for the whole cluster: 1 while its objects are in the cache and may be read, 0 before ' +
      'the first list has come and while the API server refuses the resource there.',
    labelNames: ['name', 'namespace'],
    registers: [registry],
    collect() {
      for (const { name, state } of followed) {
        for (const scope of state.scopes) {
          this.set({ name, namespace: scope ?? '' }, state.isFollowing(scope) ? 1 : 0);
        }
      }
    },
  });
  return {
    listed: (name) => lists.inc({ name }),
    watchStarted: (name) => watches.inc({ name }),
    failed: (name) => failures.inc({ name }),
    skipped: (name) => skips.inc({ name }),
    follow: (name, state) => followed.push({ name, state }),
  };
}
