import type { Link } from './picture.ts';

/** Returns, for each ID, the IDs that it is linked with, in either direction. */
export function nearOf(links: readonly Link[]): ReadonlyMap<string, readonly string[]> {
  const near = new Map<string, string[]>();
  const note = (id: string, other: string): void => {
    const known = near.get(id);
    if (known === undefined) {
      near.set(id, [other]);
    } else {
      known.push(other);
    }
  };
  for (const { from, to } of links) {
    note(from, to);
    note(to, from);
  }
  return near;
}
