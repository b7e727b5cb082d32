import { once } from 'node:events';
import { expect, test } from '@jest/globals';
import { moduleOf, openWorkshop } from './workshop.ts';

/*
 * What modules of all sorts and signals make of the program: a process for each. Its own work is tried in crd.test.ts.
 */

test.concurrent('CommonJS module -> found, each once', async () => {
  await using shop = await openWorkshop();
  const text = `const { defineResource } = require('@holdfast/core/custom-resource');
const { z } = require('zod');
const sites = defineResource({ group: 'example.com', version: 'v1', kind: 'Site', spec: z.object({}) });
module.exports = { sites };`;
  await shop.write('kinds.cjs', text);
  const { code, stdout, stderr } = await shop.runProgram('crd', 'kinds.cjs');
  expect([code, stderr, stdout.match(/^metadata:/gm)?.length]).toEqual([0, '', 1]);
});

test.concurrent('module that begins what never ends -> written, and the program ends', async () => {
  await using shop = await openWorkshop();
  await shop.write('kinds.mjs', `${moduleOf({ sites: 'Site' })}\nsetInterval(() => undefined, 1000);`);
  expect((await shop.runProgram('crd', 'kinds.mjs')).code).toBe(0);
});

test.concurrent('reader of the output that has had enough -> ends without a word', async () => {
  await using shop = await openWorkshop();
  await shop.write('kinds.mjs', moduleOf({ sites: 'Site' }));
  const { child, ended } = shop.start('crd', 'kinds.mjs');
  child.stdout?.destroy();
  expect(await ended).toMatchObject({ code: 0, stderr: '' });
});

const site = moduleOf({ sites: 'Site' });

test.concurrent.each<readonly [string, Readonly<Record<string, string>>, readonly string[], RegExp]>([
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
  const { code, stdout, stderr } = await shop.runProgram(...args);
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

test.concurrent(
  'ESM in a TypeScript file of a CommonJS project -> exit code 2, and what can be named',
  async () => {
    await using shop = await openWorkshop();
    await shop.write('package.json', '{ "type": "commonjs" }');
    await shop.write('a.ts', `import 'node:fs';\nexport const a = 1;\n`);
    const { code, stderr } = await shop.runProgram('crd', 'a.ts');
    expect(stderr).toContain(
      "holdfast: a.ts can't be loaded: Cannot use import statement outside a module; its package is CommonJS: name the compiled file, or call this one a.mts\n",
    );
    expect(code).toBe(2);
  },
);
