import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { load, loadAll } from 'js-yaml';
import { moduleOf, openWorkshop } from './workshop.ts';

const header = '# Made by holdfast crd. Change the kind where it is defined.\n';

describe('modules that define kinds', () => {
  test.concurrent('--out -> a file for each, and again -> left alone', async () => {
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

  test.concurrent(
    'no --out -> all on standard output, and nothing else of what a module writes',
    async () => {
      await using shop = await openWorkshop();
      await shop.write('kinds.mjs', `${moduleOf({ sites: 'Site', pages: 'Page' })}\nconsole.log('loaded');`);
      const { code, stdout, stderr } = await shop.run('crd', 'kinds.mjs');
      expect([code, stderr]).toEqual([0, 'loaded\n']);
      const documents = loadAll(stdout) as readonly { readonly metadata: { readonly name: string } }[];
      expect(documents.map(({ metadata }) => metadata.name).toSorted()).toEqual([
        'pages.example.com',
        'sites.example.com',
      ]);
    },
  );

  test.concurrent('CommonJS module -> found, each once', async () => {
    await using shop = await openWorkshop();
    const text = `const { defineResource } = require('@holdfast/core/custom-resource');
const { z } = require('zod');
const sites = defineResource({ group: 'example.com', version: 'v1', kind: 'Site', spec: z.object({}) });
module.exports = { sites };`;
    await shop.write('kinds.cjs', text);
    const { code, stdout, stderr } = await shop.run('crd', 'kinds.cjs');
    expect([code, stderr, stdout.match(/^metadata:/gm)?.length]).toEqual([0, '', 1]);
  });

  test.concurrent('module that begins what never ends -> written, and the program ends', async () => {
    await using shop = await openWorkshop();
    await shop.write('kinds.mjs', `${moduleOf({ sites: 'Site' })}\nsetInterval(() => undefined, 1000);`);
    expect((await shop.run('crd', 'kinds.mjs')).code).toBe(0);
  });

  test.concurrent('reader of the output that has had enough -> ends without a word', async () => {
    await using shop = await openWorkshop();
    await shop.write('kinds.mjs', moduleOf({ sites: 'Site' }));
    const { child, ended } = shop.start('crd', 'kinds.mjs');
    child.stdout?.destroy();
    expect(await ended).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('--check', () => {
  test.concurrent('files that are as they should be, with line ends of Windows too -> 0', async () => {
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

  test.concurrent('stale file and missing file -> 1, a diff of both, and nothing is written', async () => {
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

test.concurrent.each<readonly [string, Readonly<Record<string, string>>, readonly string[], RegExp]>([
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
  ['module that is not there', {}, ['crd', 'a.ts'], /a\.ts can't be read: ENOENT/],
  ['folder as a module', {}, ['crd', 'node_modules'], /node_modules is no file/],
  [
    'module that throws',
    { 'a.mjs': `throw new Error('no\\nluck')` },
    ['crd', 'a.mjs'],
    /a\.mjs can't be loaded: no luck/,
  ],
  [
    'module with a syntax error',
    { 'a.mjs': `\nexport const a = ;` },
    ['crd', 'a.mjs'],
    /a\.mjs can't be loaded: Unexpected token ';'; node a\.mjs shows where/,
  ],
  [
    'TypeScript that Node does not strip',
    { 'a.ts': `export enum A { B }` },
    ['crd', 'a.ts'],
    /a\.ts can't be loaded: .*enum/,
  ],
  [
    'module without a resource',
    { 'a.mjs': 'export const a = 1;' },
    ['crd', 'a.mjs'],
    /a\.mjs exports no resource; export what defineResource returned/,
  ],
  [
    'module that ends the process',
    { 'a.mjs': 'process.exit(0);' },
    ['crd', 'a.mjs'],
    /a\.mjs ended by itself while it was loaded \(exit code 0\)/,
  ],
  [
    'module that waits for ever',
    { 'a.mjs': 'await new Promise(() => undefined);' },
    ['crd', 'a.mjs'],
    /a\.mjs ended by itself/,
  ],
  [
    'module that throws later',
    { 'a.mjs': `setTimeout(() => { throw new Error('late'); }); await new Promise(() => undefined);` },
    ['crd', 'a.mjs'],
    /a\.mjs can't be loaded: late/,
  ],
  [
    'two kinds of one name',
    { 'a.mjs': site, 'b.mjs': site },
    ['crd', 'a.mjs', 'b.mjs'],
    /sites of a\.mjs and sites of b\.mjs both have the resource name sites in example\.com; .*rename one/,
  ],
  [
    'schema that is refused',
    { 'a.mjs': site.replace("z.enum(['on', 'off'])", 'z.date()') },
    ['crd', 'a.mjs'],
    /a\.mjs can't be loaded: kind Site can't be defined: spec\.on: z\.date\(\)/,
  ],
  [
    'folder that is a file',
    { 'a.mjs': site },
    ['crd', 'a.mjs', '--out', 'a.mjs'],
    /a\.mjs\/example\.com_sites\.yaml can't be (read|written): /,
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

test.concurrent.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('%s while a module loops -> %d, and one line', async (signal, code) => {
  await using shop = await openWorkshop();
  await shop.write('a.mjs', `console.error('looping'); for (;;);`);
  const { child, ended } = shop.start('crd', 'a.mjs', '--out', '.');
  if (child.stderr !== null) {
    await once(child.stderr, 'data');
  }
  child.kill(signal);
  const { stderr, ...rest } = await ended;
  expect(rest).toEqual({ code, stdout: '' });
  expect(stderr.split('\n').filter((line) => line.startsWith('holdfast'))).toEqual([
    `holdfast: ended by ${signal}; a file is written whole or not at all`,
  ]);
});

test.concurrent.each([
  [['--help'], /holdfast crd MODULE/],
  [['crd', '--help'], /Exit codes/],
  [['--version'], /^\d+\.\d+\.\d+\n$/],
])('%j -> on standard output', async (args, text) => {
  await using shop = await openWorkshop();
  const { code, stdout, stderr } = await shop.run(...args);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(text);
});

test.concurrent(
  'ESM in a TypeScript file of a CommonJS project -> exit code 2, and what can be named',
  async () => {
    await using shop = await openWorkshop();
    await shop.write('package.json', '{ "type": "commonjs" }');
    await shop.write('a.ts', `import 'node:fs';\nexport const a = 1;\n`);
    const { code, stderr } = await shop.run('crd', 'a.ts');
    expect(stderr).toContain(
      "holdfast: a.ts can't be loaded: Cannot use import statement outside a module; its package is CommonJS: name the compiled file, or call this one a.mts\n",
    );
    expect(code).toBe(2);
  },
);
