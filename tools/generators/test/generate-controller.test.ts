import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Tree } from '@nx/devkit';
import { createTree } from '@nx/devkit/testing';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { controllerFiles } from '../src/controller-files.ts';
import generateController from '../src/generate-controller.ts';

const root = join(import.meta.dirname, '../../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

describe('nx g holdfast:controller', () => {
  let tree: Tree;
  beforeEach(() => {
    tree = createTree();
    // What a controller is made after.
    controllerFiles('volume-notes', (path) => {
      const text = read(path);
      tree.write(path, text);
      return text;
    });
  });

  test('name -> an app with all rooms, its deploy base, and an entry in the list of apps', async () => {
    await generateController(tree, { name: 'volume-notes' });
    expect(tree.children('apps/volume-notes/src').toSorted()).toEqual([
      ...['config.ts', 'controller.ts', 'decide.ts', 'gates.ts', 'main.ts', 'metrics.ts', 'reconcile.ts'],
      ...['slim.ts', 'version.ts'],
    ]);
    expect(tree.children('apps/volume-notes/test').toSorted()).toEqual([
      ...['decide.test.ts', 'faults.test.ts', 'volume-notes.scenario.test.ts'],
    ]);
    expect(tree.children('apps/volume-notes').toSorted()).toEqual([
      ...['CHANGELOG.md', 'LICENSE', 'NOTICE', 'README.md', 'package.json', 'src', 'test'],
      ...['tsconfig.json', 'tsconfig.lib.json', 'tsconfig.spec.json'],
    ]);
    expect(tree.read('eslint.config.js', 'utf8')).toMatch(/const apps = \[[^\]]*['"]volume-notes['"],?\s*\]/);
    const base = tree.read('deploy/volume-notes/kustomization.yaml', 'utf8') ?? '';
    const resources = [...base.matchAll(/^ {2}- (\S+\.yaml)$/gm)].map(([, file]) => file);
    expect(resources).toHaveLength(7);
    expect(resources.toSorted()).toEqual(
      tree
        .children('deploy/volume-notes')
        .filter((file) => file !== 'kustomization.yaml')
        .toSorted(),
    );
  });

  test('what is made -> says nothing of the app that it was made after', async () => {
    await generateController(tree, { name: 'volume-notes' });
    const made = tree.listChanges().filter(({ path }) => path.includes('volume-notes'));
    expect(made.length).toBeGreaterThan(25);
    expect(made.filter(({ content }) => content?.includes('{{'))).toStrictEqual([]);
    const others = made.filter(({ content }) => /retroactive|class/i.test(content?.toString() ?? ''));
    // A PriorityClass is one of its own.
    expect(others.map(({ path }) => path).toSorted()).toEqual([
      'apps/volume-notes/LICENSE',
      'apps/volume-notes/test/faults.test.ts',
      'apps/volume-notes/test/volume-notes.scenario.test.ts',
      'deploy/volume-notes/deployment.yaml',
      'deploy/volume-notes/kustomization.yaml',
      'deploy/volume-notes/priority-class.yaml',
    ]);
    expect(others.filter(({ content }) => content?.includes('retroactive'))).toStrictEqual([]);
    const priorityClass = tree.read('deploy/volume-notes/priority-class.yaml', 'utf8') ?? '';
    expect(priorityClass).toMatch(/make room for it\. /);
    expect(priorityClass).not.toMatch(/claim/);
  });

  test.each(['apps', 'deploy'])('%s has a folder of the name -> refused', async (folder) => {
    tree.write(`${folder}/volume-notes/a`, '');
    await expect(generateController(tree, { name: 'volume-notes' })).rejects.toThrow(
      'is there already; choose another name',
    );
  });

  test.each(['notes', 'Volume-notes', '../volume-notes', 'volume-', `volume-${'n'.repeat(34)}`])(
    'name %j -> refused, with what it may be',
    async (name) => {
      await expect(generateController(tree, { name })).rejects.toThrow(
        `"${name}" can't be the name of an app: it may be two words or more`,
      );
    },
  );

  test('list of apps is not found -> refused, naming the file', async () => {
    tree.write('eslint.config.js', 'export default [];');
    await expect(generateController(tree, { name: 'volume-notes' })).rejects.toThrow(
      'eslint.config.js has no list of apps',
    );
  });
});

test('generators.json -> names files that are there', () => {
  const { generators } = JSON.parse(read('tools/generators/generators.json')) as {
    readonly generators: Readonly<Record<string, { readonly factory: string; readonly schema: string }>>;
  };
  const files = Object.values(generators).flatMap(({ factory, schema }) => [factory, schema]);
  expect(files).toHaveLength(2);
  expect(files.filter((file) => !existsSync(join(root, 'tools/generators', file)))).toStrictEqual([]);
});
