/** Places that groups share, so that no group has all of them. */
export interface FairShare {
  /** Returns whether the group can have another place now. */
  mayTake(group: string): boolean;
  take(group: string): void;
  giveBack(group: string): void;
}

/**
 * Creates places of which a group can have another one while more are free than it has. So a group that is
 * alone gets half of the places, the next one half of the rest, and so on. The number of groups need not be
 * known, and what one group gives back is available to the others. Of 20 places, five groups that return none
 * can take the last one.
 *
 * The rule is the dynamic threshold for switch buffers by Choudhury and Hahne, 1998.
 */
export function createFairShare(places: number): FairShare {
  const taken = new Map<string, number>();
  let free = places;
  return {
    mayTake: (group) => (taken.get(group) ?? 0) < free,
    take: (group) => {
      taken.set(group, (taken.get(group) ?? 0) + 1);
      free -= 1;
    },
    giveBack: (group) => {
      const left = (taken.get(group) ?? 0) - 1;
      if (left > 0) {
        taken.set(group, left);
      } else {
        taken.delete(group);
      }
      free += 1;
    },
  };
}
