import { expect, test } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { compilerOptionsIn, problemsOf, snippetsIn } from '../src/doc-snippets.ts';

const root = join(import.meta.dirname, '../../..');

test.each([
  ['docs/coming-from.md', 11],
  ['packages/testing/README.md', 1],
])(
  '%s -> each block compiles against the packages',
  async (page, atLeast) => {
    const snippets = snippetsIn(await readFile(join(root, page), 'utf8'));
    const options = compilerOptionsIn(join(root, 'tsconfig.check.json'));
    expect(snippets.length).toBeGreaterThanOrEqual(atLeast);
    expect(problemsOf(snippets, join(root, dirname(page)), options)).toStrictEqual([]);
  },
  60_000,
);
