import { fork, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import type { Answer, Job, JobResult, Order } from './job.ts';

/** Processes that play runs concurrently. */
export interface Shards {
  /** The number of concurrent runs in all shards together. */
  readonly lanes: number;
  /**
   * Does the job as soon as there is capacity.
   *
   * @throws if the job could not be done, or the shard ended
   */
  run<J extends Job>(job: J): Promise<JobResult<J>>;
  /** Ends the shards and drops jobs in progress. */
  stop(): void;
}

/** Concurrent runs per shard: while one waits for a lease or a back-off, the others work. */
const lanesOfShard = 3;

interface Waiting {
  readonly order: Order;
  readonly resolve: (result: never) => void;
  readonly reject: (error: Error) => void;
}

interface Shard {
  readonly child: ChildProcess;
  readonly jobs: Map<number, Waiting>;
}

export function startShards(count: number): Shards {
  const queue: Waiting[] = [];
  let made = 0;
  let isStopped = false;

  const fill = (): void => {
    for (const { child, jobs } of shards) {
      while (jobs.size < lanesOfShard && queue.length > 0) {
        const next = queue.shift();
        if (next !== undefined) {
          jobs.set(next.order.id, next);
          child.send(next.order);
        }
      }
    }
  };

  const start = (): Shard => {
    const child = fork(join(import.meta.dirname, 'shard.ts'), {
      execArgv: ['--conditions=@holdfast/source'],
      env: {
        ...process.env,
        // Shares compiled code between runs.
        NODE_COMPILE_CACHE:
          process.env['NODE_COMPILE_CACHE'] ??
          join(import.meta.dirname, '..', '..', '..', 'node_modules', '.cache', 'holdfast-compiled'),
      },
    });
    const jobs = new Map<number, Waiting>();
    child.on('message', (answer: Answer) => {
      const waiting = jobs.get(answer.id);
      jobs.delete(answer.id);
      if ('error' in answer) {
        waiting?.reject(new Error(answer.error));
      } else {
        waiting?.resolve(answer.result as never);
      }
      fill();
    });
    child.on('exit', (code, signal) => {
      if (!isStopped) {
        const error = new Error(`a shard ended (${signal ?? `exit code ${String(code)}`})`);
        for (const { reject } of jobs.values()) {
          reject(error);
        }
        jobs.clear();
      }
    });
    return { child, jobs };
  };

  const shards = Array.from({ length: count }, start);
  return {
    lanes: count * lanesOfShard,
    run: (job) =>
      new Promise((resolve, reject) => {
        made += 1;
        queue.push({ order: { id: made, job }, resolve, reject });
        fill();
      }),
    stop: () => {
      isStopped = true;
      for (const { child } of shards) {
        child.disconnect();
      }
    },
  };
}
