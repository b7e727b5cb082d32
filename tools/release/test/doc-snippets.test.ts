import { describe, expect, test } from '@jest/globals';
import { join } from 'node:path';
import { compilerOptionsIn, problemsOf, snippetsIn, uncheckedIn } from '../src/doc-snippets.ts';

const root = join(import.meta.dirname, '../../..');
// The pages of this test need no more of the language than that, which is parsed soonest.
const options = { ...compilerOptionsIn(join(root, 'tsconfig.check.json')), lib: ['lib.es5.d.ts'], types: [] };

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
    expect(problemsOf(snippetsIn(page), join(root, 'docs'), options)).toEqual([
      "12: Type 'number' is not assignable to type 'string'.",
    ]);
  });

  test('context in a comment above -> the block compiles with it, and is found by its own name', () => {
    const withContext = [
      'Some text.',
      '',
      '<!-- ts',
      "import { one } from './one.ts';",
      '-->',
      '',
      '```ts',
      '// two.ts',
      'export const two: number = one;',
      '```',
      '',
      page,
    ].join('\n');
    const [first] = snippetsIn(withContext);
    expect(first).toMatchObject({ file: 'two.ts', line: 4 });
    expect(problemsOf(snippetsIn(withContext), join(root, 'docs'), options)).toEqual([
      "23: Type 'number' is not assignable to type 'string'.",
    ]);
  });

  test('mistakes in the context and in its block -> their lines of the page', () => {
    const wrong = [
      '<!-- ts',
      'declare const count: Nothing;',
      'export function example(): string {',
      '-->',
      '```ts',
      'return missing;',
      '```',
    ].join('\n');
    expect(problemsOf(snippetsIn(wrong), join(root, 'docs'), options)).toEqual([
      "2: Cannot find name 'Nothing'.",
      "6: Cannot find name 'missing'.",
    ]);
  });

  test('text between the comment and the block -> the comment is not its context', () => {
    const two = ['<!-- ts', 'not this', '-->', 'text', '```ts', 'export {};', '```'].join('\n');
    expect(snippetsIn(two)).toEqual([{ file: 'line-6.ts', line: 6, text: 'export {};\n' }]);
  });

  test('TypeScript in an indented block -> its lines; other indented blocks are not', () => {
    const indented = [
      '    npm install',
      '',
      "    import { a } from 'a';",
      '    const b = await a();',
      '',
      '    kind Site is wrong',
      '```js',
      '    const fenced = 1;',
      '```',
      '- a list',
      '  await is a word',
    ].join('\n');
    expect(uncheckedIn(indented)).toEqual([3, 4]);
  });
});
