import { compileFilter, isList, type FieldTree } from './field-tree.ts';

/**
 * The function that keeps the tree's fields of an object parsed from JSON.
 *
 * @param what names the object in errors. The function throws an Error when a message or list of the tree is something else.
 */
export function compileJson<T extends object>(tree: FieldTree, what = 'it'): (object: T) => T {
  const fields = Object.entries(tree).map(([name, kept]) => [name, compileField(name, kept)] as const);
  return (object) => {
    if (typeof object !== 'object' || (object as T | null) === null || Array.isArray(object)) {
      throw new Error(`"${what}" is no object`);
    }
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

function compileField(name: string, kept: FieldTree[string]): (value: never) => unknown {
  if (kept === true) {
    return (value) => value;
  }
  if (!isList(kept)) {
    return compileJson(kept, name);
  }
  const keep = compileJson(kept[0], name);
  const isKept = compileFilter(kept);
  return (all: readonly object[]) => {
    if (!Array.isArray(all)) {
      throw new Error(`"${name}" is no list`);
    }
    const left = all.map(keep).filter(isKept);
    return left.length === 0 && all.length > 0 ? undefined : left;
  };
}
