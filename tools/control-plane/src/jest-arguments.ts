import { availableParallelism } from 'node:os';

/**
 * The number of test files that run concurrently, each with its own control plane. A file spends two thirds
 * of its time waiting for the control plane's controllers, so three files per core keep the cores busy. Each
 * takes some 600 MB.
 */
const filesAtOnce = 3 * availableParallelism();

/** Returns what `npm run test:real` passes to jest: the suites, the report, and what the user gave. */
export function jestArguments(given: readonly string[], report: string): readonly string[] {
  // Jest accepts only one of these. If it is given two files for its report, it ends with a TypeError after
  // all tests.
  const saysFilesAtOnce = given.some((each) => /^(-i|--runInBand|-w|--maxWorkers)(=|$)/.test(each));
  const saysReport = given.some((each) => /^--outputFile(=|$)/.test(each));
  return [
    '--testMatch',
    '**/test/**/*.{scenario,real}.test.ts',
    ...(saysFilesAtOnce ? [] : [`--maxWorkers=${String(filesAtOnce)}`]),
    '--json',
    ...(saysReport ? [] : [`--outputFile=${report}`]),
    ...given,
  ];
}
