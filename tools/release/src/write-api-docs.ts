import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readApiDocs, type EntryPoint } from './api-docs.ts';

/*
 * `npm run docs:api`: writes the API pages of the packages to dist/api. With `--check` it writes nothing.
 * Exit code 1: an export has no doc comment.
 */

const root = join(import.meta.dirname, '../../..');
const folder = join(root, 'dist/api');

/** The packages in which every export must have a doc comment. */
const documented = ['core', 'runtime', 'apiserver', 'cli'];
const packages = [...documented, 'testing'];

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, string | { readonly '@holdfast/source': string }>>;
}

function manifestOf(name: string): Manifest {
  return JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8')) as Manifest;
}

function entryPointsOf(name: string): readonly EntryPoint[] {
  const manifest = manifestOf(name);
  return Object.entries(manifest.exports).flatMap(([path, target]) =>
    typeof target === 'string'
      ? []
      : [
          {
            name: join(manifest.name, path),
            source: join(root, 'packages', name, target['@holdfast/source']),
          },
        ],
  );
}

const docs = await readApiDocs(packages.flatMap(entryPointsOf), join(root, 'tsconfig.check.json'), root);
const missing = docs.undocumented.filter((name) =>
  documented.some((each) => new RegExp(`^${manifestOf(each).name}[:/]`).test(name)),
);
for (const name of missing) {
  process.stderr.write(`undocumented: ${name}\n`);
}
if (missing.length > 0) {
  process.stderr.write(
    `exports without a doc comment: ${String(missing.length)}; write one above each: what it is, units, defaults, errors\n`,
  );
  process.exitCode = 1;
} else if (!process.argv.includes('--check')) {
  rmSync(folder, { recursive: true, force: true });
  await docs.write(folder);
  process.stdout.write(`${join(folder, 'index.html')}\n`);
}
