import type { FieldError } from '../meta/field-error.ts';
import { type Json, isObject, jsonEqual } from '../meta/json.ts';
import { type SchemaNode, schemaOfField } from '../structural/schema-node.ts';

/*
 * An update may keep what was invalid before (ratcheting). Items of lists of type map are the same if their keys
 * are, wherever they stand.
 */

/** Removes the errors that the old object had too, at values that did not change. */
export function ratcheted(
  errors: readonly FieldError[],
  before: () => readonly FieldError[],
  object: Json,
  old: Json,
  schema: SchemaNode,
): readonly FieldError[] {
  if (errors.length === 0) {
    return errors;
  }
  const memory: Memory = { byKey: new WeakMap(), same: new WeakMap() };
  const known = new Set(before().map((error) => idOf(error, placeOf(error.field, old, old, schema, memory))));
  return errors.filter((error) => {
    const place = placeOf(error.field, object, old, schema, memory);
    return !known.has(idOf(error, place)) || !isSamePlace(place, memory);
  });
}

/** What was found out for one error holds for the next: one list may have tens of thousands of errors. */
interface Memory {
  /** The items of lists of type map. */
  readonly byKey: WeakMap<readonly Json[], ReadonlyMap<string, Json>>;
  /** Whether values are the same as those that were in their place. */
  readonly same: WeakMap<object, boolean>;
}

interface Place {
  /** With the keys of items in place of their index. */
  readonly id: string;
  /**
   * The value and the old value at the place, or at the list above it that is no map: items of such a list
   * cannot be matched with the old ones.
   */
  readonly value: Json | undefined;
  readonly before: Json | undefined;
  readonly node: SchemaNode | undefined;
}

function idOf({ field, message }: FieldError, { id }: Place): string {
  return `${id}: ${message.replaceAll(field, id)}`;
}

function placeOf(field: string, object: Json, old: Json, schema: SchemaNode, memory: Memory): Place {
  const steps = field.split(/[.[\]]+/).filter((step) => step !== '');
  const names: string[] = [];
  let [value, before]: (Json | undefined)[] = [object, old];
  let node: SchemaNode | undefined = schema;
  for (const [index, step] of steps.entries()) {
    if (node?.type === 'array' && node['x-kubernetes-list-type'] !== 'map') {
      return { id: [...names, ...steps.slice(index)].join('.'), value, before, node };
    }
    if (node?.type === 'array') {
      const { keys, items }: { keys: readonly string[]; items: SchemaNode } = keysAndItems(node);
      value = Array.isArray(value) ? value[Number(step)] : undefined;
      const key = keyOf(value, keys, items);
      before = Array.isArray(before) ? itemsByKey(before, keys, items, memory).get(key) : undefined;
      names.push(key);
      node = items;
    } else {
      value = isObject(value) ? value[step] : undefined;
      before = isObject(before) ? before[step] : undefined;
      names.push(step);
      node = node && schemaOfField(node, step);
    }
  }
  return { id: names.join('.'), value, before, node };
}

function itemsByKey(
  list: readonly Json[],
  keys: readonly string[],
  items: SchemaNode,
  { byKey }: Memory,
): ReadonlyMap<string, Json> {
  let found = byKey.get(list);
  if (found === undefined) {
    // The first of several items with the same key counts.
    found = new Map(list.toReversed().map((item) => [keyOf(item, keys, items), item]));
    byKey.set(list, found);
  }
  return found;
}

function keysAndItems(node: SchemaNode): { keys: readonly string[]; items: SchemaNode } {
  return { keys: node['x-kubernetes-list-map-keys'] ?? [], items: node.items ?? {} };
}

function keyOf(item: Json | undefined, keys: readonly string[], { properties = {} }: SchemaNode): string {
  const fields = isObject(item) ? item : {};
  return JSON.stringify(keys.map((key) => fields[key] ?? properties[key]?.default ?? null));
}

function isSamePlace({ value, before, node }: Place, { same }: Memory): boolean {
  if (typeof value !== 'object' || value === null) {
    return isSame(value, before, node);
  }
  let found = same.get(value);
  if (found === undefined) {
    found = isSame(value, before, node);
    same.set(value, found);
  }
  return found;
}

function isSame(value: Json | undefined, before: Json | undefined, node: SchemaNode | undefined): boolean {
  if (Array.isArray(value) && Array.isArray(before) && node?.['x-kubernetes-list-type'] === 'map') {
    const { keys, items } = keysAndItems(node);
    const byKey = new Map(before.map((item) => [keyOf(item, keys, items), item]));
    return (
      value.length === before.length &&
      value.every((item) => isSame(item, byKey.get(keyOf(item, keys, items)), items))
    );
  }
  if (isObject(value) && isObject(before)) {
    const fields = Object.keys(value);
    return (
      fields.length === Object.keys(before).length &&
      fields.every((field) => isSame(value[field], before[field], node && schemaOfField(node, field)))
    );
  }
  return jsonEqual(value ?? null, before ?? null);
}
