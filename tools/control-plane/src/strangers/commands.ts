import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';

/** What somebody types, for a program such as kubectl. */
export interface Command {
  /** The program and its arguments, with blanks between them; '...' and "..." are one argument. */
  readonly line: string;
  /** Asked again until it ends with 0, for half a minute: what a server does a moment after it has answered. Default false. */
  readonly settles?: boolean;
  /** Variables besides those of all commands. Default none. */
  readonly env?: Readonly<Record<string, string>>;
}

/** What came of a command. */
export interface Answer {
  /** null when it took too long. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Shell {
  /** Paths of the programs, by the names that stand in lines. */
  readonly programs: Readonly<Record<string, string>>;
  /** Where they run. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

/** No command of ours waits longer than some seconds. */
const limitMs = 90_000;

const attempts = 60;
const betweenAttemptsMs = 500;

/** @throws when the line names no program that the shell has, or the program can't be started */
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
  return { code, stdout, stderr };
}

/** The words of a line as a shell makes them, without escapes. */
export function wordsOf(line: string): readonly string[] {
  return [...line.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([word]) =>
    word.replaceAll(/'([^']*)'|"([^"]*)"/g, '$1$2'),
  );
}
