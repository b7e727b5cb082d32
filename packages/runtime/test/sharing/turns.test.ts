import { expect, test } from '@jest/globals';
import { createTurns, type Turns } from '../../src/sharing/turns.ts';

function takeAll(turns: Turns<string>, mayGoOn: (group: string) => boolean): readonly string[] {
  const taken: string[] = [];
  for (let next = turns.next(mayGoOn); next !== undefined; next = turns.next(mayGoOn)) {
    taken.push(`${next.group}${next.value}`);
  }
  return taken;
}

test('several groups -> they come in turn, each in its order', () => {
  const turns = createTurns<string>();
  for (const [group, value] of ['a1', 'a2', 'a3', 'b1', 'c1', 'c2'].map((each) => each.split(''))) {
    turns.add(group ?? '', value ?? '');
  }
  expect(takeAll(turns, () => true)).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
  expect(turns.has('a')).toBe(false);
  expect(turns.next(() => true)).toBeUndefined();
});

test('group may not go on -> the others do, and it keeps what it has', () => {
  const turns = createTurns<string>();
  for (const value of ['1', '2']) {
    turns.add('a', value);
    turns.add('b', value);
  }
  expect(takeAll(turns, (group) => group !== 'a')).toEqual(['b1', 'b2']);
  expect([turns.has('a'), turns.has('b')]).toEqual([true, false]);
  expect(takeAll(turns, () => true)).toEqual(['a1', 'a2']);
});

test('10,000 groups wait, one may not go on -> it is asked about once a round, not for each that goes on', () => {
  const turns = createTurns<string>();
  for (let group = 0; group < 10_000; group++) {
    turns.add(String(group), 'x');
  }
  let asked = 0;
  const mayGoOn = (group: string): boolean => {
    asked += 1;
    return group !== '0';
  };
  expect(takeAll(turns, mayGoOn)).toHaveLength(9_999);
  expect(asked).toBeLessThanOrEqual(10_001);
});
