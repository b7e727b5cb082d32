import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { OrphanGuard } from './orphan-guard.ts';

export interface ProcessOptions {
  /** The name in messages, for example `kube-apiserver`. */
  readonly name: string;
  /** Absolute path of the program. */
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly guard: OrphanGuard;
}

/** A program of the control plane, running in a process group of its own. */
export interface RunningProcess {
  readonly name: string;
  readonly pid: number;
  /**
   * Resolves when the process has ended and all of its output was read. The value says how it ended: `exit
   * code 1`, `signal SIGKILL`.
   */
  readonly ended: Promise<string>;
  /** Returns the last 16 KiB that it wrote to stdout and stderr. */
  output(): string;
  /** Sends SIGTERM, and SIGKILL after 5 seconds; resolves when the process has ended. */
  stop(): Promise<void>;
  /** Sends SIGKILL; resolves when the process has ended. */
  kill(): Promise<void>;
}

/** A program ended, or was not ready in time. The message includes the end of its output. */
export class ProcessFailedError extends Error {
  /** The last 16 KiB that the program wrote. */
  readonly output: string;

  constructor(process: RunningProcess, what: string) {
    const output = process.output().trimEnd();
    super(
      `${process.name} ${what}; ${output === '' ? 'it wrote nothing' : `the end of its output:\n${output}`}`,
    );
    this.name = 'ProcessFailedError';
    this.output = output;
  }
}

const outputLimit = 16 * 1024;
const stopBoundMs = 5_000;

/**
 * Starts a program.
 *
 * @throws if the program cannot be started at all (no such file, not executable)
 */
export async function startProcess(options: ProcessOptions): Promise<RunningProcess> {
  const { name, guard } = options;
  const child = spawn(options.command, options.args, {
    cwd: options.cwd,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { pid } = child;
  if (pid === undefined) {
    const [cause] = (await once(child, 'error')) as [Error];
    throw new Error(`cannot start ${name}: ${cause.message}`, { cause });
  }
  guard.watch(pid);

  let output = Buffer.alloc(0);
  const keepEnd = (chunk: Buffer): void => {
    output = Buffer.concat([output, chunk]).subarray(-outputLimit);
  };
  child.stdout.on('data', keepEnd);
  child.stderr.on('data', keepEnd);

  let running = true;
  const ended = new Promise<string>((resolve) => {
    child.once('exit', () => {
      running = false;
      guard.forget(pid);
    });
    child.once('close', (code, signal) =>
      resolve(signal === null ? `exit code ${code}` : `signal ${signal}`),
    );
  });
  const signalGroup = (signal: NodeJS.Signals): void => {
    // Once the process has been reaped, its number might belong to another one.
    if (!running) {
      return;
    }
    try {
      process.kill(-pid, signal);
    } catch {
      // It has just ended: macOS refuses to signal a group that has ended but was not waited for yet.
    }
  };

  return {
    name,
    pid,
    ended,
    output: () => output.toString('utf8'),
    async stop() {
      signalGroup('SIGTERM');
      const overdue = setTimeout(signalGroup, stopBoundMs, 'SIGKILL');
      await ended;
      clearTimeout(overdue);
    },
    async kill() {
      signalGroup('SIGKILL');
      await ended;
    },
  };
}

/** A busy machine with two cores needs some 10 seconds. */
const readyBoundMs = 60_000;

/**
 * Calls `probe` every 50 ms until it returns `ready`. Anything else that it returns is the reason in the
 * error if the program is not ready within a minute.
 *
 * @param alongside processes without which it cannot become ready
 * @throws ProcessFailedError if it or one of those processes ends first, or if time is up; it is killed then
 */
export async function untilReady(
  starting: RunningProcess,
  probe: () => Promise<string>,
  alongside: readonly RunningProcess[] = [],
): Promise<void> {
  let failure: ProcessFailedError | undefined;
  const firstEnd = Promise.race(
    [starting, ...alongside].map(async (one) => {
      const how = await one.ended;
      const who = one === starting ? 'it' : starting.name;
      failure ??= new ProcessFailedError(one, `ended before ${who} was ready (${how})`);
    }),
  );
  const deadline = Date.now() + readyBoundMs;
  for (;;) {
    const answer = await probe();
    if (failure === undefined && answer === 'ready') {
      return;
    }
    if (Date.now() >= deadline) {
      failure ??= new ProcessFailedError(
        starting,
        `was not ready after ${readyBoundMs / 1000} s (${answer})`,
      );
    }
    if (failure !== undefined) {
      await starting.kill();
      throw failure;
    }
    await Promise.race([pause(50), firstEnd]);
  }
}
