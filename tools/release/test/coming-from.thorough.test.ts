import { expect, test } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { compilerOptionsIn, problemsOf, snippetsIn } from '../src/doc-snippets.ts';

const root = join(import.meta.dirname, '../../..');

test('docs/coming-from.md -> each block compiles against the packages', async () => {
  const snippets = snippetsIn(await readFile(join(root, 'docs/coming-from.md'), 'utf8'));
  const options = compilerOptionsIn(join(root, 'tsconfig.check.json'));
  expect(snippets.length).toBeGreaterThan(10);
  expect(problemsOf(snippets, join(root, 'docs'), options)).toStrictEqual([]);
}, 60_000);
