import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readArguments } from './read-arguments.ts';
import { staleness, writeWanted } from './crd-files.ts';
import { fileNameOf, yamlOf } from './definition-file.ts';
import { CommandError, exitCode } from './exit-code.ts';
import { loadDefinitions } from './load-definitions.ts';
import { nameConflicts } from './name-conflicts.ts';
import type { Output } from './output.ts';

export const crdUsage = `holdfast crd MODULE... [--out DIR] [--check]

Writes the CustomResourceDefinition of each resource that the modules export (what defineResource of
@holdfast/core/custom-resource returned), one YAML file for each. A module is a JavaScript file, or one of TypeScript that
Node runs as it is.

  --out DIR   the folder for <group>_<plural>.yaml; without it, all is written to standard output
  --check     write nothing; show what differs in the files of DIR, and exit with 1 if any does
  --help      this text

Exit codes: 0 done, or nothing differs; 1 something differs (--check); 2 it could not be done; 130 interrupted
(SIGINT), 143 terminated (SIGTERM).
`;

/**
 * Runs `holdfast crd`.
 *
 * @returns the exit code.
 * @throws CommandError if something prevents the command from doing its work.
 */
export async function crdCommand(args: readonly string[], { write, say }: Output): Promise<number> {
  const { modules, out, isCheck, isHelp } = parse(args);
  if (isHelp) {
    write(crdUsage);
    return exitCode.done;
  }
  const found = await loadDefinitions(modules);
  const [conflict, ...more] = nameConflicts(found);
  if (conflict !== undefined) {
    throw new CommandError(`${[conflict, ...more].join('; ')}; rename one of them`);
  }
  const definitions = found.map(({ definition }) => definition);
  if (out === undefined) {
    write(definitions.map(yamlOf).join('---\n'));
    return exitCode.done;
  }
  const files = definitions.map((each) => ({ path: join(out, fileNameOf(each)), text: yamlOf(each) }));
  if (!isCheck) {
    for (const file of files) {
      say(`${file.path} ${(await writeWanted(file)) ? 'written' : 'is up to date'}`);
    }
    return exitCode.done;
  }
  const stale: string[] = [];
  for (const file of files) {
    const diff = await staleness(file);
    if (diff !== '') {
      stale.push(file.path);
      write(diff);
    }
  }
  if (stale.length === 0) {
    return exitCode.done;
  }
  say(`${stale.join(', ')} ${stale.length === 1 ? 'is' : 'are'} stale; run the command without --check`);
  return exitCode.stale;
}

interface Arguments {
  readonly modules: readonly string[];
  readonly out: string | undefined;
  readonly isCheck: boolean;
  readonly isHelp: boolean;
}

function parse(args: readonly string[]): Arguments {
  const { values, positionals } = readArguments('crd', () =>
    parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        out: { type: 'string' },
        check: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }),
  );
  const { out, check: isCheck, help: isHelp } = values;
  if (!isHelp && positionals.length === 0) {
    throw new CommandError('no module is named; see holdfast crd --help');
  }
  if (out === '' || (isCheck && out === undefined && !isHelp)) {
    throw new CommandError(
      `${out === '' ? '--out is empty' : '--check compares with files'}; give their folder by --out DIR`,
    );
  }
  return { modules: positionals, out, isCheck, isHelp };
}
