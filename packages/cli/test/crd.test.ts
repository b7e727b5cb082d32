import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { load, loadAll } from 'js-yaml';
import { moduleOf, openWorkshop } from './workshop.ts';

const header = '# Made by holdfast crd. Change the kind where it is defined.\n';

describe('modules that define kinds', () => {
  test('--out -> a file for each, and again -> left alone', async () => {
    await using shop = await openWorkshop();
    await shop.write('kinds.ts', moduleOf({ sites: 'Site', pages: 'Page' }));
    await shop.write('index.ts', `export * from './kinds.ts'; export const other: number = 1;`);

    const first = await shop.run('crd', 'index.ts', 'kinds.ts', '--out', 'made/crds');
    const paths = ['sites', 'pages'].map((plural) => `made/crds/example.com_${plural}.yaml`);
    expect(first.stderr.split('\n').toSorted()).toEqual([
      '',
      ...paths.map((path) => `holdfast: ${path} written`).toSorted(),
    ]);
    expect([first.code, first.stdout]).toEqual([0, '']);

    const file = join(shop.folder, paths[0] ?? '');
    const text = await readFile(file, 'utf8');
    expect(text.startsWith(header)).toBe(true);
    // YAML 1.1 takes a bare on for true.
    expect(text).toMatch(/^ +- 'on'$/m);
    expect(load(text)).toMatchObject({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'sites.example.com' },
    });
    const { mtimeMs } = await stat(file);
    const second = await shop.run('crd', 'index.ts', '--out', 'made/crds');
    expect(second.stderr).toContain('sites.yaml is up to date');
    expect((await stat(file)).mtimeMs).toBe(mtimeMs);
    expect(await readdir(join(shop.folder, 'made/crds'))).toHaveLength(2);
  });

  test('no --out -> all on standard output, and nothing else of what a module writes', async () => {
    await using shop = await openWorkshop();
    await shop.write('kinds.mjs', `${moduleOf({ sites: 'Site', pages: 'Page' })}\nconsole.log('loaded');`);
    const { code, stdout, stderr } = await shop.runProgram('crd', 'kinds.mjs');
    expect([code, stderr]).toEqual([0, 'loaded\n']);
    const documents = loadAll(stdout) as readonly { readonly metadata: { readonly name: string } }[];
    expect(documents.map(({ metadata }) => metadata.name).toSorted()).toEqual([
      'pages.example.com',
      'sites.example.com',
    ]);
  });
});

describe('--check', () => {
  test('files that are as they should be, with line ends of Windows too -> 0', async () => {
    await using shop = await openWorkshop();
    await shop.write('kinds.mjs', moduleOf({ sites: 'Site' }));
    await shop.run('crd', 'kinds.mjs', '--out', '.');
    expect(await shop.run('crd', 'kinds.mjs', '--out', '.', '--check')).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    });
    const file = join(shop.folder, 'example.com_sites.yaml');
    await writeFile(file, (await readFile(file, 'utf8')).replaceAll('\n', '\r\n'));
    expect((await shop.run('crd', 'kinds.mjs', '--out', '.', '--check')).code).toBe(0);
  });

  test('stale file and missing file -> 1, a diff of both, and nothing is written', async () => {
    await using shop = await openWorkshop();
    await shop.write('kinds.mjs', moduleOf({ sites: 'Site' }));
    await shop.run('crd', 'kinds.mjs', '--out', '.');
    const file = join(shop.folder, 'example.com_sites.yaml');
    const stale = (await readFile(file, 'utf8')).replace('scope: Namespaced', 'scope: Cluster');
    await writeFile(file, stale);
    await shop.write('kinds.mjs', moduleOf({ sites: 'Site', pages: 'Page' }));
    const { code, stdout, stderr } = await shop.run('crd', 'kinds.mjs', '--out', '.', '--check');
    expect(code).toBe(1);
    expect(stdout).toContain('-  scope: Cluster\n+  scope: Namespaced\n');
    expect(stdout).toContain(`--- /dev/null\n+++ example.com_pages.yaml\n@@ -0,0 +1,`);
    expect(stderr).toMatch(
      /^holdfast: .*example\.com_sites\.yaml.* are stale; run the command without --check\n$/,
    );
    expect(await readFile(file, 'utf8')).toBe(stale);
    expect((await readdir(shop.folder)).toSorted()).toEqual([
      'example.com_sites.yaml',
      'kinds.mjs',
      'node_modules',
    ]);
  });
});

const site = moduleOf({ sites: 'Site' });

test.each<readonly [string, Readonly<Record<string, string>>, readonly string[], RegExp]>([
  ['no command', {}, [], /no command is given; see holdfast --help/],
  ['unknown command', {}, ['crds'], /"crds" is no command; see holdfast --help/],
  ['no module', {}, ['crd'], /no module is named; see holdfast crd --help/],
  ['unknown flag', {}, ['crd', 'a.ts', '--ouut', 'x'], /Unknown option '--ouut'; see holdfast crd --help/],
  [
    '--out without a folder',
    {},
    ['crd', 'a.ts', '--out'],
    /Option '--out <value>' argument missing; see holdfast crd --help/,
  ],
  [
    '--out with an empty folder',
    { 'a.mjs': site },
    ['crd', 'a.mjs', '--out='],
    /--out is empty; give their folder by --out DIR/,
  ],
  [
    '--check without --out',
    { 'a.mjs': site },
    ['crd', 'a.mjs', '--check'],
    /--check compares with files; give their folder/,
  ],
])('%s -> 2, and one line that says why', async (_, files, args, line) => {
  await using shop = await openWorkshop();
  for (const [name, text] of Object.entries(files)) {
    await shop.write(name, text);
  }
  const { code, stdout, stderr } = await shop.run(...args);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(new RegExp(`^holdfast: ${line.source}[^\\n]*\\n$`));
});

test('the program, unknown command -> the same', async () => {
  await using shop = await openWorkshop();
  expect(await shop.runProgram('crds')).toEqual({
    ...{ code: 2, stdout: '' },
    stderr: 'holdfast: "crds" is no command; see holdfast --help\n',
  });
});

test.each([
  [['--help'], /holdfast crd MODULE/],
  [['crd', '--help'], /Exit codes/],
  [['--version'], /^\d+\.\d+\.\d+\n$/],
])('%j -> on standard output', async (args, text) => {
  await using shop = await openWorkshop();
  const { code, stdout, stderr } = await shop.run(...args);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(text);
});
