/** A value at a time. */
export interface Point {
  readonly seconds: number;
  readonly value: number;
}

/** The straight line that fits best, and how well its rise is known. */
export interface Trend {
  /** Rise of the value a second. */
  readonly slope: number;
  /** The slope is known to as much more or less, with 95 % confidence, as far as the points scatter by chance alone. */
  readonly doubt: number;
}

/**
 * The least value of each window of time, at its middle. A heap goes up and down with garbage collection; what is left at its
 * lowest is nearest to what is really held, and does not depend on when a sample happened to be taken.
 *
 * @param width of a window, seconds. One that has no points, or is only begun at the end, is left out.
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

/** By least squares. @returns undefined for fewer than three points, or points of one time: there is no telling. */
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
 * Student's t for 95 % on both sides, by Cornish and Fisher's expansion: with few points the familiar two standard errors are
 * too little. Good to 2 % from four degrees of freedom on, and too small below.
 */
function studentQuantile(freedom: number): number {
  const z = 1.96;
  return z + (z ** 3 + z) / (4 * freedom) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * freedom ** 2);
}

/** The middle value, or the mean of the middle two; NaN of none. */
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
