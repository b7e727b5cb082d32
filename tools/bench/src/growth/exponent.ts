import type { SizedSpread } from './growth-figures.ts';

/**
 * How a figure grows from one size to the next: the slope between the two medians where both axes are logarithmic. 1 is linear growth, 2
 * is with the square, 0 is none. What a program takes once makes it smaller at small sizes, so the last step says most.
 *
 * @returns one for each step between sizes; undefined where a median is missing or 0.
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
