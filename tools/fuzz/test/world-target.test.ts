import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Deviation } from '../src/deviation.ts';
import { createTargets } from '../src/targets.ts';
import { growthOf } from '../src/targets/world-target.ts';

test.each<[string, readonly Deviation[], number]>([
  ['nothing that grows', [{ at: ['spec'], is: null }], 1],
  ['a text', [{ at: ['spec', 'a'], characters: 300_000 }], 300_000],
  [
    'a list of long texts',
    [
      { at: ['a', 0], characters: 300_000 },
      { at: ['a'], elements: 10_000 },
    ],
    3_000_000_000,
  ],
  [
    'a list in a list twice',
    [
      { at: ['a', 0], elements: 10_000 },
      { at: ['a'], doubled: true },
    ],
    20_000,
  ],
])('%s -> how many times larger it may be', (_, deviations, growth) => {
  expect(growthOf(deviations)).toBe(growth);
});

test('inputs of a world -> no object is larger than any API server stores', async () => {
  const [target] = (await createTargets()).filter(({ name }) => name === 'pv-reclaim-honor');
  fc.assert(
    fc.property(target?.input ?? fc.constant(undefined), (input) => {
      const { odd } = input as { readonly odd: readonly { readonly deviations: readonly Deviation[] }[] };
      for (const { deviations } of odd) {
        expect(growthOf(deviations)).toBeLessThan(1_500_000);
      }
    }),
    { numRuns: 200 },
  );
});
