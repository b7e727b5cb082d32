import { compileFilter, isList, type FieldTree } from './field-tree.ts';
import type { Message, Scalar, WireField } from './kubernetes-messages.ts';

/**
 * Returns the function that keeps the tree's fields of an object parsed from JSON.
 *
 * @param what names the object in errors. The function throws an Error if a message or list of the tree is
 *   something else, or a value is not of the type that `message` has for it.
 * @param message the fields with known types; values of other fields are kept whatever they are.
 */
export function compileJson<T extends object>(
  tree: FieldTree,
  what = 'it',
  message: Message = {},
): (object: T) => T {
  const fields = Object.entries(tree).map(
    ([name, kept]) => [name, compileField(name, kept, message[name])] as const,
  );
  return (object) => {
    mustBeMessage(object, what);
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

function compileField(
  name: string,
  kept: FieldTree[string],
  field: WireField | undefined,
): (value: never) => unknown {
  if (kept === true) {
    return field === undefined ? (value) => value : compileValue(name, field);
  }
  const message = typeof field?.type === 'object' ? field.type : {};
  if (!isList(kept)) {
    return field?.form === 'map' ? compileMap(name, kept, field) : compileJson(kept, name, message);
  }
  const keep = compileJson(kept[0], name, message);
  const isKept = compileFilter(kept);
  return (all: readonly object[]) => {
    mustBeList(all, name);
    const left = all.map(keep).filter(isKept);
    return left.length === 0 && all.length > 0 ? undefined : left;
  };
}

/** Compiles a value, list or map that is kept whole. */
function compileValue(name: string, { type, form }: WireField): (value: unknown) => unknown {
  if (typeof type === 'object') {
    return (value) => value;
  }
  switch (form) {
    case 'one':
      return (value) => {
        mustBe(type, value, name);
        return value;
      };
    case 'list':
      return (value) => {
        mustBeList(value, name);
        // A loop with an index is faster, and lists are read for each arriving object.
        for (let index = 0; index < value.length; index++) {
          mustBe(type, value[index], name);
        }
        return value;
      };
    case 'map':
      return (value) => {
        mustBeMessage(value, name);
        for (const each of Object.values(value)) {
          mustBe(type, each, name);
        }
        return value;
      };
  }
}

/** Keeps the named entries of a map; the other entries are not checked. */
function compileMap(name: string, kept: FieldTree, { type }: WireField): (value: never) => unknown {
  const entries = Object.keys(kept);
  return (map: object) => {
    mustBeMessage(map, name);
    const result: Record<string, unknown> = {};
    for (const entry of entries) {
      const value = Object.hasOwn(map, entry) ? (map as Readonly<Record<string, unknown>>)[entry] : undefined;
      if (value !== undefined && value !== null) {
        if (typeof type === 'string') {
          mustBe(type, value, name);
        }
        result[entry] = value;
      }
    }
    return result;
  };
}

/** The JSON type of each scalar, by `typeof`. A quantity can be a number there. */
const javaScriptTypes: Readonly<Record<Scalar, string | undefined>> = {
  string: 'string',
  word: 'string',
  integer: 'number',
  boolean: 'boolean',
  time: 'string',
  quantity: undefined,
};

const words: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'number',
  boolean: 'true or false',
};

function mustBe(type: Scalar, value: unknown, name: string): void {
  const expected = javaScriptTypes[type];
  if (expected !== undefined && typeof value !== expected) {
    throw new Error(`"${name}" is no ${words[expected] ?? expected}`);
  }
}

function mustBeList(value: unknown, name: string): asserts value is readonly unknown[] {
  if (!Array.isArray(value)) {
    throw new Error(`"${name}" is no list`);
  }
}

function mustBeMessage(value: unknown, name: string): asserts value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Error(`"${name}" is no object`);
  }
}
