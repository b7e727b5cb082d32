import { readFile } from 'node:fs/promises';
import { crdCommand, crdUsage } from './crd-command.ts';
import { CommandError, exitCode } from './exit-code.ts';
import { newCommand, newUsage } from './new-project/new-command.ts';
import type { Output } from './output.ts';
import { rbacCommand, rbacUsage } from './rbac-command.ts';

const usage = `${crdUsage}
${rbacUsage}
${newUsage}
holdfast --version   the version of @holdfast/cli
`;

/**
 * Runs the command that the arguments name.
 *
 * @returns the exit code.
 */
export async function dispatch(args: readonly string[], output: Output): Promise<number> {
  try {
    return await commandOf(args, output);
  } catch (error) {
    if (!(error instanceof CommandError)) {
      throw error;
    }
    output.say(error.message);
    return exitCode.failed;
  }
}

async function commandOf([command, ...rest]: readonly string[], output: Output): Promise<number> {
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
