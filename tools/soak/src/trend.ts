/** A value at a time. */
export interface Point {
  readonly seconds: number;
  readonly value: number;
}

/** The best-fitting straight line, and how certain its slope is. */
export interface Trend {
  /** How much the value rises per second. */
  readonly slope: number;
  /**
   * The 95 % confidence interval is the slope plus or minus this, provided that the points scatter only by
   * chance.
   */
  readonly doubt: number;
}

/**
 * Returns the lowest value of each time window, placed at the window's middle. A heap rises and falls with
 * garbage collection; its lowest value is closest to what is really held, and does not depend on when a
 * sample happened to be taken.
 *
 * @param width of a window, in seconds; windows without points, and an incomplete one at the end, are left
 *   out
 */
export function floors(points: readonly Point[], width: number): readonly Point[] {
  const first = points[0]?.seconds ?? 0;
  const end = points.at(-1)?.seconds ?? 0;
  const least = new Map<number, number>();
  for (const { seconds, value } of points) {
    const window = Math.floor((seconds - first) / width);
    least.set(window, Math.min(value, least.get(window) ?? Infinity));
  }
  return [...least].flatMap(([window, value]) => {
    const middle = first + (window + 0.5) * width;
    return middle > end ? [] : [{ seconds: middle, value }];
  });
}

/**
 * Fits a line by least squares.
 *
 * @returns undefined for fewer than three points, or points at the same time, which do not determine a line
 */
export function trendOf(points: readonly Point[]): Trend | undefined {
  const middle = mean(points.map(({ seconds }) => seconds));
  const level = mean(points.map(({ value }) => value));
  const spread = sum(points.map(({ seconds }) => (seconds - middle) ** 2));
  if (points.length < 3 || spread === 0) {
    return undefined;
  }
  const slope = sum(points.map(({ seconds, value }) => (seconds - middle) * (value - level))) / spread;
  const missed = sum(points.map(({ seconds, value }) => (value - level - slope * (seconds - middle)) ** 2));
  const freedom = points.length - 2;
  return { slope, doubt: studentQuantile(freedom) * Math.sqrt(missed / freedom / spread) };
}

/**
 * Student's t for a two-sided 95 %, by the Cornish-Fisher expansion: with few points the usual two standard
 * errors are too little. It is accurate to 2 % from four degrees of freedom on, and too small below.
 */
function studentQuantile(freedom: number): number {
  const z = 1.96;
  return z + (z ** 3 + z) / (4 * freedom) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * freedom ** 2);
}

/** Returns the middle value, or the mean of the middle two; NaN if there is none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? NaN;
  const upper = sorted[Math.floor(sorted.length / 2)] ?? NaN;
  return (lower + upper) / 2;
}

function mean(values: readonly number[]): number {
  return sum(values) / values.length;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
