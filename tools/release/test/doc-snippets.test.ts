import { describe, expect, test } from '@jest/globals';
import { join } from 'node:path';
import { compilerOptionsIn, problemsOf, snippetsIn } from '../src/doc-snippets.ts';

const root = join(import.meta.dirname, '../../..');
const options = compilerOptionsIn(join(root, 'tsconfig.check.json'));

const page = [
  '# A page',
  '```ts',
  '// one.ts',
  'export const one: number = 1;',
  '```',
  'Others are not looked at:',
  '```sh',
  'const nothing',
  '```',
  '```ts',
  "import { one } from './one.ts';",
  'export const two: string = one;',
  '```',
  '',
].join('\n');

describe('blocks of a page', () => {
  test('marked ts -> found, with name and line; others are not', () => {
    expect(snippetsIn(page)).toEqual([
      { file: 'one.ts', line: 3, text: '// one.ts\nexport const one: number = 1;\n' },
      {
        file: 'line-11.ts',
        line: 11,
        text: "import { one } from './one.ts';\nexport const two: string = one;\n",
      },
    ]);
  });

  test('block that does not compile -> the line of the page, and what is wrong', () => {
    expect(
      problemsOf(snippetsIn(page), join(root, 'docs'), { ...options, lib: ['lib.es2024.d.ts'], types: [] }),
    ).toEqual(["12: Type 'number' is not assignable to type 'string'."]);
  });
});
