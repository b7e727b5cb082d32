import { KubeConfigError } from '../client/kubeconfig-error.ts';
import { parseCommandLine, UsageError, type Command } from '../flags/command-line.ts';
import type { FlagTable, FlagValues } from '../flags/flags.ts';
import type { Program } from '../serving/z-pages.ts';

/** What was logged at the end has this many milliseconds to be read. */
const lastWords = 2_000;

/**
 * The outermost layer of a program: reads the command line, runs, and sets the exit code. Wrong usage is one line on standard error
 * and exit code 2; an unexpected error is written with its stack, and the exit code is 1.
 *
 * @param run returns the exit code; `program` is what the manager shows on /flagz and /statusz.
 */
export async function runProgram<Table extends FlagTable>(
  command: Command<Table>,
  run: (values: FlagValues<Table>, program: Program) => Promise<number>,
): Promise<void> {
  try {
    const line = parseCommandLine(command, process.argv.slice(2), process.env);
    if (line.kind === 'print') {
      process.stdout.write(`${line.text}\n`);
      return;
    }
    const { name, version } = command;
    process.exitCode = await run(line.values, { name, version, flags: line.texts });
    // Lines that nobody reads must not keep the process.
    setTimeout(() => process.exit(), lastWords).unref();
  } catch (error) {
    if (error instanceof UsageError || error instanceof KubeConfigError) {
      process.stderr.write(`${command.name}: ${error.message}\n`);
      process.exitCode = 2;
      return;
    }
    process.stderr.write(
      `${command.name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    );
    process.exitCode = 1;
  }
}
