import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { OrphanGuard } from '@holdfast/testing';

/** A program beside the control plane. */
export interface Program {
  readonly name: string;
  /** How it ended, as `exit code 1`; undefined while it runs. */
  readonly end: string | undefined;
  /** Resolves when it has ended, however that came. */
  readonly ended: Promise<void>;
  /** The end of what it wrote. */
  readonly output: string;
  /** SIGTERM, and SIGKILL to what is left of its process group after ten seconds. */
  stop(): Promise<void>;
}

export interface ProgramOptions {
  readonly name: string;
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly guard: OrphanGuard;
  /** Variables besides those, or instead. Default none. */
  readonly env?: Readonly<Record<string, string>>;
  /** How much of the end of its output is kept, in characters. Default 8,000. */
  readonly keptOutput?: number;
}

const stopBoundMs = 10_000;

/**
 * Starts a program with nothing of the environment but what Go and Node run on, and what it is given.
 *
 * @throws when it can't be started
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
      // Nothing is left of it.
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
