import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

/** What an app prints about its own command line. */
export interface AppHelp {
  readonly flags: readonly HelpFlag[];
  readonly gates: readonly HelpGate[];
}

export interface HelpFlag {
  /** The name without dashes. */
  readonly name: string;
  /** `BOOL` for a switch. */
  readonly placeholder: string;
  readonly description: string;
}

export interface HelpGate {
  readonly name: string;
  readonly stage: string;
  readonly default: boolean;
  readonly description: string;
}

/**
 * Returns what each app prints with `--help`. All run from their sources in one process, since loading what
 * they have in common takes most of the time of each.
 */
export async function askForHelp<Key extends string>(
  root: string,
  apps: Readonly<Record<Key, string>>,
): Promise<Readonly<Record<Key, AppHelp>>> {
  const mains = Object.values<string>(apps).map(
    (app) => pathToFileURL(join(root, 'apps', app, 'src', 'main.ts')).href,
  );
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--conditions=@holdfast/source',
    '--input-type=module',
    '--eval',
    `for (const main of ${JSON.stringify(mains)}) {
      await import(main);
      process.stdout.write(${JSON.stringify(endOfHelp)});
    }`,
    '--',
    'main.ts',
    '--help',
  ]);
  const texts = stdout.split(endOfHelp);
  return Object.fromEntries(
    Object.keys(apps).map((key, index) => [key, readHelp(texts[index] ?? '')]),
  ) as Record<Key, AppHelp>;
}

const endOfHelp = '\0';

/** @throws Error if the text has no flags or no gates */
export function readHelp(text: string): AppHelp {
  const flags = [...text.matchAll(/^ {2}--([a-z-]+)(?:\[=(BOOL)\]| (\S+)) {2,}(.+)$/gm)].map(
    ([, name = '', boolean, placeholder, description = '']) => ({
      name,
      placeholder: boolean ?? placeholder ?? '',
      description,
    }),
  );
  const gates = [...text.matchAll(/^ {2}(\w+) \((\w+), default (true|false)\): (.+)$/gm)].map(
    ([, name = '', stage = '', value, description = '']) => ({
      name,
      stage,
      default: value === 'true',
      description,
    }),
  );
  if (flags.length === 0 || gates.length === 0) {
    throw new Error(`no flags or no feature gates in what --help says:\n${text}`);
  }
  return { flags, gates };
}
