import { setTimeout as pause } from 'node:timers/promises';
import { json, type ClusterApi } from '../cluster-api.ts';
import type { ComparisonSizes } from './comparison.ts';
import { configMap, configMapsIn, namespace, namespaces } from './objects.ts';
import { percentile } from './percentile.ts';
import type { ServerFigure } from './server-figures.ts';
import { warmUpOf } from './writes.ts';

type FanOutFigures = Readonly<
  Record<Extract<ServerFigure, 'eventsPerSecond' | 'medianDelaySeconds' | 'p99DelaySeconds'>, number>
>;

const newline = 0x0a;
/** Milliseconds to wait for events after the last write. */
const limit = 60_000;

/**
 * Measures one writer and many watchers of what it writes. Events come in the order of the writes, one per
 * line, so counting lines is enough to know which write a watcher has seen. Parsing the objects would cost
 * the client more than sending them costs the server.
 *
 * @param api with a connection for each watcher and one for the writer
 * @throws if a watch breaks off or an event does not come
 */
export async function measureFanOut(
  api: ClusterApi,
  { writes, watchers }: ComparisonSizes,
): Promise<FanOutFigures> {
  const home = 'fan-out';
  await api.post(namespaces, namespace(home));
  const path = configMapsIn(home);
  const { metadata } = await api.get<{ readonly metadata: { readonly resourceVersion: string } }>(path);

  const total = warmUpOf(writes) + writes;
  const seenBy = new Array<number>(total).fill(0);
  /** When the last watcher has seen each write. */
  const seenAt: number[] = [];
  let finish = (): void => undefined;
  const allSeen = new Promise<void>((resolve) => (finish = resolve));
  const watches = await Promise.all(
    Array.from({ length: watchers }, () => {
      let next = 0;
      return api.stream(`${path}?watch=true&resourceVersion=${metadata.resourceVersion}`, json, (chunk) => {
        const now = performance.now();
        for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, at + 1)) {
          const write = next++;
          const count = (seenBy[write] ?? 0) + 1;
          seenBy[write] = count;
          if (count < watchers) {
            continue;
          }
          seenAt[write] = now;
          if (write === total - 1) {
            finish();
          }
        }
      });
    }),
  );
  const failed = Promise.race(watches.map((watch) => watch.failed));
  const timer = new AbortController();
  try {
    const answeredAt: number[] = [];
    let started = 0;
    for (let write = 0; write < total; write++) {
      if (write === warmUpOf(writes)) {
        started = performance.now();
      }
      await Promise.race([api.post(path, configMap(`config-${write}`), json), failed]);
      answeredAt.push(performance.now());
    }
    await Promise.race([
      allSeen,
      failed,
      pause(limit, undefined, { signal: timer.signal }).then(() => {
        throw new Error(`some watcher has not seen all events ${limit / 1000} s after the last write`);
      }),
    ]);
    const seconds = ((seenAt.at(-1) ?? 0) - started) / 1000;
    // The server may send an event to watchers before it answers the writer.
    const delays = answeredAt
      .map((answered, write) => Math.max(0, (seenAt[write] ?? 0) - answered) / 1000)
      .slice(-writes);
    return {
      eventsPerSecond: (writes * watchers) / seconds,
      medianDelaySeconds: percentile(delays, 50),
      p99DelaySeconds: percentile(delays, 99),
    };
  } finally {
    timer.abort();
    for (const watch of watches) {
      watch.close();
    }
  }
}
