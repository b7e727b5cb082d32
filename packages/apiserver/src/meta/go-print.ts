import { type Json, type JsonObject, isObject } from './json.ts';

/** Formats a value as Go's %v does, which some messages of the API server show. */
export function goPrint(value: Json | undefined): string {
  if (value === null || value === undefined) {
    return '<nil>';
  }
  if (Array.isArray(value)) {
    return `[${value.map(goPrint).join(' ')}]`;
  }
  if (isObject(value)) {
    const fields: JsonObject = value;
    return `map[${Object.keys(fields)
      .sort()
      .map((key) => `${key}:${goPrint(fields[key])}`)
      .join(' ')}]`;
  }
  return String(value);
}

/** The Go type that encoding/json decodes a value into. */
export function goTypeOf(value: Json): string {
  if (value === null) {
    return '<nil>';
  }
  if (typeof value === 'number') {
    return Number.isInteger(value) ? 'int64' : 'float64';
  }
  if (Array.isArray(value)) {
    return '[]interface {}';
  }
  return typeof value === 'boolean'
    ? 'bool'
    : typeof value === 'string'
      ? 'string'
      : 'map[string]interface {}';
}

/** Copies a map with sorted keys, which is the order in which Go writes it. */
export function inKeyOrder<Value extends Json>(
  map: Readonly<Record<string, Value>>,
): { [key: string]: Value } {
  return Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** JSON as Go's json package writes it, with characters escaped that have a meaning in HTML. */
export function goJson(value: Json): string {
  return JSON.stringify(value).replaceAll(
    /[<>&]/g,
    (character) => `\\u00${character.charCodeAt(0).toString(16)}`,
  );
}
