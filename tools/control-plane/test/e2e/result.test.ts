import { describe, expect, test } from '@jest/globals';
import { countsOf, tableOf, type Row } from '../../src/e2e/result.ts';
import type { Outcome } from '../../src/e2e/outcome.ts';
import type { Player } from '../../src/e2e/world.ts';

const ended = (state: string): Outcome => ({ state, seconds: 2, message: state === 'passed' ? '' : 'why' });
const row = (outcomes: Row['outcomes']): Row => ({
  app: 'pvc-protection',
  test: 'the test',
  lens: undefined,
  outcomes,
});

describe('countsOf', () => {
  test.each<[string, readonly Player[], Row['outcomes'], 'passed' | 'failed']>([
    ['both passed', ['stock', 'holdfast'], { stock: ended('passed'), holdfast: ended('passed') }, 'passed'],
    ['ours failed', ['stock', 'holdfast'], { stock: ended('passed'), holdfast: ended('failed') }, 'failed'],
    ['stock failed', ['stock', 'holdfast'], { stock: ended('failed'), holdfast: ended('passed') }, 'failed'],
    ['ours skipped', ['holdfast'], { holdfast: ended('skipped') }, 'failed'],
    ['ours not reported on', ['stock', 'holdfast'], { stock: ended('passed') }, 'failed'],
    ['nobody, noticed in time', ['nobody'], { nobody: ended('timedout') }, 'passed'],
    ['nobody, not noticed', ['nobody'], { nobody: ended('passed') }, 'failed'],
    ['nobody, the test did not run', ['nobody'], { nobody: ended('none') }, 'failed'],
  ])('%s', (_, asked, outcomes, counted) => {
    expect(countsOf([row(outcomes)], asked)).toMatchObject({
      numPassedTests: counted === 'passed' ? 1 : 0,
      numFailedTests: counted === 'failed' ? 1 : 0,
      numPendingTests: 0,
    });
  });
});

describe('tableOf', () => {
  test('passed, failed and not run -> a line for the test, and the reason below', () => {
    const outcomes = { stock: ended('passed'), holdfast: ended('failed') };
    expect(tableOf([row(outcomes)], ['stock', 'holdfast', 'nobody'])).toBe(
      [
        '| in the place of the stock controller | test | stock | holdfast | nobody |',
        '| --- | --- | --- | --- | --- |',
        '| pvc-protection | the test | passed, 2 s | failed, 2 s | not run |',
        '',
        'holdfast, the test: failed',
        '    why',
      ].join('\n'),
    );
  });

  test('seen through a lens -> named, except for the stock controller', () => {
    const lensed = { ...row({ stock: ended('passed'), holdfast: ended('passed') }), lens: 'x read as y' };
    expect(tableOf([lensed], ['stock', 'holdfast'])).toContain('| passed, 2 s | passed, 2 s, x read as y |');
  });
});
