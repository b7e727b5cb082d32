import { median } from './median.ts';

/** A figure over several rounds. */
export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

/** Undefined if there are no values. */
export function spreadOf(values: readonly number[]): Spread | undefined {
  const middle = median(values);
  return middle === undefined
    ? undefined
    : { median: middle, least: Math.min(...values), most: Math.max(...values) };
}
