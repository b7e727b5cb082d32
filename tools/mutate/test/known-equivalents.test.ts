import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { matchEquivalents } from '../src/equivalents.ts';
import { knownEquivalents } from '../src/known-equivalents.ts';
import { mutantsOf } from '../src/mutants.ts';
import { targets } from '../src/targets.ts';

/* What `npm run mutate` rests on, held in each run of the tests, which don't play mutants. */

const root = join(import.meta.dirname, '../../..');

test.each(targets.map(({ file, tests }) => [file, tests] as const))(
  '%s -> it and its tests are there',
  (file, tests) => {
    expect([file, ...tests].filter((path) => !existsSync(join(root, path)))).toStrictEqual([]);
  },
);

test.each([...new Set(knownEquivalents.map(({ file }) => file))])(
  '%s: mutants that change nothing -> each entry names one that there is',
  (file) => {
    expect(targets.map((target) => target.file)).toContain(file);
    const mutants = mutantsOf(file, readFileSync(join(root, file), 'utf8'));
    expect(matchEquivalents(file, mutants, knownEquivalents).stale).toStrictEqual([]);
  },
);

const text = 'const x = () => a && b;\n';
const entry = {
  file: 'x.ts',
  before: 'const x = () => a && b;',
  after: 'const x = () => b;',
  why: 'for the test',
};

test('an entry whose lines are there -> its mutant is known to change nothing', () => {
  const { equivalent, stale } = matchEquivalents('x.ts', mutantsOf('x.ts', text), [entry]);
  expect([...equivalent.values()]).toEqual([entry]);
  expect(stale).toStrictEqual([]);
});

test.each([
  ['line is another by now', { ...entry, before: 'const x = () => a && c;' }],
  ['change is not made any more', { ...entry, after: 'const x = () => c;' }],
])('an entry whose %s -> stale', (_, changedEntry) => {
  expect(matchEquivalents('x.ts', mutantsOf('x.ts', text), [changedEntry]).stale).toEqual([changedEntry]);
});

test('an entry of another file -> passed over', () => {
  const { equivalent, stale } = matchEquivalents('y.ts', mutantsOf('y.ts', text), [entry]);
  expect([equivalent.size, stale]).toEqual([0, []]);
});
