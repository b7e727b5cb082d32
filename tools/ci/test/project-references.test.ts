import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';

/*
 * `npm run build` refuses to build anything while one project lacks a reference to a project of the workspace that its
 * package.json names.
 */

const root = join(import.meta.dirname, '../../..');
const read = (path: string): unknown => JSON.parse(readFileSync(join(root, path), 'utf8'));

interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}
const folders = globSync('{packages,apps,tools}/*/package.json', { cwd: root }).map(dirname).toSorted();
const folderOf = new Map(
  folders.map((folder) => [(read(`${folder}/package.json`) as Manifest).name, folder] as const),
);

/** Controllers are no packages to be named: who plays them imports them by path. */
function importedByPath(folder: string): readonly string[] {
  const imports = globSync(`${folder}/src/**/*.ts`, { cwd: root }).flatMap((path) =>
    [...readFileSync(join(root, path), 'utf8').matchAll(/from '(?:\.\.\/)+(apps\/[^/]+)\//g)].map(
      ([, app = '']) => app,
    ),
  );
  return [...new Set(imports)];
}

test.each(folders)('%s -> its build refers to each project that package.json names', (folder) => {
  const { dependencies, devDependencies } = read(`${folder}/package.json`) as Manifest;
  const named = Object.keys({ ...dependencies, ...devDependencies }).flatMap(
    (name) => folderOf.get(name) ?? [],
  );
  const { references = [] } = read(`${folder}/tsconfig.lib.json`) as {
    references?: readonly { path: string }[];
  };
  const referredTo = references.map(({ path }) => dirname(join(folder, path)));
  expect(referredTo.toSorted()).toEqual([...named, ...importedByPath(folder)].toSorted());
});
