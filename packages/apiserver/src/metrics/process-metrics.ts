import { readFile, readdir } from 'node:fs/promises';
import type { Metric } from './text-format.ts';

/**
 * Metrics of the whole process that the server runs in, whatever else it does. Open files are counted only if
 * there is a /proc.
 */
export async function processMetrics(): Promise<readonly Metric[]> {
  const { user, system } = process.cpuUsage();
  const [openFiles, limits] = await Promise.all([
    readdir('/proc/self/fd').catch(() => undefined),
    readFile('/proc/self/limits', 'utf8').catch(() => undefined),
  ]);
  const most = /^Max open files\s+(\d+)/m.exec(limits ?? '')?.[1];
  return [
    one(
      'process_cpu_seconds_total',
      'counter',
      'CPU time of the process, in seconds.',
      (user + system) / 1e6,
    ),
    one('process_max_fds', 'gauge', 'Files that the process may have open.', most && Number(most)),
    one('process_open_fds', 'gauge', 'Files that the process has open.', openFiles?.length),
    one(
      'process_resident_memory_bytes',
      'gauge',
      'Memory of the process, in bytes.',
      process.memoryUsage.rss(),
    ),
    one(
      'process_start_time_seconds',
      'gauge',
      'When the process began, in seconds since the epoch.',
      performance.timeOrigin / 1000,
    ),
  ];
}

function one(name: string, type: Metric['type'], help: string, value: number | '' | undefined): Metric {
  return { name, type, help, samples: typeof value === 'number' ? [{ labels: {}, value }] : [] };
}
