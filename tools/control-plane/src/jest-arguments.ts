import { availableParallelism } from 'node:os';

/**
 * Test files that run side by side, each with a control plane of its own. Two thirds of its time a file waits for its control plane's
 * controllers, so that three to a core keep the cores busy. Each takes some 600 MB.
 */
const filesAtOnce = 3 * availableParallelism();

/** What `npm run test:real` passes to jest: the suites, the report, and what the user gave. */
export function jestArguments(given: readonly string[], report: string): readonly string[] {
  // Jest accepts only one of these, and ends with a TypeError after all tests where it is given two files for its report.
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
