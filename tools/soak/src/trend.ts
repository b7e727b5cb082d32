/** A value at a time. */
export interface Point {
  readonly seconds: number;
  readonly value: number;
}

/** The straight line that fits best, and how well its rise is known. */
export interface Trend {
  /** Rise of the value a second. */
  readonly slope: number;
  /** Of the slope. */
  readonly standardError: number;
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
  return { slope, standardError: Math.sqrt(missed / (points.length - 2) / spread) };
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
