import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';

/*
 * `npm run typecheck` checks all sources as one program, which knows no projects: what a project may import is checked
 * here.
 */

const root = join(import.meta.dirname, '../../..');
const folders = globSync('{packages,apps,tools}/*/package.json', { cwd: root }).map(dirname).toSorted();

const exceptions = [
  // It makes requests about every kind of @holdfast/apiserver by its schemas, sends them to that server and another as
  // what is recorded was sent, and compares the answers in the same way. Both servers are started from
  // packages/testing, which the other package must not import.
  'packages/testing/test/comparison/',
  // They play the four controllers in one process, and nobody else may import them.
  'tools/models/src/apps.ts',
  'tools/fuzz/src/apps.ts',
  'tools/kubectl-holdfast/test/apps.ts',
  // It looks at a cluster as pv-reclaim-honor does, for comparison with what the plugin explains.
  'tools/kubectl-holdfast/test/app-verdict.ts',
  // The examples below.
  'tools/ci/test/project-borders.test.ts',
];

interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** What a source imports, exports anew or loads on demand. */
function importsOf(source: string): readonly string[] {
  const statements = /^\s*(?:import|export)\b[^;'"]*?\bfrom\s*['"]([^'"]+)['"]/gm;
  const others = /(?:^\s*import|\bimport\s*\()\s*['"]([^'"]+)['"]/gm;
  return [...source.matchAll(statements), ...source.matchAll(others)].map(([, name = '']) => name);
}

/**
 * The imports of a source that leave its project without being allowed to.
 *
 * @param folder of the project.
 * @param file path of the source, below the root as `folder` is.
 */
function trespasses(folder: string, file: string, source: string, manifest: Manifest): readonly string[] {
  const named = [manifest.name, ...Object.keys({ ...manifest.dependencies, ...manifest.devDependencies })];
  const isOfSources = file.startsWith(`${folder}/src/`);
  return importsOf(source).filter((name) => {
    if (name.startsWith('.')) {
      const target = join(dirname(file), name);
      const isAllowed = isOfSources
        ? target.startsWith(`${folder}/src/`) || target === `${folder}/package.json`
        : target.startsWith(`${folder}/`);
      return !isAllowed;
    }
    return name.startsWith('@holdfast/') && !named.includes(name.split('/').slice(0, 2).join('/'));
  });
}

test.each(folders)(
  '%s -> imports files of its own, its sources no tests, and packages of ours that its package.json names',
  (folder) => {
    const manifest = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest;
    const files = globSync(`${folder}/{src,test}/**/*.ts`, { cwd: root });
    expect(files.length).toBeGreaterThan(0);
    const found = files
      .filter((file) => !exceptions.some((exception) => file.startsWith(exception)))
      .flatMap((file) =>
        trespasses(folder, file, readFileSync(join(root, file), 'utf8'), manifest).map(
          (name) => `${file}: ${name}`,
        ),
      );
    expect(found).toStrictEqual([]);
  },
);

describe('import in apps/a', () => {
  const manifest = { name: '@holdfast/a', dependencies: { '@holdfast/core': '*' } };

  test.each([
    ['src', `import { b } from '../test/b.ts';`, ['../test/b.ts']],
    ['src', `import {\n  type B,\n} from '../../b/src/b.ts';`, ['../../b/src/b.ts']],
    ['src', `export * from '@holdfast/runtime';`, ['@holdfast/runtime']],
    ['src', `const { b } = await import('@holdfast/testing/fake-clock');`, ['@holdfast/testing/fake-clock']],
    ['src', `import '../../b/src/b.ts';`, ['../../b/src/b.ts']],
    ['test', `import { b } from '../../b/test/b.ts';`, ['../../b/test/b.ts']],
    ['test', `import { b } from '../src/b.ts';`, []],
    ['src', `import manifest from '../package.json' with { type: 'json' };`, []],
    ['src', `import { get } from 'node:https';\nimport { a } from '@holdfast/core';`, []],
  ])('in its %s: %j -> found: %j', (part, source, found) => {
    expect(trespasses('apps/a', `apps/a/${part}/a.ts`, source, manifest)).toEqual(found);
  });
});
