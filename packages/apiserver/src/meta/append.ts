/**
 * Adds the items to the end of the list. `list.push(...items)` passes each item as an argument of one call,
 * and a call with some 120,000 arguments overflows the stack.
 */
export function append<T>(list: T[], items: Iterable<NoInfer<T>>): void {
  for (const item of items) {
    list.push(item);
  }
}
