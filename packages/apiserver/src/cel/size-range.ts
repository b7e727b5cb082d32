/*
 * Sizes and costs that are estimated before there are values. Both are unsigned integers of 64 bits on the real server, where what gets too large stays
 * at the largest. Here they are JavaScript's numbers: exact up to 2^53, which is far above whatever is allowed.
 */

/** How many characters, bytes, items or entries a value has: at least and at most. */
export interface SizeRange {
  readonly min: number;
  readonly max: number;
}

/** The largest there is. */
export const unlimited = 2 ** 64;

export const anySize: SizeRange = { min: 0, max: unlimited };

export function exactly(size: number): SizeRange {
  return { min: size, max: size };
}

export function plus(a: number, b: number): number {
  return Math.min(a + b, unlimited);
}

export function times(a: number, b: number): number {
  return Math.min(a * b, unlimited);
}

/** What a size costs, rounded up. @param factor of one unit */
export function scaled(size: number, factor: number): number {
  return Math.min(Math.ceil(size * factor), unlimited);
}

export function addSizes(a: SizeRange, b: SizeRange): SizeRange {
  return { min: plus(a.min, b.min), max: plus(a.max, b.max) };
}

export function multiplySizes(a: SizeRange, b: SizeRange): SizeRange {
  return { min: times(a.min, b.min), max: times(a.max, b.max) };
}

/** The least range that has both in it. */
export function union(a: SizeRange, b: SizeRange): SizeRange {
  return { min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) };
}
