/*
 * Sizes and costs that are estimated before there are values. On the real server both are unsigned 64-bit
 * integers that stop at the largest one instead of overflowing. Here they are JavaScript numbers, exact up to
 * 2^53, which is far above every limit.
 */

/** The fewest and the most characters, bytes, items or entries that a value can have. */
export interface SizeRange {
  readonly min: number;
  readonly max: number;
}

/** The largest size or cost. */
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

/**
 * The cost of a size, rounded up.
 *
 * @param factor the cost of one unit
 */
export function scaled(size: number, factor: number): number {
  return Math.min(Math.ceil(size * factor), unlimited);
}

export function addSizes(a: SizeRange, b: SizeRange): SizeRange {
  return { min: plus(a.min, b.min), max: plus(a.max, b.max) };
}

export function multiplySizes(a: SizeRange, b: SizeRange): SizeRange {
  return { min: times(a.min, b.min), max: times(a.max, b.max) };
}

/** The smallest range that contains both. */
export function union(a: SizeRange, b: SizeRange): SizeRange {
  return { min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) };
}
