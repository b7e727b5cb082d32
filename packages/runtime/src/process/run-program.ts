import { constants } from 'node:os';
import { inspect } from 'node:util';
import { KubeConfigError } from '../client/kubeconfig-error.ts';
import { parseCommandLine, UsageError, type Command } from '../flags/command-line.ts';
import type { FlagTable, FlagValues } from '../flags/flags.ts';
import { identityOf } from '../identity/program-identity.ts';
import { processSecrets } from '../logging/secret-values.ts';
import type { Program } from '../serving/z-pages.ts';
import { exitWhateverHangs } from './last-resort.ts';

const endingSignals = ['SIGTERM', 'SIGINT'] as const;
/** How many milliseconds the last log lines have to be read. */
const lastWords = 2_000;
/** The most errors shown of one chain of causes. */
const longestChain = 5;

/**
 * The outermost layer of a program: it reads the command line, runs, and sets the exit code.
 *
 * Wrong usage is one line on standard error and exit code 2. An unexpected error is written with its stack,
 * and the exit code is 1. The same holds for an uncaught error and an unhandled rejection: Node would write
 * all fields of the error, and so any secrets of the process in them.
 *
 * SIGTERM and SIGINT end the process with exit code 143 or 130 as long as `run` has not begun to handle them.
 *
 * @param run returns the exit code; `program` is what the manager shows on /flagz and /statusz.
 */
export async function runProgram<Table extends FlagTable>(
  command: Command<Table>,
  run: (values: FlagValues<Table>, program: Program) => Promise<number>,
): Promise<void> {
  process.on('uncaughtException', (error: unknown) => {
    say(command.name, errorText(error));
    exitWhateverHangs(1);
  });
  endingSignals.forEach((name) => process.on(name, exitUnlessHandled));
  try {
    const line = parseCommandLine(command, process.argv.slice(2), process.env);
    if (line.kind === 'print') {
      print(command.name, line.text);
      return;
    }
    const { version } = command;
    process.exitCode = await run(line.values, { ...identityOf(command), version, flags: line.texts });
  } catch (error) {
    if (error instanceof UsageError || error instanceof KubeConfigError) {
      say(command.name, error.message);
      process.exitCode = 2;
      return;
    }
    say(command.name, errorText(error));
    process.exitCode = 1;
  } finally {
    endingSignals.forEach((name) => process.off(name, exitUnlessHandled));
    // Log lines that nobody reads, and file systems that do not answer, must not keep the process from
    // ending.
    setTimeout(() => exitWhateverHangs(), lastWords).unref();
  }
}

/**
 * The first process of a container does not end by a signal that nobody handles. One that still starts its servers
 * would go on until the kubelet kills it, and might take the lease meanwhile.
 */
function exitUnlessHandled(name: NodeJS.Signals): void {
  if (process.listenerCount(name) === 1) {
    exitWhateverHangs(128 + constants.signals[name]);
  }
}

/** The reader of the text, such as `head`, might end before all of it is written. */
function print(program: string, text: string): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') {
      say(program, `standard output can't be written: ${error.message}`);
      process.exitCode = 1;
    }
  });
  process.stdout.write(`${text}\n`);
}

function say(program: string, text: string): void {
  process.stderr.write(`${program}: ${processSecrets.redact(text)}\n`);
}

/** Returns the stack of the error and those of its causes. */
function errorText(error: unknown): string {
  const texts: string[] = [];
  for (let each = error; each !== undefined && texts.length < longestChain; each = causeOf(each)) {
    texts.push(each instanceof Error ? (each.stack ?? each.message) : inspect(each, { depth: 0 }));
  }
  return texts.join('\ncaused by ');
}

function causeOf(error: unknown): unknown {
  return error instanceof Error ? error.cause : undefined;
}
