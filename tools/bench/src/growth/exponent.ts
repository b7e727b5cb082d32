import type { SizedSpread } from './growth-figures.ts';

/**
 * Returns how a figure grows from each size to the next: the slope between the two medians on logarithmic
 * axes. 1 is linear growth, 2 is quadratic, 0 is none. Costs that occur once make it smaller at small sizes,
 * so the last step is the most meaningful.
 *
 * @returns one exponent for each step between sizes; undefined if a median is missing or 0
 */
export function exponents(curve: readonly SizedSpread[]): readonly (number | undefined)[] {
  return curve.slice(1).map((larger, index) => {
    const smaller = curve[index];
    const from = smaller?.spread?.median ?? 0;
    const to = larger.spread?.median ?? 0;
    return smaller === undefined || from <= 0 || to <= 0
      ? undefined
      : Math.log(to / from) / Math.log(larger.objects / smaller.objects);
  });
}
