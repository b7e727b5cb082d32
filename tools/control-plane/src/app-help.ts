import { execFile } from 'node:child_process';
import { join } from 'node:path';
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

/** Runs the app from its source, with `--help`. */
export async function askForHelp(root: string, app: string): Promise<AppHelp> {
  const main = join(root, 'apps', app, 'src', 'main.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--conditions=@holdfast/source',
    main,
    '--help',
  ]);
  return readHelp(stdout);
}

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
