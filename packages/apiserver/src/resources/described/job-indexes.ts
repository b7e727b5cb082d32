/* Parses the indexes of a job's pods: ascending numbers and ranges, such as 1,3-5,7. */

interface Interval {
  readonly first: number;
  readonly last: number;
}

/** The number of indexes in a valid text, or the error in an invalid one. */
export type Indexes = { readonly total: number } | { readonly problem: string };

/** @param completions of the job; valid indexes are lower */
export function readIndexes(text: string, completions: number): Indexes {
  let total = 0;
  let previous: number | undefined;
  for (const part of text === '' ? [] : text.split(',')) {
    const interval = readInterval(part, completions);
    if (typeof interval === 'string') {
      return { problem: interval };
    }
    if (previous !== undefined && previous >= interval.first) {
      return { problem: nonIncreasing(previous, interval.first) };
    }
    total += interval.last - interval.first + 1;
    previous = interval.last;
  }
  return { total };
}

const nonIncreasing = (previous: number, current: number): string =>
  `non-increasing order, previous: ${previous}, current: ${current}`;

function readInterval(text: string, completions: number): Interval | string {
  const limits = text.split('-');
  if (limits.length > 2) {
    return `the fragment ${JSON.stringify(text)} violates the requirement that an index interval can have at most two parts separated by '-'`;
  }
  const read = (limit: string): number | string => {
    if (!/^\+?\d+$/.test(limit)) {
      return `cannot convert string to integer for index: ${JSON.stringify(limit)}`;
    }
    return Number(limit) >= completions ? `too large index: ${JSON.stringify(limit)}` : Number(limit);
  };
  const first = read(limits[0] ?? '');
  if (typeof first === 'string') {
    return first;
  }
  const last = limits[1] === undefined ? first : read(limits[1]);
  if (typeof last === 'string') {
    return last;
  }
  return limits.length === 2 && first >= last ? nonIncreasing(first, last) : { first, last };
}

/** The first index that occurs in both texts. Invalid intervals are skipped. */
export function sharedIndex(some: string, others: string, completions: number): number | undefined {
  const read = (text: string): Interval[] =>
    (text === '' ? [] : text.split(','))
      .map((part) => readInterval(part, completions))
      .filter((interval) => typeof interval !== 'string');
  const theirs = read(others);
  const mine = read(some);
  let [at, other] = [0, 0];
  for (;;) {
    const [a, b] = [mine[at], theirs[other]];
    if (a === undefined || b === undefined) {
      return undefined;
    }
    if (a.first <= b.last && b.first <= a.last) {
      return Math.max(a.first, b.first);
    }
    if (a.first <= b.first) {
      at++;
    } else {
      other++;
    }
  }
}
