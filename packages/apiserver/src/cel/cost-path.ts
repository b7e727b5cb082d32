/*
 * The path from a variable down to a value, as cel-go keeps it. cel-go appends to Go slices, which share
 * memory while they have room, so extending one path twice overwrites the last step of the first result.
 * cel-go's estimates depend on that: in `self.list.all(x, x.a.all(y, x.b == y))` it asks for the size of
 * `x.a` when that path has already become the path of `x.b`.
 */

export interface CostPath {
  readonly room: { readonly steps: string[]; readonly size: number };
  readonly length: number;
}

/** @param path undefined: the step is the name of a variable */
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
