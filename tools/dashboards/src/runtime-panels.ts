import type { Panel, Row } from './panel.ts';
import { p50, p99, rate, replica, series } from './query.ts';

/*
 * The panels about what every controller exports because it uses `@holdfast/runtime`. If there is an alert
 * (`deploy/monitoring`), the threshold is the alert's.
 */

/**
 * The first row of each dashboard.
 *
 * @param further panels about the health of this app only
 */
export function health(further: readonly Panel[]): Row {
  return { title: 'Is it working?', panels: [...vitals, ...further, ...failures] };
}

/**
 * What is waiting.
 *
 * @param further panels about what the app holds, marks or has yet to do
 */
export function waiting(further: readonly Panel[]): Row {
  return { title: 'Is anything waiting?', panels: [...further, ...queues] };
}

/**
 * What was done.
 *
 * @param own panels about the app's writes
 */
export function work(own: readonly Panel[]): Row {
  return { title: 'What has it done?', panels: [...own, reconciles, events] };
}

export const costs: Row = {
  title: 'What does it cost?',
  panels: [
    {
      kind: 'graph',
      title: 'Requests to the API server',
      description:
        'Requests in a second, by verb and answer. 409 and 422 are guarded patches whose object had changed: it is looked at again.',
      unit: 'reqps',
      isStacked: true,
      queries: [
        { expr: rate('rest_client_requests_total', ['method', 'code']), legend: '{{method}} {{code}}' },
      ],
    },
    {
      kind: 'graph',
      title: 'Time of a request (99th percentile)',
      description:
        'From sending a request until its answer is complete. A watch counts from its start to its end, some 45 s.',
      unit: 's',
      queries: [{ expr: p99('rest_client_request_duration_seconds', ['verb']), legend: '{{verb}}' }],
    },
    {
      kind: 'graph',
      title: 'Throttling (99th percentile)',
      description:
        'How long a request waited for the limits of the controller itself. For long above a second: raise --kube-api-qps and --kube-api-burst.',
      unit: 's',
      thresholds: [{ from: 1, color: 'yellow' }],
      queries: [{ expr: p99('rest_client_rate_limiter_duration_seconds', ['verb']), legend: '{{verb}}' }],
    },
    {
      kind: 'graph',
      title: 'CPU',
      description:
        'Cores in use, by replica. One that does not lead follows too, and computes nearly as much while objects change.',
      unit: 'short',
      queries: [{ expr: `rate(${series('process_cpu_seconds_total')}[$__rate_interval])`, legend: replica }],
    },
    {
      kind: 'graph',
      title: 'Memory',
      description: 'Resident memory, by replica. The manifests limit a pod to 512 MiB.',
      unit: 'bytes',
      thresholds: [
        { from: 400 * 2 ** 20, color: 'yellow' },
        { from: 512 * 2 ** 20, color: 'red' },
      ],
      queries: [{ expr: series('process_resident_memory_bytes'), legend: replica }],
    },
    {
      kind: 'graph',
      title: 'Event loop lag (99th percentile)',
      description:
        'How late a timer runs, by replica: above 100 ms for long the process has more to do than one core can.',
      unit: 's',
      thresholds: [{ from: 0.1, color: 'yellow' }],
      queries: [{ expr: series('nodejs_eventloop_lag_p99_seconds'), legend: replica }],
    },
    {
      kind: 'graph',
      title: 'Garbage collection',
      description: 'Share of the time that the process stands still for it, by replica.',
      unit: 'percentunit',
      queries: [{ expr: rate('nodejs_gc_duration_seconds_sum', ['pod', 'instance']), legend: replica }],
    },
    {
      kind: 'graph',
      title: 'Heap',
      description: 'What V8 holds of the heap, by replica. A line that rises over days is a leak: report it.',
      unit: 'bytes',
      queries: [{ expr: series('nodejs_heap_size_used_bytes'), legend: replica }],
    },
    {
      kind: 'stat',
      title: 'Feature gates',
      description: 'Which gates are on, by the replicas that are scraped.',
      unit: 'bool_yes_no',
      texts: { 0: 'off', 1: 'on' },
      queries: [{ expr: `max by (name) (${series('kubernetes_feature_enabled')})`, legend: '{{name}}' }],
    },
  ],
};

