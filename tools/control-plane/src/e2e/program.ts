import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { OrphanGuard } from '@holdfast/testing';

/** A program that runs next to the control plane. */
export interface Program {
  readonly name: string;
  /** How it ended, for example `exit code 1`; undefined while it runs. */
  readonly end: string | undefined;
  /** Resolves when it has ended for whatever reason. */
  readonly ended: Promise<void>;
  /** The end of its output. */
  readonly output: string;
  /** Sends SIGTERM, and after ten seconds SIGKILL to what is left of its process group. */
  stop(): Promise<void>;
}

export interface ProgramOptions {
  readonly name: string;
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly guard: OrphanGuard;
  /** Variables to add or override. Default none. */
  readonly env?: Readonly<Record<string, string>>;
  /** How much of the end of its output is kept, in characters. Default 8,000. */
  readonly keptOutput?: number;
}

const stopBoundMs = 10_000;

/**
 * Starts a program. Of the environment it gets only what Go and Node need to run, and what it is given.
 *
 * @throws if it cannot be started
 */
export async function startProgram(options: ProgramOptions): Promise<Program> {
  const { name, file, args, cwd, guard, env = {}, keptOutput = 8_000 } = options;
  const child = spawn(file, args, {
    cwd,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], HOME: cwd, GOGC: process.env['GOGC'], ...env },
  });
  let output = '';
  const keepEnd = (text: string): void => {
    output = (output + text).slice(-keptOutput);
  };
  child.stdout.setEncoding('utf8').on('data', keepEnd);
  child.stderr.setEncoding('utf8').on('data', keepEnd);
  let end: string | undefined;
  await once(child, 'spawn');
  const pid = child.pid ?? 0;
  guard.watch(pid);
  const ended = once(child, 'close').then(([code, signal]) => {
    end = signal === null ? `exit code ${String(code)}` : `signal ${String(signal)}`;
    guard.forget(pid);
  });
  const signalGroup = (signal: NodeJS.Signals): void => {
    try {
      process.kill(-pid, signal);
    } catch {
      // The whole process group has already ended.
    }
  };
  return {
    name,
    get end() {
      return end;
    },
    ended,
    get output() {
      return output;
    },
    async stop() {
      signalGroup('SIGTERM');
      const overdue = setTimeout(signalGroup, stopBoundMs, 'SIGKILL');
      await ended;
      clearTimeout(overdue);
    },
  };
}
