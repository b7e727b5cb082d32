import { compileFilter, isList, type FieldTree } from './field-tree.ts';

/** The function that keeps the tree's fields of an object parsed from JSON. */
export function compileJson<T extends object>(tree: FieldTree): (object: T) => T {
  const fields = Object.entries(tree).map(([name, kept]) => [name, compileField(kept)] as const);
  return (object) => {
    const result: Record<string, unknown> = {};
    for (const [name, keep] of fields) {
      const value = (object as Readonly<Record<string, unknown>>)[name];
      // Go writes null for a time or a list that is not set.
      const left = value === undefined || value === null ? undefined : keep(value as never);
      if (left !== undefined) {
        result[name] = left;
      }
    }
    return result as T;
  };
}

function compileField(kept: FieldTree[string]): (value: never) => unknown {
  if (kept === true) {
    return (value) => value;
  }
  if (!isList(kept)) {
    return compileJson(kept);
  }
  const keep = compileJson(kept[0]);
  const isKept = compileFilter(kept);
  return (all: readonly object[]) => {
    const left = all.map(keep).filter(isKept);
    return left.length === 0 && all.length > 0 ? undefined : left;
  };
}
