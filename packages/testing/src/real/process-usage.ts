import { readFile } from 'node:fs/promises';

/** The resources that a process has used since it started. */
export interface ProcessUsage {
  /** User and system time of all its threads, in seconds, with a resolution of 0.01. */
  readonly cpuSeconds: number;
  /** Its largest resident set so far (`VmHWM`), in bytes. */
  readonly peakResidentBytes: number;
  /** Its present resident set (`VmRSS`), in bytes. */
  readonly residentBytes: number;
}

/** USER_HZ, the unit of times in /proc: 100 on every architecture that Kubernetes is built for. */
const ticksPerSecond = 100;

/**
 * Reads /proc/<pid>/stat and /proc/<pid>/status (proc(5)), so it works only on Linux. `pidusage` reads these
 * too, but returns a percentage since its last call, and no peak.
 *
 * @throws if there is no such process, or no /proc
 */
export async function processUsage(pid: number): Promise<ProcessUsage> {
  const [stat, status] = await Promise.all([
    readFile(`/proc/${pid}/stat`, 'utf8'),
    readFile(`/proc/${pid}/status`, 'utf8'),
  ]);
  // The second field is the program's name in parentheses, and may itself hold blanks and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // Fields 14 and 15 of proc(5), utime and stime; the slice starts with field 3.
  const ticks = Number(fields[11]) + Number(fields[12]);
  return {
    cpuSeconds: ticks / ticksPerSecond,
    peakResidentBytes: kibibytes(status, 'VmHWM', pid),
    residentBytes: kibibytes(status, 'VmRSS', pid),
  };
}

function kibibytes(status: string, field: string, pid: number): number {
  const value = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1];
  // A process that has ended but was not reaped keeps its entry in /proc, without its memory.
  if (value === undefined) {
    throw new Error(`process ${pid} has no ${field}: it has ended`);
  }
  return Number(value) * 1024;
}
