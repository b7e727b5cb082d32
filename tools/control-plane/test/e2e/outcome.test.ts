import { describe, expect, test } from '@jest/globals';
import { outcomeOf } from '../../src/e2e/outcome.ts';

const spec = (state: string, more: object = {}) => ({
  ContainerHierarchyTexts: ['[sig-apps] StatefulSet', 'Non-retain'],
  LeafNodeText: 'should delete PVCs',
  State: state,
  RunTime: 1_500_000_000,
  ...more,
});
const name = '[sig-apps] StatefulSet Non-retain should delete PVCs';
const reportOf = (...specs: readonly object[]): string => JSON.stringify([{ SpecReports: specs }]);

describe('outcomeOf', () => {
  test('passed -> seconds, no message', () => {
    expect(outcomeOf(reportOf(spec('passed')), name)).toEqual({ state: 'passed', seconds: 1.5, message: '' });
  });

  test.each(['failed', 'timedout', 'skipped'])('%s -> state and why', (state) => {
    const report = reportOf(spec(state, { Failure: { Message: 'No default storage class found' } }));
    expect(outcomeOf(report, name)).toEqual({
      state,
      seconds: 1.5,
      message: 'No default storage class found',
    });
  });

  test('a test whose name begins with the same words -> not taken for it', () => {
    const report = reportOf(spec('passed', { LeafNodeText: 'should delete PVCs after adopting pod' }));
    expect(outcomeOf(report, name)).toEqual({
      state: 'none',
      seconds: undefined,
      message: 'e2e has no test of that name',
    });
  });

  test('report of a suite that ran nothing -> none', () => {
    expect(outcomeOf('[{"SpecReports":null}]', name).state).toBe('none');
  });
});
