import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';

/** What somebody types, for a program such as kubectl. */
export interface Command {
  /** The program and its arguments, with blanks between them; '...' and "..." are one argument. */
  readonly line: string;
  /** Asked again until it ends with 0, for two minutes and more: what a server does a moment after it has answered. Default false. */
  readonly settles?: boolean;
  /** The real server gives the lines in a random order, that of one of Go's maps. Default false: their order is compared. */
  readonly inAnyOrder?: boolean;
  /** Variables besides those of all commands. Default none. */
  readonly env?: Readonly<Record<string, string>>;
}

/** What came of a command. */
export interface Answer {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Shell {
  /** Paths of the programs, by the names that stand in lines. */
  readonly programs: Readonly<Record<string, string>>;
  /** Where they run. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** How long a command may take, in milliseconds. Default six minutes: none waits for more than some seconds, but the machine may have much other work. */
  readonly limitMs?: number;
}

const defaultLimitMs = 360_000;

const attempts = 240;
const betweenAttemptsMs = 500;

/** @throws when the line names no program that the shell has, or the program can't be started or takes too long */
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

/** The words of a line as a shell makes them, without escapes. */
export function wordsOf(line: string): readonly string[] {
  return [...line.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([word]) =>
    word.replaceAll(/'([^']*)'|"([^"]*)"/g, '$1$2'),
  );
}
