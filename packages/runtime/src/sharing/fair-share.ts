/** Places of which each group has some, and no group all. */
export interface FairShare {
  /** Whether the group may have another place now. */
  mayTake(group: string): boolean;
  take(group: string): void;
  giveBack(group: string): void;
}

/**
 * A group may have another place while more are free than it has. So a group that is alone gets half of the places, the next one half
 * of those that are left, and so on; nobody has to say how many groups there are, and what one group gives back the others may have.
 * Of 20 places, five groups that give none back can take the last.
 *
 * The rule is that of the dynamic threshold for the buffers of a switch, Choudhury and Hahne 1998.
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
