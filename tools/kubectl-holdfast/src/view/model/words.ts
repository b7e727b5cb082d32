import type { Group, Item } from './picture.ts';

export const kindWords = {
  set: 'StatefulSet',
  pod: 'pod',
  claim: 'claim',
  volume: 'volume',
  class: 'class',
} as const;

/** `1,234` */
export function counted(count: number, one: string, several = `${one}s`): string {
  return `${count.toString().replace(/\B(?=(\d{3})+$)/g, ',')} ${count === 1 ? one : several}`;
}

/** `a, b, c, d, e and 1,995 more`. An object can have thousands of finalizers. */
export function listed(names: readonly string[]): string {
  return names.length <= 6
    ? names.join(', ')
    : `${names.slice(0, 5).join(', ')} and ${counted(names.length - 5, 'more', 'more')}`;
}

/** `2 d 3 h`, `29 min 30 s`, `0 s`: two units, rounded down; `0 s` for a time in the past. */
export function timeLeft(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1_000));
  const units = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3_600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ] as const;
  const first = units.findIndex(([count]) => count > 0);
  return first === -1
    ? '0 s'
    : units
        .slice(first, first + 2)
        .map(([count, unit]) => `${String(count)} ${unit}`)
        .join(' ');
}

/** Describes the mark of an item at this time; undefined if it has none. */
export function markWords({ mark }: Item, now: number): string | undefined {
  if (mark === undefined) {
    return undefined;
  }
  if (mark.due === undefined) {
    return 'marked for deletion, but its time is invalid: nothing is deleted';
  }
  const [later, due] = mark.isEarliest === true ? [' at the earliest', ', or waits'] : ['', ''];
  return mark.due > now ? `goes in ${timeLeft(mark.due - now)}${later}` : `is due to be deleted${due}`;
}

export function deletionWords({ deletedAt, heldBy }: Item): string | undefined {
  return deletedAt === undefined ? undefined : `being deleted, held by ${heldBy ?? 'nobody'}`;
}

/** The finalizers of an object that is being deleted are described as what holds it. */
export function finalizerWords({ finalizers, deletedAt }: Item): string | undefined {
  return finalizers.length === 0 || deletedAt !== undefined
    ? undefined
    : `${finalizers.length === 1 ? 'finalizer' : 'finalizers'} ${listed(finalizers)}`;
}

/** Everything about an item in one sentence, for screen readers. */
export function spoken(item: Item, now: number): string {
  return [
    `${kindWords[item.kind]} ${item.name}`,
    item.state,
    deletionWords(item),
    markWords(item, now),
    finalizerWords(item),
  ]
    .filter((each) => each !== undefined)
    .join(', ');
}

/** `3 claims, 1 being deleted, 1 in an undo window` */
export function summary({ items }: Group): string {
  const claims = items.filter(({ kind }) => kind === 'claim').length;
  const volumes = items.filter(({ kind }) => kind === 'volume').length;
  const deleted = items.filter(({ deletedAt }) => deletedAt !== undefined).length;
  const marked = items.filter(({ mark }) => mark !== undefined).length;
  return [
    claims > 0 || volumes === 0 ? counted(claims, 'claim') : counted(volumes, 'volume'),
    ...(deleted > 0 ? [`${counted(deleted, 'object')} being deleted`] : []),
    ...(marked > 0 ? [`${String(marked)} in an undo window`] : []),
  ].join(', ');
}
