import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { OrphanGuard } from '../real/orphan-guard.ts';
import type { CommandLine, Operator, OperatorOutput, ProbeAnswer } from './operator.ts';

/** A process of the operator. */
export interface OperatorProcess {
  /** Its name in traces: `process 2`. */
  readonly name: string;
  readonly output: OperatorOutput;
  readonly hasEnded: boolean;
  /** Whether it was stopped (SIGSTOP) and has not been continued since. */
  readonly isFrozen: boolean;
  /** Resolves when the process has ended, with how it ended: `exit code 1`, `signal SIGKILL`. */
  readonly ended: Promise<string>;
  /** Sends SIGKILL; resolves when the process has ended. */
  kill(): Promise<void>;
  freeze(): void;
  thaw(): void;
}

/** How many characters of stdout and of stderr are kept. */
const kept = 200_000;

/**
 * Starts a process of the operator.
 *
 * @throws if the program cannot be started
 */
export async function startOperatorProcess(
  name: string,
  { file, args, env = {} }: CommandLine,
  guard: OrphanGuard,
): Promise<OperatorProcess> {
  const child = spawn(file, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    // Gives the process a group of its own, which the guard ends if this process dies.
    detached: true,
    env: { ...ofOurs('PATH', 'NODE_COMPILE_CACHE'), ...env },
  });
  await once(child, 'spawn');
  const { pid = 0 } = child;
  guard.watch(pid);
  let hasEnded = false;
  let isFrozen = false;
  const ended = once(child, 'close').then(([code, signal]) => {
    hasEnded = true;
    guard.forget(pid);
    return signal === null ? `exit code ${String(code)}` : `signal ${String(signal)}`;
  });
  const output = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      output[stream] = (output[stream] + text).slice(-kept);
    });
  }
  return {
    name,
    output,
    get hasEnded() {
      return hasEnded;
    },
    get isFrozen() {
      return isFrozen;
    },
    ended,
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
    freeze: () => {
      isFrozen = true;
      child.kill('SIGSTOP');
    },
    thaw: () => {
      isFrozen = false;
      child.kill('SIGCONT');
    },
  };
}

/** A probe that takes longer than this many milliseconds counts as unanswered. */
const probeLimit = 2_000;

/**
 * Asks the operator what one of its processes is doing.
 *
 * @returns not idle if no answer comes in time: a process that is stopped after it was asked gives none
 */
export async function probeOf(operator: Operator, process: OperatorProcess): Promise<ProbeAnswer> {
  const over = new AbortController();
  const late = sleep(probeLimit, { isIdle: false }, { signal: over.signal });
  try {
    return await Promise.race([operator.probe(process.output), late]);
  } finally {
    over.abort();
  }
}

function ofOurs(...names: readonly string[]): NodeJS.ProcessEnv {
  return Object.fromEntries(
    names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
}
