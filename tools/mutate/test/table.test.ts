import { expect, test } from '@jest/globals';
import { mutationTable } from '../src/table.ts';

test('figures -> a line for each file, and one for all', () => {
  const figures = { killed: 1, timedOut: 0, refused: 1, equivalent: 0, survived: 0, wrong: 0 };
  const table = mutationTable([
    { ...figures, file: 'a.ts', mutants: 2, seconds: 1.4 },
    { ...figures, file: 'long/b.ts', mutants: 12, killed: 10, survived: 1, seconds: 3 },
  ]);
  expect(table.split('\n')).toEqual([
    'file       mutants  killed  timed out  not compiled  equivalent  survived  seconds',
    'a.ts             2       1          0             1           0         0        1',
    'long/b.ts       12      10          0             1           0         1        3',
    'all             14      11          0             2           0         1        4',
  ]);
});
