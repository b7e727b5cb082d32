import { CommandError, oneLine } from './exit-code.ts';

/**
 * Returns what `parseArgs` reads.
 *
 * @param command whose help the error message points to, such as `crd`.
 * @throws CommandError for invalid arguments.
 */
export function readArguments<T>(command: string, parseAll: () => T): T {
  try {
    return parseAll();
  } catch (error) {
    // The second sentence of the message is about arguments that begin with a dash.
    throw new CommandError(`${oneLine(error).replace(/\. .*$/, '')}; see holdfast ${command} --help`);
  }
}
