import type { RequestInfo, ResourceRequest } from '../http/request-info.ts';
import type { ResourceRegistry } from '../resources/registry.ts';
import type { ResourceDefinition } from '../resources/resource-definition.ts';
import type { Labels, Metric, Sample } from './text-format.ts';

/*
 * Counts requests under the metric names and labels of kube-apiserver
 * (k8s.io/apiserver/pkg/endpoints/metrics). As there, requests that no handler serves or that are refused
 * access are not counted, so that no label contains text that a client made up.
 */

export interface RequestMetrics {
  /**
   * Called when a request is let in, with its Content-Type. Whatever happens to the request, its measurement
   * must be ended.
   *
   * @param started when it came, by performance.now()
   */
  begin(info: RequestInfo, contentType: string | undefined, started: number): Measured;
  /** Returns what was counted so far. */
  collect(): readonly Metric[];
}

/** The measurement of a request while it is served. */
export interface Measured {
  /** Marks the request as a watch: it lasts long, and is counted when it ends. */
  opened(): void;
  /** Records the HTTP status that was answered. */
  answered(code: number): void;
  /** Ends the measurement, whether the request was answered or not. */
  end(): void;
}

/** Upper bounds in seconds, equal to the real server's. */
const bounds = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
];

/** Requests with the same labels, except for the code. */
interface Series {
  readonly labels: Labels;
  readonly codes: Map<number, number>;
  /** The durations, counted at the first bound that is not exceeded. */
  readonly buckets: Uint32Array;
  /** The sum of all durations, in seconds. */
  sum: number;
  /** The number of open watches. */
  open: number;
}

/**
 * More than all combinations of resources and requests. Series beyond it are not counted: kinds that are
 * defined and deleted again and again would create more and more.
 */
const seriesLimit = 20_000;

const methods: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);
const countedPaths: ReadonlySet<string> = new Set(['/healthz', '/livez', '/readyz']);
/** The codes for a path or a form that no handler serves. */
const uncountedCodes: ReadonlySet<number> = new Set([405, 406]);

export function createRequestMetrics(registry: ResourceRegistry): RequestMetrics {
  const series = new Map<string, Series>();
  const inflight = { mutating: 0, readOnly: 0 };

  function seriesOf(info: RequestInfo, contentType: string | undefined): Series | undefined {
    if (!methods.has(info.method)) {
      return undefined;
    }
    const key = keyOf(info, contentType);
    if (key === undefined) {
      return undefined;
    }
    const known = series.get(key);
    if (known !== undefined) {
      return known;
    }
    const labels = labelsOf(registry, info, contentType);
    if (labels === undefined || series.size >= seriesLimit) {
      return undefined;
    }
    const made: Series = {
      labels,
      codes: new Map(),
      buckets: new Uint32Array(bounds.length + 1),
      sum: 0,
      open: 0,
    };
    series.set(key, made);
    return made;
  }

  return {
    begin(info, contentType, started) {
      const mine = seriesOf(info, contentType);
      const kind = isReadOnly(info) ? 'readOnly' : 'mutating';
      let state: 'served' | 'open' | 'over' = 'served';
      inflight[kind] += 1;
      const leave = (): void => {
        if (state === 'served') {
          inflight[kind] -= 1;
        } else if (state === 'open' && mine !== undefined) {
          mine.open -= 1;
        }
        state = 'over';
      };
      return {
        opened() {
          leave();
          state = 'open';
          if (mine !== undefined) {
            mine.open += 1;
          }
        },
        answered(code) {
          if (mine !== undefined && !uncountedCodes.has(code)) {
            count(mine, code, (performance.now() - started) / 1000);
          }
        },
        end: leave,
      };
    },
    collect() {
      const all = [...series.values()];
      return [
        {
          name: 'apiserver_request_total',
          help: 'Requests that were answered, by what they asked for and the HTTP status.',
          type: 'counter',
          samples: all.flatMap(({ labels, codes }) =>
            [...codes].map(([code, value]) => ({ labels: { code: String(code), ...labels }, value })),
          ),
        },
        {
          name: 'apiserver_request_duration_seconds',
          help: 'How long requests took until they were answered. A watch, until it ended.',
          type: 'histogram',
          samples: all.flatMap(histogram),
        },
        {
          name: 'apiserver_current_inflight_requests',
          help: 'Requests that are being served, without watches.',
          type: 'gauge',
          samples: Object.entries(inflight).map(([kind, value]) => ({
            labels: { request_kind: kind },
            value,
          })),
        },
        {
          name: 'apiserver_longrunning_requests',
          help: 'Watches that are open.',
          type: 'gauge',
          samples: all
            .filter(({ labels }) => labels['verb'] === 'WATCH')
            .map(({ labels, open }) => ({ labels: withoutDryRun(labels), value: open })),
        },
      ];
    },
  };
}

