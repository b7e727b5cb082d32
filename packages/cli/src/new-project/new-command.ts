import { readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { CommandError, exitCode, oneLine } from '../exit-code.ts';
import { makeFolder } from '../make-folder.ts';
import type { Output } from '../output.ts';
import { readArguments } from '../read-arguments.ts';
import { projectFiles } from './project-files.ts';
import { projectNames, type ProjectNames } from './project-names.ts';
import type { ProjectVersions } from './project-settings.ts';

export const newUsage = `holdfast new NAME [--group GROUP] [--kind KIND]

Writes the project of a small operator into a new folder NAME: a kind, a pure decision, a controller, tests on an API server
in their own process, and the commands that make its manifests.

  --group GROUP  of the kind, a DNS name of yours; without it, example.com
  --kind KIND    without it, NAME in capitals: SiteMap for site-map-operator
  --help         this text

Exit codes: as of holdfast crd.
`;

/**
 * Runs `holdfast new`.
 *
 * @returns the exit code.
 * @throws CommandError if something prevents the command from doing its work. Nothing was written then,
 *   unless the disk failed in the middle.
 */
export async function newCommand(args: readonly string[], { write, say }: Output): Promise<number> {
  const { names, isHelp } = parse(args);
  if (isHelp || names === undefined) {
    write(newUsage);
    return exitCode.done;
  }
  const folder = names.operator;
  await checkIsFree(folder);
  const files = projectFiles(names, await projectVersions());
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, path);
    try {
      await makeFolder(dirname(file));
      await writeFile(file, text, { flag: 'wx' });
    } catch (error) {
      throw new CommandError(`${file} can't be written: ${oneLine(error)}`);
    }
  }
  say(`${folder} written; next: cd ${folder} && npm install && npm test`);
  return exitCode.done;
}

/** @throws CommandError for a folder that is not empty. */
async function checkIsFree(folder: string): Promise<void> {
  const found = await readdir(folder).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      return [];
    }
    throw new CommandError(`${folder} can't be read: ${oneLine(error)}; choose another name`);
  });
  if (found.length > 0) {
    throw new CommandError(
      `${folder} is not empty: it holds ${found[0] ?? ''}; choose another name, or remove it`,
    );
  }
}

/** Returns the versions that this release was built and tested with. */
async function projectVersions(): Promise<ProjectVersions> {
  const text = await readFile(new URL('../../package.json', import.meta.url), 'utf8');
  const { version, devDependencies } = JSON.parse(text) as {
    readonly version: string;
    readonly devDependencies: Omit<ProjectVersions, '@holdfast/cli'>;
  };
  return { ...devDependencies, '@holdfast/cli': version };
}

interface Arguments {
  /** Undefined if only help was requested. */
  readonly names: ProjectNames | undefined;
  readonly isHelp: boolean;
}

function parse(args: readonly string[]): Arguments {
  const { values, positionals } = readArguments('new', () =>
    parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        group: { type: 'string', default: 'example.com' },
        kind: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }),
  );
  if (values.help) {
    return { names: undefined, isHelp: true };
  }
  const [name, ...others] = positionals;
  if (name === undefined || others.length > 0) {
    throw new CommandError('the name of one operator is needed; see holdfast new --help');
  }
  return { names: projectNames(name, values.group, values.kind), isHelp: false };
}
