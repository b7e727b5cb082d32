/** A set that is taken from in the order of adding. */
export interface FifoSet {
  has(value: string): boolean;
  add(value: string): void;
  delete(value: string): boolean;
  /** Takes the oldest. */
  shift(): string | undefined;
  readonly size: number;
}

/**
 * A Set is ordered already, but each new iterator steps over the places of all that was deleted before its first value: a
 * million shifts would take minutes. One iterator is kept, which sees what is added after it was made.
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
