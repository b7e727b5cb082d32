import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';

/** A command line as a user would type it, for a program such as kubectl. */
export interface Command {
  /** The program and its arguments, separated by blanks; '...' and "..." stand for one argument. */
  readonly line: string;
  /**
   * Whether to repeat the command until it ends with 0, for two minutes or more, because it depends on what a
   * server does shortly after an earlier answer. Default false.
   */
  readonly settles?: boolean;
  /**
   * Whether the real server prints the lines in a random order, that of a Go map. Default false: the order is
   * compared.
   */
  readonly inAnyOrder?: boolean;
  /** Variables in addition to those of all commands. Default none. */
  readonly env?: Readonly<Record<string, string>>;
}

/** The result of a command. */
export interface Answer {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Shell {
  /** The paths of the programs, by their names in command lines. */
  readonly programs: Readonly<Record<string, string>>;
  /** The folder in which they run. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /**
   * How long a command may take, in milliseconds. Default six minutes: no command waits for more than some
   * seconds, but the machine may be busy.
   */
  readonly limitMs?: number;
}

const defaultLimitMs = 360_000;

const attempts = 240;
const betweenAttemptsMs = 500;

/**
 * @throws if the shell has no program of the name in the line, or if the program cannot be started or takes
 *   too long
 */
export async function runCommand(command: Command, shell: Shell): Promise<Answer> {
  let answer = await runOnce(command, shell);
  for (let tries = 1; command.settles === true && answer.code !== 0 && tries < attempts; tries++) {
    await pause(betweenAttemptsMs);
    answer = await runOnce(command, shell);
  }
  return answer;
}

async function runOnce({ line, env }: Command, shell: Shell): Promise<Answer> {
  const [name = '', ...args] = wordsOf(line);
  const program = shell.programs[name];
  if (program === undefined) {
    throw new Error(`"${line}" begins with ${name}: it may be ${Object.keys(shell.programs).join(', ')}`);
  }
  const { limitMs = defaultLimitMs } = shell;
  const child = spawn(program, args, {
    cwd: shell.folder,
    env: { ...shell.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: limitMs,
    killSignal: 'SIGKILL',
  });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  if (code === null) {
    throw new Error(`"${line}" was killed, as it had not ended after ${limitMs / 1_000} s`);
  }
  return { code, stdout, stderr };
}

/** Splits a line into words as a shell does, without escapes. */
export function wordsOf(line: string): readonly string[] {
  return [...line.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([word]) =>
    word.replaceAll(/'([^']*)'|"([^"]*)"/g, '$1$2'),
  );
}
