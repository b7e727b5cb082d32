import { describe, expect, test } from '@jest/globals';
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { compilerOptionsIn, problemsOf, snippetsIn, uncheckedIn } from '../src/doc-snippets.ts';

const root = join(import.meta.dirname, '../../..');

/** A sample shows what it is about: it may leave what it makes unused, and what comes after it unsaid. */
const options = {
  ...compilerOptionsIn(join(root, 'tsconfig.check.json')),
  noImplicitReturns: false,
  noUnusedLocals: false,
  noUnusedParameters: false,
};

const pages: readonly (readonly [page: string, atLeast: number])[] = [
  ['docs/coming-from.md', 11],
  ['packages/apiserver/README.md', 5],
  ['packages/core/README.md', 6],
  ['packages/runtime/README.md', 6],
  ['packages/testing/README.md', 8],
];

describe.each(pages)('%s', (page, atLeast) => {
  test('each block compiles against the packages', async () => {
    const snippets = snippetsIn(await readFile(join(root, page), 'utf8'));
    expect(snippets.length).toBeGreaterThanOrEqual(atLeast);
    expect(problemsOf(snippets, join(root, dirname(page)), options)).toStrictEqual([]);
  }, 60_000);
});

test.each(globSync('{*,docs/*,packages/*/*,apps/*/*,tools/*/*}.md', { cwd: root }))(
  '%s -> no TypeScript in indented blocks, which nothing compiles',
  async (page) => {
    expect(uncheckedIn(await readFile(join(root, page), 'utf8'))).toStrictEqual([]);
  },
);
