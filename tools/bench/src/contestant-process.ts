import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import type { Program } from './program.ts';

export interface ContestantProcess {
  readonly pid: number;
  /** Resolves when it has ended, with how it ended: `exit code 1`, `signal SIGKILL`. */
  readonly ended: Promise<string>;
  /** Sends SIGTERM, and SIGKILL after 5 seconds; resolves when it has ended. */
  stop(): Promise<void>;
}

const stopLimit = 5_000;

/**
 * Starts a program and writes its log (stdout and stderr) to a file. Its environment contains only PATH and
 * HOME, because both contestants read variables that change how they run (NODE_OPTIONS, GOGC, ...).
 *
 * @throws if it cannot be started at all
 */
export async function startContestant(
  program: Program,
  folder: string,
  logFile: string,
): Promise<ContestantProcess> {
  const log = await open(logFile, 'w');
  try {
    const child = spawn(program.command, program.args, {
      cwd: folder,
      env: { PATH: process.env['PATH'], HOME: folder },
      stdio: ['ignore', log.fd, log.fd],
    });
    const ended = once(child, 'exit').then(([code, signal]) =>
      signal === null ? `exit code ${String(code)}` : `signal ${String(signal)}`,
    );
    // If it could not be started, the error below says so.
    ended.catch(() => undefined);
    const { pid } = child;
    if (pid === undefined) {
      await ended;
      throw new Error(`cannot start ${program.command}`);
    }
    return {
      pid,
      ended,
      async stop() {
        child.kill('SIGTERM');
        const overdue = setTimeout(() => child.kill('SIGKILL'), stopLimit);
        await ended;
        clearTimeout(overdue);
      },
    };
  } finally {
    await log.close();
  }
}

/** Returns the last 20 lines of a log. */
export async function endOfLog(logFile: string): Promise<string> {
  const lines = (await readFile(logFile, 'utf8')).trimEnd().split('\n');
  return lines.slice(-20).join('\n');
}
