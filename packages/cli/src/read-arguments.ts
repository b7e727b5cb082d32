import { CommandError, oneLine } from './exit-code.ts';

/**
 * What `parseArgs` reads.
 *
 * @param command whose help is pointed to, such as `crd`.
 * @throws CommandError for what it can't take.
 */
export function readArguments<T>(command: string, parseAll: () => T): T {
  try {
    return parseAll();
  } catch (error) {
    // The second sentence is on arguments that begin with a dash.
    throw new CommandError(`${oneLine(error).replace(/\. .*$/, '')}; see holdfast ${command} --help`);
  }
}
