import { expect, test } from '@jest/globals';
import { samplePairs } from '../../src/perturbation/pairs.ts';
import type { Perturbation } from '../../src/perturbation/perturbation.ts';

const numbered = (count: number): readonly (readonly [number, Perturbation])[] =>
  Array.from({ length: count }, (_, index) => [
    index,
    { kind: 'answer-500', at: `get pods shop/web #${String(index)}` },
  ]);
const scenarios = [
  { name: 'small', all: numbered(2) },
  { name: 'large', all: numbered(40) },
];

test('the same seed -> the same pairs; another seed -> others', () => {
  expect(samplePairs(scenarios, 30, 7)).toEqual(samplePairs(scenarios, 30, 7));
  expect(samplePairs(scenarios, 30, 7)).not.toEqual(samplePairs(scenarios, 30, 8));
});

test('as many as asked for, of one scenario each, in the order of their numbers', () => {
  const drawn = samplePairs(scenarios, 30, 7);
  expect([...drawn.values()].flat()).toHaveLength(30);
  for (const { name, all } of scenarios) {
    for (const { numbers, perturbations } of drawn.get(name) ?? []) {
      expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
      expect(perturbations).toEqual(numbers.map((number) => all[number]?.[1]));
    }
  }
});

test('nothing to choose from -> no pairs', () => {
  expect([...samplePairs([{ name: 'none', all: [] }], 5, 1).values()].flat()).toStrictEqual([]);
});