const vitals: readonly Panel[] = [
  {
    kind: 'stat',
    title: 'Replicas',
    description: 'Processes that are scraped. The manifests have two, of which one leads.',
    unit: 'short',
    queries: [{ expr: `count(${series('holdfast_build_info')})`, legend: 'replicas' }],
  },
  {
    kind: 'stat',
    title: 'Version',
    description: 'Two of them for long: an upgrade is stuck.',
    unit: 'short',
    showsName: true,
    queries: [{ expr: `count by (version) (${series('holdfast_build_info')})`, legend: '{{version}}' }],
  },
  {
    kind: 'stat',
    title: 'Leader',
    description:
      'Whether a replica holds the lease. Without one nothing is decided: runbook HoldfastNoLeader. With --leader-elect=false there is no lease.',
    unit: 'bool_yes_no',
    texts: { 0: 'none', 1: 'leads' },
    thresholds: [
      { from: 0, color: 'red' },
      { from: 1, color: 'green' },
    ],
    queries: [{ expr: `max by (name) (${series('leader_election_master_status')})`, legend: '{{name}}' }],
  },
  {
    kind: 'stat',
    title: 'Not followed',
    description:
      'Resources, by replica and namespace, that are not in the cache or may not be read. Runbook HoldfastResourceNotFollowed.',
    unit: 'short',
    thresholds: [{ from: 1, color: 'red' }],
    queries: [{ expr: `sum(1 - ${series('informer_followed')})`, legend: 'not followed' }],
  },
  {
    kind: 'stat',
    title: 'Oldest cache',
    description:
      'Time since the API server was last heard of, for the resource that waits longest. Below 50 s while all is well. Runbook HoldfastInformerStale.',
    unit: 's',
    thresholds: [
      { from: 60, color: 'yellow' },
      { from: 180, color: 'red' },
    ],
    queries: [{ expr: `max(${series('informer_staleness_seconds')})`, legend: 'oldest' }],
  },
  {
    kind: 'stat',
    title: 'Longest failing',
    description:
      'How long the work on an object has failed at each try, for the one that has failed for longest. Runbook HoldfastReconcileFailing.',
    unit: 's',
    thresholds: [
      { from: 60, color: 'yellow' },
      { from: 900, color: 'red' },
    ],
    queries: [{ expr: `max(${series('controller_longest_failing_seconds')})`, legend: 'longest' }],
  },
];

const failures: readonly Panel[] = [
  {
    kind: 'graph',
    title: 'Failed reconciles',
    description: 'Keys whose work failed in a second, or took longer than it may, by queue.',
    unit: 'ops',
    queries: [
      {
        expr: rate('controller_runtime_reconcile_errors_total', ['controller']),
        legend: '{{controller}} failed',
      },
      {
        expr: rate('controller_runtime_reconcile_timeouts_total', ['controller']),
        legend: '{{controller}} took too long',
      },
    ],
  },
  {
    kind: 'graph',
    title: 'Failed lists and watches, unreadable objects',
    description: 'In a second, by resource. Runbooks HoldfastWatchFailing and HoldfastObjectsSkipped.',
    unit: 'ops',
    queries: [
      { expr: rate('reflector_failures_total', ['name']), legend: '{{name}} failed' },
      { expr: rate('reflector_objects_skipped_total', ['name']), legend: '{{name}} left out' },
    ],
  },
  {
    kind: 'graph',
    title: 'Age of the caches',
    description:
      'Time since the API server was last heard of, by resource. A watch ends after 45 s at the most and begins anew.',
    unit: 's',
    thresholds: [{ from: 180, color: 'red' }],
    queries: [{ expr: `max by (name) (${series('informer_staleness_seconds')})`, legend: '{{name}}' }],
  },
  {
    kind: 'graph',
    title: 'Answers other than success',
    description:
      'Answers of the API server in a second, by code. 403: a right is missing. 429 and 5xx: it has too much to do, or is not well.',
    unit: 'reqps',
    queries: [
      {
        expr: rate('rest_client_requests_total', ['method', 'code'], 'code!~"2.."'),
        legend: '{{method}} {{code}}',
      },
      { expr: rate('log_lines_dropped_total', []), legend: 'log lines dropped' },
    ],
  },
];

const queues: readonly Panel[] = [
  {
    kind: 'graph',
    title: 'Depth of the queues',
    description:
      'Keys that are due and that no worker has taken yet. It is high for a moment after a start, and should come down again.',
    unit: 'short',
    queries: [{ expr: `sum by (name) (${series('workqueue_depth')})`, legend: '{{name}}' }],
  },
  {
    kind: 'graph',
    title: 'Wait in the queues',
    description: 'How long a key was due before a worker took it: the middle, and the 99th percentile.',
    unit: 's',
    queries: [
      { expr: p50('workqueue_queue_duration_seconds', ['name']), legend: '{{name}} p50' },
      { expr: p99('workqueue_queue_duration_seconds', ['name']), legend: '{{name}} p99' },
    ],
  },
  {
    kind: 'graph',
    title: 'Longest work under way',
    description:
      'How long the key has been worked on that has been worked on longest. What hangs is a request, or a storage driver.',
    unit: 's',
    thresholds: [{ from: 60, color: 'yellow' }],
    queries: [
      {
        expr: `max by (name) (${series('workqueue_longest_running_processor_seconds')})`,
        legend: '{{name}}',
      },
    ],
  },
  {
    kind: 'graph',
    title: 'Keys that come back',
    description: 'Retries in a second, by queue: after failures, and of what has to be looked at again.',
    unit: 'ops',
    queries: [{ expr: rate('workqueue_retries_total', ['name']), legend: '{{name}}' }],
  },
];

const reconciles: Panel = {
  kind: 'graph',
  title: 'Reconciles',
  description: 'In a second, by what became of them.',
  unit: 'ops',
  isStacked: true,
  queries: [{ expr: rate('controller_runtime_reconcile_total', ['result']), legend: '{{result}}' }],
};

const events: Panel = {
  kind: 'graph',
  title: 'Events',
  description: 'Events in a second, by what became of them. Refused: the right to create events is missing.',
  unit: 'ops',
  isStacked: true,
  queries: [{ expr: rate('holdfast_events_total', ['result']), legend: '{{result}}' }],
};
