import { join } from 'node:path';
import { processUsage, type RealControlPlane } from '@holdfast/testing';
import { countAnswered } from './api-requests.ts';
import type { Goal } from './benchmark.ts';
import type { ClusterApi } from './cluster-api.ts';
import { endOfLog, startContestant } from './contestant-process.ts';
import { startCpuMeter } from './cpu-meter.ts';
import type { Outcome } from './figures.ts';
import type { Program } from './program.ts';
import { followProgress } from './progress.ts';
import { settled } from './settle.ts';

/** Where the rounds are run. */
export interface Arena {
  readonly plane: RealControlPlane;
  readonly api: ClusterApi;
  /** The folder for logs; empty at the start and removed at the end. */
  readonly folder: string;
  readonly signal: AbortSignal;
}

export interface RoundOptions {
  /** Starts the work once the contestant is idle. Default: the start of the contestant does. */
  readonly setOff?: ((api: ClusterApi) => Promise<void>) | undefined;
  /** How many milliseconds it may take to become idle. Default 15 s. */
  readonly restLimit?: number;
  /**
   * Whether to count requests. Default false, because kube-apiserver has to write out all its metrics for
   * that.
   */
  readonly countRequests?: boolean;
}

/**
 * Lets one contestant do the work that is waiting for it. If the contestant ends or makes no progress, that
 * is a result.
 *
 * @throws when interrupted
 */
export async function runRound(
  program: Program,
  goal: Goal,
  arena: Arena,
  { setOff, restLimit, countRequests = false }: RoundOptions = {},
): Promise<Outcome> {
  const { plane, api, folder, signal } = arena;
  signal.throwIfAborted();
  const logFile = join(folder, 'contestant.log');
  const progress = await followProgress(api, goal);
  try {
    const answered = countRequests ? await countAnswered(api) : undefined;
    const readMeter = await startCpuMeter(plane.apiServerPid);
    let started = performance.now();
    const contestant = await startContestant(program, folder, logFile);
    try {
      if (setOff !== undefined) {
        await settled(contestant.pid, signal, restLimit);
        started = performance.now();
        await setOff(api);
      }
      await Promise.race([
        progress.done,
        contestant.ended.then((how) => {
          throw new Error(`it ended before the work was done (${how})`);
        }),
        aborted(signal),
      ]);
      const ended = performance.now();
      const wallSeconds = (ended - started) / 1000;
      const slowest = progress.slowest();
      const slowestSeconds = slowest === undefined ? undefined : slowest / 1000;
      const firstSeconds = ((progress.firstAt() ?? ended) - started) / 1000;
      const { cpuSeconds, peakResidentBytes } = await processUsage(contestant.pid);
      const around = await readMeter(cpuSeconds);
      const requests = await answered?.();
      return {
        kind: 'finished',
        figures: {
          wallSeconds,
          firstSeconds,
          slowestSeconds,
          cpuSeconds,
          peakResidentBytes,
          requests,
          ...around,
        },
      };
    } finally {
      await contestant.stop();
    }
  } catch (error) {
    signal.throwIfAborted();
    const reason = error instanceof Error ? error.message : String(error);
    return { kind: 'failed', reason: `${reason}; the end of its log:\n${await endOfLog(logFile)}` };
  } finally {
    progress.close();
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}
