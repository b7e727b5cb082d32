import { nearOf } from './near.ts';
import type { Group, Item, Link } from './picture.ts';

export interface Choice {
  /** Part of a name; empty: all. */
  readonly text: string;
  /** Whether to show only what is being deleted or in an undo window, and what is related to it. */
  readonly goingOnly: boolean;
}

/** The number of rows that are drawn at a time: more would be slow and hard to read. */
export const rowsAtATime = 50;

/** The number of boxes next to a row: thousands of pods can share a claim. */
const mostBeside = 20;

const isGoing = ({ deletedAt, mark }: Item): boolean => deletedAt !== undefined || mark !== undefined;

const holds = (text: string, part: string): boolean => text.toLowerCase().includes(part.trim().toLowerCase());

/** Returns the groups with at least one match, sorted by title. */
export function chosenGroups(groups: Iterable<Group>, choice: Choice): readonly Group[] {
  return [...groups]
    .filter((group) => anchorsOf(group, choice).length > 0 || (isEmpty(choice) && group.items.length > 0))
    .toSorted((a, b) => inOrder(a.title, b.title));
}

const isEmpty = ({ text, goingOnly }: Choice): boolean => text.trim() === '' && !goingOnly;

export interface Part {
  readonly items: readonly Item[];
  readonly links: readonly Link[];
  /** The number of rows before the page, and in it; `of` counts all matches. */
  readonly first: number;
  readonly count: number;
  readonly of: number;
  /** The number of linked boxes that were left out, because each row shows at most twenty. */
  readonly leftOut: number;
}

/**
 * Returns a page of the matches in a group. The rows are claims, and the volumes and pods without a claim;
 * everything that a row is linked with is included.
 *
 * @param page counted from 0; a page beyond the last shows the last one
 */
export function partOf(group: Group, choice: Choice, page: number): Part {
  const anchors = anchorsOf(group, choice);
  const last = Math.max(0, Math.ceil(anchors.length / rowsAtATime) - 1);
  const first = Math.min(Math.max(0, page), last) * rowsAtATime;
  const rows = anchors.slice(first, first + rowsAtATime);
  const shown = new Set(rows.map(({ id }) => id));
  const kindOf = new Map(group.items.map(({ id, kind }) => [id, kind]));
  const left = new Set<string>();
  for (const [, beside] of besideRows(group, shown, choice)) {
    beside.slice(0, mostBeside).forEach((id) => shown.add(id));
    beside.slice(mostBeside).forEach((id) => left.add(id));
  }
  for (const { from, to } of group.links) {
    // Goes one step further, from a volume to its class and from a pod to its set, and never back to other
    // rows.
    if (shown.has(from) && kindOf.get(to) === 'class') {
      shown.add(to);
    }
    if (shown.has(to) && kindOf.get(from) === 'set') {
      shown.add(from);
    }
  }
  return {
    items: group.items.filter(({ id, kind }) => shown.has(id) || (kind === 'set' && isEmpty(choice))),
    links: group.links.filter(({ from, to }) => shown.has(from) && shown.has(to)),
    ...{ first, count: rows.length, of: anchors.length },
    leftOut: [...left].filter((id) => !shown.has(id)).length,
  };
}

/** Returns what each row is linked with: matches of the search first, then what holds. */
function besideRows(
  { items, links }: Group,
  rows: ReadonlySet<string>,
  { text }: Choice,
): ReadonlyMap<string, readonly string[]> {
  const byId = new Map(items.map((item) => [item.id, item]));
  const beside = new Map<string, Map<string, number>>();
  const note = (row: string, other: string, isHolding: boolean): void => {
    if (!rows.has(row)) {
      return;
    }
    const item = byId.get(other);
    const isPod = item?.kind === 'pod';
    const isWanted = text.trim() !== '' && item !== undefined && holds(item.name, text);
    const rank = (isWanted ? 0 : 4) + (isPod ? 2 : 0) + (isHolding ? 0 : 1);
    const known = beside.get(row) ?? new Map<string, number>();
    beside.set(row, known.set(other, Math.min(rank, known.get(other) ?? rank)));
  };
  for (const { from, to, kind } of links) {
    note(from, to, kind === 'holds');
    note(to, from, kind === 'holds');
  }
  return new Map(
    [...beside].map(([row, ranks]) => [row, [...ranks].toSorted(([, a], [, b]) => a - b).map(([id]) => id)]),
  );
}

function anchorsOf(group: Group, choice: Choice): readonly Item[] {
  const { text, goingOnly } = choice;
  const kindOf = new Map(group.items.map(({ id, kind }) => [id, kind]));
  const near = nearOf(group.links);
  const byId = new Map(group.items.map((item) => [item.id, item]));
  const rows = group.items.filter(
    ({ id, kind }) =>
      kind === 'claim' ||
      ((kind === 'pod' || kind === 'volume') &&
        !(near.get(id) ?? []).some((other) => kindOf.get(other) === 'claim')),
  );
  const all = holds(group.title, text);
  const isAbout = (item: Item): boolean => {
    const about = [item, ...(near.get(item.id) ?? []).flatMap((id) => byId.get(id) ?? [])];
    return (
      (all || about.some(({ kind, name }) => kind !== 'set' && holds(name, text))) &&
      (!goingOnly || about.some(isGoing))
    );
  };
  return rows.filter(isAbout).toSorted((a, b) => inOrder(a.name, b.name));
}

/**
 * Compares numbers within names by value: web-2 before web-10. The locale is fixed, so that the order is the
 * same in every browser.
 */
const collator = new Intl.Collator('en', { numeric: true });
export const inOrder = (a: string, b: string): number =>
  collator.compare(a, b) || (a < b ? -1 : a > b ? 1 : 0);
