import { type Json, type JsonObject, isObject } from '../meta/json.ts';

/*
 * A patched object as messages show it: Go's JSON patch library writes what a patch went through anew, with the keys in
 * order, and leaves the text of all else as it was.
 */

export function printMerged(patched: Json, patch: Json): string {
  return JSON.stringify(sortedAlong(patched, patch));
}

/** What a merge patch made, as Go's library writes it. */
export function sortedAlong(value: Json, patch: Json): Json {
  if (Array.isArray(patch)) {
    return sortedWhole(value);
  }
  if (!isObject(value) || !isObject(patch)) {
    return value;
  }
  return mapSorted(value, (item, key) => {
    const change = patch[key];
    return change === undefined ? item : sortedAlong(item, change);
  });
}

/** A copy with the keys of all objects in order. */
export function sortedWhole(value: Json): Json {
  if (Array.isArray(value)) {
    return value.map(sortedWhole);
  }
  return isObject(value) ? mapSorted(value, sortedWhole) : value;
}

/** The patch is the list of operations of a JSON patch. */
export function printPatched(patched: Json, patch: Json): string {
  return JSON.stringify(sortedByOperations(patched, patch));
}

/** What a JSON patch made, as Go's library writes it. */
export function sortedByOperations(patched: Json, patch: Json): Json {
  const paths = (Array.isArray(patch) ? patch : [])
    .flatMap((operation) => (isObject(operation) ? [operation['path'], operation['from']] : []))
    .filter((path) => typeof path === 'string')
    .map((path) => path.split('/').slice(1, -1));
  return sortedOnWay(patched, [[], ...paths]);
}

function sortedOnWay(value: Json, ways: readonly (readonly string[])[]): Json {
  if (ways.length === 0) {
    return value;
  }
  const below = (key: string): string[][] => ways.filter((way) => way[0] === key).map((way) => way.slice(1));
  if (Array.isArray(value)) {
    return value.map((item, index) => sortedOnWay(item, below(String(index))));
  }
  return isObject(value) ? mapSorted(value, (item, key) => sortedOnWay(item, below(key))) : value;
}

function mapSorted(object: JsonObject, change: (item: Json, key: string) => Json): JsonObject {
  return Object.fromEntries(
    Object.keys(object)
      .sort()
      .map((key) => [key, change(object[key] ?? null, key)]),
  );
}
