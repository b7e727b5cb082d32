/** The resources that the controller's process uses at one moment, by its own metrics. */
export interface Sample {
  /** Since the churn began. */
  readonly seconds: number;
  readonly residentBytes: number;
  readonly heapUsedBytes: number;
  /** The number of libuv handles: sockets, servers, child processes. */
  readonly handles: number;
  /** The number of libuv requests: writes or name lookups in progress. */
  readonly requests: number;
  /** Everything that keeps the event loop alive, including timers. */
  readonly resources: number;
  /** The number of file descriptors; undefined if the system does not report it. */
  readonly openFiles: number | undefined;
  /** The number of waiting keys in all work queues. */
  readonly queueDepth: number;
  /** The seconds for which the keys in progress have been worked on, in all work queues. */
  readonly unfinishedSeconds: number;
  /** How many times the informers have listed, and begun to watch, since the process started. */
  readonly lists: number;
  readonly watches: number;
}

/** @throws if the process does not answer within ten seconds, or lacks one of the metrics */
export async function takeSample(metricsUrl: string, seconds: number): Promise<Sample> {
  const response = await fetch(metricsUrl, { signal: AbortSignal.timeout(10_000) });
  return readSample(await response.text(), seconds);
}

export function readSample(text: string, seconds: number): Sample {
  const totals = totalsOf(text);
  const total = (name: string): number => {
    const value = totals.get(name);
    if (value === undefined) {
      throw new Error(`metric ${name} is missing: the controller's own /metrics is read`);
    }
    return value;
  };
  return {
    seconds,
    residentBytes: total('process_resident_memory_bytes'),
    heapUsedBytes: total('nodejs_heap_size_used_bytes'),
    handles: total('nodejs_active_handles_total'),
    requests: total('nodejs_active_requests_total'),
    resources: total('nodejs_active_resources_total'),
    openFiles: totals.get('process_open_fds'),
    queueDepth: total('workqueue_depth'),
    unfinishedSeconds: total('workqueue_unfinished_work_seconds'),
    // Counters with labels are missing until they first count.
    lists: totals.get('reflector_lists_total') ?? 0,
    watches: totals.get('reflector_watches_total') ?? 0,
  };
}

/**
 * Sums each metric in the Prometheus text format over all labels. A line has a name, optional labels, and the
 * value. No installed package parses this: prom-client only writes.
 */
function totalsOf(text: string): ReadonlyMap<string, number> {
  const totals = new Map<string, number>();
  for (const line of text.split('\n')) {
    const [, name, value] = /^([A-Za-z_:][\w:]*)(?:\{.*\})? (\S+)$/.exec(line) ?? [];
    if (name !== undefined) {
      totals.set(name, (totals.get(name) ?? 0) + Number(value));
    }
  }
  return totals;
}