function withoutDryRun(labels: Labels): Labels {
  return Object.fromEntries(Object.entries(labels).filter(([name]) => name !== 'dry_run'));
}

function count(series: Series, code: number, seconds: number): void {
  series.codes.set(code, (series.codes.get(code) ?? 0) + 1);
  series.sum += seconds;
  let at = 0;
  while (at < bounds.length && seconds > (bounds[at] ?? 0)) {
    at += 1;
  }
  series.buckets[at] = (series.buckets[at] ?? 0) + 1;
}

function histogram({ labels, buckets, sum }: Series): readonly Sample[] {
  let total = 0;
  const counted = [...buckets].map((value, at) => {
    total += value;
    return { labels: { ...labels, le: String(bounds[at] ?? '+Inf') }, value: total, suffix: '_bucket' };
  });
  return total === 0
    ? []
    : [...counted, { labels, value: sum, suffix: '_sum' }, { labels, value: total, suffix: '_count' }];
}

function isReadOnly(info: RequestInfo): boolean {
  return info.kind === 'path'
    ? info.method === 'GET'
    : info.verb === 'get' || info.verb === 'list' || info.verb === 'watch';
}

/** Undefined for a path that is not counted. */
function keyOf(info: RequestInfo, contentType: string | undefined): string | undefined {
  if (info.kind === 'path') {
    const part = pathLabel(info.path);
    return part === undefined ? undefined : `${info.method} ${part}`;
  }
  const { group, version, resource, subresource } = info;
  return `${verbOf(info, contentType)} ${group}/${version}/${resource}/${subresource} ${scopeOf(info)} ${dryRunOf(info)}`;
}

/** Undefined for a request that no handler serves. */
function labelsOf(
  registry: ResourceRegistry,
  info: RequestInfo,
  contentType: string | undefined,
): Labels | undefined {
  if (info.kind === 'path') {
    return {
      component: '',
      dry_run: '',
      group: '',
      resource: '',
      scope: '',
      subresource: pathLabel(info.path) ?? '',
      verb: info.method,
      version: '',
    };
  }
  const { group, version, resource, subresource } = info;
  const definition = registry.find(group, version, resource);
  if (definition === undefined || (subresource !== '' && !hasSubresource(definition, subresource))) {
    return undefined;
  }
  return {
    component: 'apiserver',
    dry_run: dryRunOf(info),
    group,
    resource,
    scope: scopeOf(info),
    subresource,
    verb: verbOf(info, contentType),
    version,
  };
}

/** The label for a path, as in the real server. */
function pathLabel(path: string): string | undefined {
  if (countedPaths.has(path)) {
    return path;
  }
  if (path === '/openapi/v3') {
    return 'openapi/v3';
  }
  return path.startsWith('/openapi/v3/') ? 'openapi/v3/' : undefined;
}

function hasSubresource(definition: ResourceDefinition, name: string): boolean {
  return (
    (name === 'status' && definition.status !== undefined) ||
    (name === 'scale' && definition.scale !== undefined) ||
    Object.hasOwn(definition.parts ?? {}, name) ||
    definition.actions?.some((action) => action.name === name) === true
  );
}

function verbOf({ verb, method }: ResourceRequest, contentType: string | undefined): string {
  switch (verb) {
    case 'list':
      return 'LIST';
    case 'watch':
      return 'WATCH';
    case 'patch':
      return contentType?.startsWith('application/apply-patch') === true ? 'APPLY' : 'PATCH';
    default:
      return method;
  }
}

function scopeOf({ verb, namespace, name }: ResourceRequest): string {
  if (name !== '' || verb === 'create') {
    return 'resource';
  }
  return namespace === '' ? 'cluster' : 'namespace';
}

/** Other values than this one are refused, and a watch has no dry run. */
function dryRunOf({ verb, query }: ResourceRequest): string {
  return verb !== 'watch' && query.get('dryRun') === 'All' ? 'All' : '';
}
