import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readApiDocs, type ApiDocs } from '../src/api-docs.ts';

const files = {
  'tsconfig.json': JSON.stringify({
    compilerOptions: {
      target: 'es2024',
      lib: ['es2024'],
      types: [],
      module: 'nodenext',
      strict: true,
      noEmit: true,
    },
    include: ['*.ts'],
  }),
  'package.json': JSON.stringify({ name: 'p', type: 'module', exports: './index.js' }),
  'index.ts': [
    "import { bare as other } from 'other';",
    '/** Said. */ export const saidConstant = 1;',
    'export const bareConstant = 1;',
    '/** Said. */ export function saidFunction(): void {}',
    'export function bareFunction(): void {}',
    '/** Said. */ export interface SaidInterface { readonly bareMember: string }',
    'export interface BareInterface { /** Said. */ readonly member: string }',
    'export type BareType = string;',
    "export { sub } from './sub.js';",
    "export { bare } from 'other';",
    'const notExported = other;',
    'void notExported;',
  ].join('\n'),
  'sub.ts': 'export const sub = 1;\n',
  'node_modules/other/package.json': JSON.stringify({ name: 'other', type: 'module', types: './index.d.ts' }),
  'node_modules/other/index.d.ts': 'export declare const bare: number;\n',
};

let folder: string;
let docs: ApiDocs;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-api-docs-'));
  await mkdir(join(folder, 'node_modules/other'), { recursive: true });
  await Promise.all(Object.entries(files).map(([name, text]) => writeFile(join(folder, name), text)));
  const entryPoints = [
    { name: 'p', source: join(folder, 'index.ts') },
    { name: 'p/sub', source: join(folder, 'sub.ts') },
  ];
  docs = await readApiDocs(entryPoints, join(folder, 'tsconfig.json'), folder);
}, 60_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

test('exports with and without doc comments -> those without are named once, by the module that has them', () => {
  expect(docs.undocumented.toSorted()).toEqual([
    'p/sub: sub',
    'p: BareInterface',
    'p: BareType',
    'p: bareConstant',
    'p: bareFunction',
  ]);
});

test('pages -> a page for each module, called as it is imported', async () => {
  await docs.write(join(folder, 'pages'));
  const modules = await readdir(join(folder, 'pages/modules'));
  const pages = await Promise.all(
    modules.map((page) => readFile(join(folder, 'pages/modules', page), 'utf8')),
  );
  const titles = pages.map((page) => /<title>([^|<]+) \|/.exec(page)?.[1]);
  expect(titles.toSorted()).toEqual(['p', 'p/sub']);
}, 60_000);
