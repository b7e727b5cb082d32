import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { readRecord, recordWith } from '../src/record.ts';
import { targets } from '../src/targets.ts';

const figures = { mutants: 12, killed: 10, timedOut: 0, refused: 1, equivalent: 1, survived: 0 };

test('file that was played -> its row is new; others keep theirs, and what is no target goes', () => {
  const before = recordWith(
    '',
    [
      { ...figures, file: 'a.ts' },
      { ...figures, file: 'old.ts' },
    ],
    ['a.ts', 'old.ts'],
  );
  const after = recordWith(
    before,
    [{ ...figures, file: 'b.ts', killed: 9, survived: 1 }],
    ['b.ts', 'a.ts', 'c.ts'],
  );
  expect(after.split('\n').slice(4)).toEqual([
    '| file   | mutants | killed | timed out | not compiled | equivalent | survived |',
    '| ------ | ------: | -----: | --------: | -----------: | ---------: | -------: |',
    '| `b.ts` |      12 |      9 |         0 |            1 |          1 |        1 |',
    '| `a.ts` |      12 |     10 |         0 |            1 |          1 |        0 |',
    '| all    |      24 |     19 |         0 |            2 |          2 |        1 |',
    '',
  ]);
  expect(readRecord(after).map(({ file }) => file)).toEqual(['b.ts', 'a.ts']);
});

test('record of this repository -> its rows are of targets, each in its place', () => {
  const recorded = readRecord(readFileSync(new URL('../mutants.md', import.meta.url), 'utf8'));
  const files = recorded.map(({ file }) => file);
  expect(targets.map(({ file }) => file).filter((file) => files.includes(file))).toEqual(files);
});
