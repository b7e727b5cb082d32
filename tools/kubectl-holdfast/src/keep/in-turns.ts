/**
 * Reorders what waits so that namespaces take turns, with one object each, those that come first in the given order
 * beginning. Each object takes requests, and a user with thousands in one namespace, with whatever times, must not have
 * those of others wait until they are gone.
 */
export function inTurns<T extends { readonly namespace: string }>(waiting: readonly T[]): readonly T[] {
  const turns = new Map<string, number>();
  return waiting
    .map((each) => {
      const turn = turns.get(each.namespace) ?? 0;
      turns.set(each.namespace, turn + 1);
      return { each, turn };
    })
    .toSorted((a, b) => a.turn - b.turn)
    .map(({ each }) => each);
}
