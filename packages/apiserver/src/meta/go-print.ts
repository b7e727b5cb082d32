import { type Json, type JsonObject, isObject } from './json.ts';

/** A value as Go's %v prints it, which some of the API server's messages show. */
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

/** The type that Go's json gives a value. */
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

/** A map in the order of its keys, in which Go writes it. */
export function inKeyOrder<Value extends Json>(
  map: Readonly<Record<string, Value>>,
): { [key: string]: Value } {
  return Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1)));
}
