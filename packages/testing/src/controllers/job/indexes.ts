import type { Pod } from '@holdfast/core';

/**
 * The indexes of an Indexed Job: which pod has which index, and lists of indexes as in a status, such as
 * `0,2-4`.
 */

export const indexAnnotation = 'batch.kubernetes.io/job-completion-index';

/** The completion index of a pod; undefined if it has none. */
export function indexOf({ metadata }: Pod): number | undefined {
  const text = metadata.annotations?.[indexAnnotation];
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
}

/** The indexes in a list that are below `completions`; entries that are not numbers are ignored. */
export function parseIndexes(list: string | undefined, completions: number): ReadonlySet<number> {
  const indexes = new Set<number>();
  for (const part of (list ?? '').split(',')) {
    const [, first, last = first] = /^(\d+)(?:-(\d+))?$/.exec(part) ?? [];
    if (first !== undefined) {
      for (let index = Number(first); index <= Math.min(Number(last), completions - 1); index += 1) {
        indexes.add(index);
      }
    }
  }
  return indexes;
}

/** Writes three or more consecutive indexes as a range, but not two. */
export function formatIndexes(indexes: ReadonlySet<number>): string {
  const ranges: { readonly first: number; last: number }[] = [];
  for (const index of [...indexes].sort((a, b) => a - b)) {
    const range = ranges.at(-1);
    if (range !== undefined && range.last === index - 1) {
      range.last = index;
    } else {
      ranges.push({ first: index, last: index });
    }
  }
  return ranges
    .map(({ first, last }) => (first === last ? first : `${first}${last === first + 1 ? ',' : '-'}${last}`))
    .join(',');
}

/** The lowest indexes that are not taken. */
export function freeIndexes(
  taken: ReadonlySet<number>,
  completions: number,
  count: number,
): readonly number[] {
  const free: number[] = [];
  for (let index = 0; index < completions && free.length < count; index += 1) {
    if (!taken.has(index)) {
      free.push(index);
    }
  }
  return free;
}
