import { expect, test } from '@jest/globals';
import { judge } from '../../src/strangers/judge.ts';

const names = ['a', 'b'];
const both = new Set(names);
const none = new Set<string>();

test('tests pass on both -> nothing to say', () => {
  expect(judge({ names, embedded: both, real: both }, [])).toEqual({ failures: [], notes: [] });
});

test('test passes on the real one alone -> a failure', () => {
  expect(judge({ names, embedded: new Set(['b']), real: both }, []).failures).toEqual([
    'fails on the embedded server alone, and is not in the README: a',
  ]);
});

test('test that is known to fail fails -> none; passes -> a failure', () => {
  expect(judge({ names, embedded: new Set(['b']), real: both }, ['a'])).toEqual({
    failures: [],
    notes: ['fails on the embedded server alone, as the README says: a'],
  });
  expect(judge({ names, embedded: both, real: both }, ['a']).failures).toEqual([
    'in the README, and passes: a',
  ]);
});

test('test passes on neither -> a note, and no failure', () => {
  const { failures, notes } = judge({ names, embedded: none, real: none }, ['b']);
  expect(failures).toStrictEqual([]);
  expect(notes).toEqual([
    'does not pass on the real one, so it says nothing: a',
    'does not pass on the real one, so it says nothing: b',
  ]);
});
