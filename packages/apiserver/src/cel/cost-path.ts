/*
 * From a variable down to a value, as cel-go keeps it: slices that are extended share what they have in common as long as there is room, so that the
 * second extension of a path changes the last step of the first. Costs of cel-go depend on it: in `self.list.all(x, x.a.all(y, x.b == y))` the size
 * of `x.a` is asked for when its path has become that of `x.b`.
 */

export interface CostPath {
  readonly room: { readonly steps: string[]; readonly size: number };
  readonly length: number;
}

/** @param path undefined: from no variable */
export function extended(path: CostPath | undefined, step: string): CostPath {
  if (path === undefined) {
    return { room: { steps: [step], size: 1 }, length: 1 };
  }
  const { room, length } = path;
  if (length < room.size) {
    room.steps[length] = step;
    return { room, length: length + 1 };
  }
  return { room: { steps: [...room.steps.slice(0, length), step], size: room.size * 2 }, length: length + 1 };
}

/** The steps after the variable. */
export function stepsOf({ room, length }: CostPath): readonly string[] {
  return room.steps.slice(1, length);
}
