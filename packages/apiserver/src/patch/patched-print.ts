import { type Json, type JsonObject, isObject } from '../meta/json.ts';

/*
 * Formats a patched object as messages show it. Go's JSON patch library rewrites the parts that a patch
 * touches, with sorted keys, and leaves the text of everything else as it was.
 */

export function printMerged(patched: Json, patch: Json): string {
  return JSON.stringify(sortedAlong(patched, patch));
}

/** Returns the result of a merge patch, with keys ordered as Go's library writes them. */
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

/** Returns a copy with the keys of all objects sorted. */
export function sortedWhole(value: Json): Json {
  if (Array.isArray(value)) {
    return value.map(sortedWhole);
  }
  return isObject(value) ? mapSorted(value, sortedWhole) : value;
}

/** Formats the result of a JSON patch, whose operations are given. */
export function printPatched(patched: Json, patch: Json): string {
  return JSON.stringify(sortedByOperations(patched, patch));
}

/** Returns the result of a JSON patch, with keys ordered as Go's library writes them. */
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
