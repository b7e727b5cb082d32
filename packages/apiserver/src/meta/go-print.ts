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
