import { expect, test } from '@jest/globals';
import { jestArguments } from '../src/jest-arguments.ts';

test.each([
  { given: ['apps/pvc-protection', '-t', 'held'], expected: [/^--maxWorkers=\d+$/] },
  { given: ['-i'], expected: [/^-i$/] },
  { given: ['--runInBand'], expected: [/^--runInBand$/] },
  { given: ['--maxWorkers=1'], expected: [/^--maxWorkers=1$/] },
  { given: ['-w', '1'], expected: [/^-w$/] },
])('$given -> how many files at once is said once', ({ given, expected }) => {
  const words = jestArguments(given, 'report.json').filter((each) =>
    /^(-i|-w|--runInBand|--maxWorkers.*)$/.test(each),
  );
  expect(words).toEqual(expected.map((each) => expect.stringMatching(each) as unknown));
  expect(jestArguments(given, 'report.json')).toEqual(expect.arrayContaining(given));
});

test.each([
  { given: [], expected: ['--outputFile=report.json'] },
  { given: ['--json', '--outputFile=mine.json'], expected: ['--outputFile=mine.json'] },
  { given: ['--outputFile', 'mine.json'], expected: ['--outputFile'] },
])('$given -> where the report goes is said once', ({ given, expected }) => {
  const words = jestArguments(given, 'report.json').filter((each) => each.startsWith('--outputFile'));
  expect(words).toEqual(expected);
});
