/** A set whose values are taken in the order in which they were added. */
export interface FifoSet {
  has(value: string): boolean;
  add(value: string): void;
  delete(value: string): boolean;
  /** Takes the oldest value. */
  shift(): string | undefined;
  readonly size: number;
}

/**
 * Creates an empty set. A Set is already ordered, but each new iterator steps over the places of all values
 * deleted before its first one: a million shifts would take two minutes. So one iterator is kept; it also
 * sees values added later.
 */
export function createFifoSet(): FifoSet {
  const values = new Set<string>();
  let iterator = values.values();
  return {
    has: (value) => values.has(value),
    add: (value) => values.add(value),
    delete: (value) => values.delete(value),
    shift: () => {
      let next = iterator.next();
      if (next.done === true) {
        iterator = values.values();
        next = iterator.next();
      }
      if (next.done === true) {
        return undefined;
      }
      values.delete(next.value);
      return next.value;
    },
    get size() {
      return values.size;
    },
  };
}
