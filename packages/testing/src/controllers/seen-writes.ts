/**
 * The writes that a controller has seen, by resourceVersion. Each write raises the version of the whole store
 * of a Kubernetes API by one. So a controller that has seen every number up to the present one has seen
 * everything, and need not list everything to find out. A number that it has not seen is a write of a kind
 * that it does not watch, or a write whose event is still on its way: then it has to ask.
 */
export interface SeenWrites {
  /** Records a write at this version. */
  add(version: string): void;
  /** Records that everything up to this version was seen in some way. */
  completeAt(version: string): void;
  /** Whether every write up to this version was seen. */
  isComplete(version: string): boolean;
}

/**
 * How many versions are remembered for a controller that never asks. Once older ones are forgotten, the
 * answer is that something is missing.
 */
const limit = 10_000;

export function createSeenWrites(): SeenWrites {
  const seen = new Set<number>();
  let complete: number | undefined;

  function completeAt(version: number): void {
    complete = Math.max(version, complete ?? version);
    for (const number of seen) {
      if (number <= complete) {
        seen.delete(number);
      }
    }
  }

  return {
    add(version) {
      seen.add(Number(version));
      if (seen.size > limit) {
        const [oldest = 0] = seen;
        seen.delete(oldest);
      }
    },
    completeAt: (version) => completeAt(Number(version)),
    isComplete(version) {
      if (complete === undefined) {
        return false;
      }
      let next = complete;
      while (next < Number(version) && seen.has(next + 1)) {
        next += 1;
      }
      completeAt(next);
      return next >= Number(version);
    },
  };
}
