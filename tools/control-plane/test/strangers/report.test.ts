import { expect, test } from '@jest/globals';
import { afterSecondTry, passing, readGoTests, readReport } from '../../src/strangers/report.ts';

const spec = (text: string, state: string, type = 'It'): object => ({
  ContainerHierarchyTexts: ['Client', 'Get'],
  LeafNodeType: type,
  LeafNodeText: text,
  State: state,
});

test('report of ginkgo -> specs that passed and that did not, by full names', () => {
  const report = [
    {
      SpecReports: [
        spec('works', 'passed'),
        spec('does not', 'failed'),
        spec('hangs', 'timedout'),
        spec('waits', 'pending'),
        spec('is left out', 'skipped'),
        { ...spec('', 'passed', 'BeforeSuite'), ContainerHierarchyTexts: null },
      ],
    },
    { SpecReports: null },
  ];
  expect(readReport(JSON.stringify(report))).toEqual({
    passed: ['Client Get works'],
    failed: ['Client Get does not', 'Client Get hangs'],
  });
});

test('setup of a suite fails -> named by what it is', () => {
  const report = [{ SpecReports: [{ ...spec('', 'failed', 'BeforeSuite'), ContainerHierarchyTexts: null }] }];
  expect(readReport(JSON.stringify(report))).toEqual({ passed: [], failed: ['BeforeSuite'] });
});

test('several tests of one name, one fails -> the name does not pass', () => {
  expect([...passing({ passed: ['a', 'a', 'b'], failed: ['a'] })]).toEqual(['b']);
});

test('spec fails at one try of two -> passes, and is late when it was the first one', () => {
  const [first, second] = [
    { passed: ['a', 'b'], failed: ['c', 'd'] },
    { passed: ['a', 'c'], failed: ['b', 'd'] },
  ];
  expect(afterSecondTry(first, second)).toEqual({ passed: ['a', 'b', 'c'], failed: ['d'], late: ['c'] });
});

test('setup fails at the first try alone -> the second one counts', () => {
  const [first, second] = [
    { passed: [], failed: ['BeforeSuite'] },
    { passed: ['a', 'a'], failed: ['b'] },
  ];
  expect(afterSecondTry(first, second)).toEqual({ passed: ['a', 'a'], failed: ['b'], late: ['a'] });
});

test('output of tests without ginkgo -> those that have no others in them', () => {
  const output = [
    '=== RUN   TestMapper',
    '    mapper_test.go:77: Setup',
    '--- FAIL: TestMapper (2.17s)',
    '    --- PASS: TestMapper/a (1.00s)',
    '        --- PASS: TestMapper/a/asks_(once) (0.50s)',
    '    --- FAIL: TestMapper/b (0.07s)',
    '--- SKIP: TestOther (0.00s)',
    'FAIL',
  ];
  expect(readGoTests(output.join('\n'))).toEqual({
    passed: ['TestMapper/a/asks_(once)'],
    failed: ['TestMapper/b'],
  });
});
