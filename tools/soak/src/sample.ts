/** What the controller's process takes at one moment, by its own metrics. */
export interface Sample {
  /** Since the churn began. */
  readonly seconds: number;
  readonly residentBytes: number;
  readonly heapUsedBytes: number;
  /** libuv handles: sockets, servers, child processes. */
  readonly handles: number;
  /** libuv requests: a write or a name lookup that is under way. */
  readonly requests: number;
  /** All that keeps the event loop alive, timers among them. */
  readonly resources: number;
  /** File descriptors; undefined where the system does not tell. */
  readonly openFiles: number | undefined;
  /** Keys that wait, in all work queues. */
  readonly queueDepth: number;
  /** Seconds that keys under way have been worked on, in all work queues. */
  readonly unfinishedSeconds: number;
  /** How often the informers listed, and began to watch, since the process started. */
  readonly lists: number;
  readonly watches: number;
}

/** @throws when the process does not answer in ten seconds, or lacks one of the metrics. */
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
    // Counters with labels are not told before the first count.
    lists: totals.get('reflector_lists_total') ?? 0,
    watches: totals.get('reflector_watches_total') ?? 0,
  };
}

/**
 * The sum over all labels of each metric in the Prometheus text format; a line is a name, perhaps labels, and the value. No
 * package that is at hand reads it: prom-client only writes.
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
