import { readFile } from 'node:fs/promises';
import { crdCommand, crdUsage, type Output } from './crd-command.ts';
import { CommandError, exitCode } from './exit-code.ts';
import { newCommand, newUsage } from './new-project/new-command.ts';
import { rbacCommand, rbacUsage } from './rbac-command.ts';

const usage = `${crdUsage}
${rbacUsage}
${newUsage}
holdfast --version   the version of @holdfast/cli
`;

/**
 * Runs the command line of `holdfast`, and ends the process with its exit code. Every problem is one line on
 * standard error; for a fault in holdfast itself, the stack follows.
 */
export async function runHoldfast(args: readonly string[]): Promise<void> {
  const say = (line: string): void => void process.stderr.write(`holdfast: ${line}\n`);
  const output: Output = { write: (text) => void process.stdout.write(text), say };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      say(`ended by ${signal}; a file is written whole or not at all`);
      process.exit(exitCode[signal]);
    });
  }
  // The reader of the output, such as head, might have closed it.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') {
      say(`standard output can't be written: ${error.message}`);
    }
    process.exit(error.code === 'EPIPE' ? exitCode.done : exitCode.failed);
  });
  process.exitCode = await dispatch(args, output).catch((error: unknown) => {
    if (!(error instanceof CommandError)) {
      throw error;
    }
    say(error.message);
    return exitCode.failed;
  });
}

async function dispatch([command, ...rest]: readonly string[], output: Output): Promise<number> {
  switch (command) {
    case 'crd':
      return crdCommand(rest, output);
    case 'new':
      return newCommand(rest, output);
    case 'rbac':
      return rbacCommand(rest, output);
    case '--help':
    case '-h':
      output.write(usage);
      return exitCode.done;
    case '--version': {
      const manifest = await readFile(new URL('../package.json', import.meta.url), 'utf8');
      output.write(`${(JSON.parse(manifest) as { readonly version: string }).version}\n`);
      return exitCode.done;
    }
    case undefined:
      throw new CommandError('no command is given; see holdfast --help');
    default:
      throw new CommandError(`${JSON.stringify(command)} is no command; see holdfast --help`);
  }
}
