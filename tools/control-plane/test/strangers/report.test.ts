import { expect, test } from '@jest/globals';
import { differencesOf, readReport } from '../../src/strangers/report.ts';
import { packageOf, programOf } from '../../src/strangers/suites.ts';

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

test('spec fails on both -> no difference; on the embedded server alone -> one', () => {
  const real = { passed: ['a'], failed: ['b'] };
  expect(differencesOf({ passed: [], failed: ['a', 'b'] }, real)).toEqual(['a']);
});

test('suite of a package below another -> program by its last name', () => {
  expect(programOf('controller/controllerutil')).toBe('controllerutil.test');
  expect(packageOf('controller/controllerutil')).toBe(
    'sigs.k8s.io/controller-runtime/pkg/controller/controllerutil',
  );
});
