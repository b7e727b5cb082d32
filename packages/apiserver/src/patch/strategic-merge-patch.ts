import { goPrint } from '../meta/go-print.ts';
import { type Json, type JsonObject, cloneJson, isObject, jsonEqual, withoutFields } from '../meta/json.ts';
import { internalError } from '../meta/status-error.ts';
import { type FieldSchema, type FieldType, structSchema } from '../schema/schema.ts';

/*
 * Strategic merge patch (k8s.io/apimachinery/pkg/util/strategicpatch): lists are merged by the key that their
 * Go type names. Only the API server and Go clients implement it; there is no package for it.
 */

const directive = '$patch';
const retainKeys = '$retainKeys';
const deletePrefix = '$deleteFromPrimitiveList/';
const orderPrefix = '$setElementOrder/';

/**
 * Returns a new object and leaves the target unchanged. Like the real server, throws 500 for an invalid
 * directive or list item.
 */
export function applyStrategicMergePatch(target: JsonObject, patch: JsonObject, struct: string): JsonObject {
  return mergeObject(target, patch, { kind: 'struct', name: struct });
}

function mergeObject(target: JsonObject, patch: JsonObject, type: FieldType | undefined): JsonObject {
  const instruction = patch[directive];
  if (instruction === 'replace') {
    return cloneJson(withoutFields(patch, [directive]));
  }
  if (instruction === 'delete') {
    return {};
  }
  if (instruction !== undefined) {
    throw internalError(`unknown patch type: ${goPrint(instruction)} in map: ${goPrint(patch)}`);
  }

  const kept = patch[retainKeys];
  const dropped = Object.keys(target).filter(
    (key) => patch[key] === null || (Array.isArray(kept) && !kept.includes(key)),
  );
  const result = withoutFields(target, dropped);

  for (const key in patch) {
    if (!key.startsWith(deletePrefix)) {
      continue;
    }
    const field = key.slice(deletePrefix.length);
    const list = result[field];
    const unwanted = patch[key];
    if (Array.isArray(list) && Array.isArray(unwanted)) {
      result[field] = list.filter((item) => !unwanted.some((other) => jsonEqual(item, other)));
    }
  }

  for (const key in patch) {
    if (key === directive || key === retainKeys || key.startsWith(deletePrefix)) {
      continue;
    }
    if (key.startsWith(orderPrefix)) {
      const field = key.slice(orderPrefix.length);
      const list = result[field];
      if (patch[field] === undefined && Array.isArray(list)) {
        const mergeKey = fieldOf(type, field)?.patchMergeKey;
        result[field] = reorder(list, list, byKey(patch[key] ?? null, mergeKey), mergeKey);
      }
      continue;
    }
    const value = patch[key];
    if (value === undefined || value === null) {
      continue;
    }
    const existing = result[key];
    const field = fieldOf(type, key);
    const childType = field === undefined ? elementOf(type) : unwrap(field.type);
    if (isObject(value)) {
      result[key] = mergeObject(isObject(existing) ? existing : {}, value, childType);
    } else if (Array.isArray(value) && field?.patchMerge === true) {
      const before = Array.isArray(existing) ? existing : [];
      // Items take the order in which the patch lists them, but an explicit order for the whole list
      // overrides that.
      const merged = reorder(mergeList(before, value, field), before, value, field.patchMergeKey);
      const order = patch[orderPrefix + key] ?? null;
      result[key] = reorder(merged, before, byKey(order, field.patchMergeKey), field.patchMergeKey);
    } else {
      result[key] = cloneJson<Json>(value);
    }
  }
  return result;
}

function mergeList(target: readonly Json[], patch: readonly Json[], field: FieldSchema): Json[] {
  const key = field.patchMergeKey;
  if (key === undefined) {
    const result: Json[] = [];
    // Merging also removes duplicates that the list already had.
    for (const item of [...target, ...patch]) {
      if (!result.some((other) => jsonEqual(item, other))) {
        result.push(item);
      }
    }
    return result;
  }
  const itemType = elementOf(unwrap(field.type));
  const replacesAll = patch.some(
    (item) => isObject(item) && item[directive] === 'replace' && item[key] === undefined,
  );
  let result: Json[] = replacesAll ? [] : [...target];
  for (const item of patch) {
    if (!isObject(item)) {
      throw internalError(`invalid patch: items of ${field.name} must be objects`);
    }
    const id = item[key];
    if (id === undefined) {
      if (item[directive] === 'replace') {
        continue;
      }
      throw internalError(`map: ${goPrint(item)} does not contain declared merge key: ${key}`);
    }
    const isSame = (other: Json): boolean => isObject(other) && jsonEqual(other[key], id);
    if (item[directive] === 'delete') {
      result = result.filter((other) => !isSame(other));
      continue;
    }
    const position = result.findIndex(isSame);
    const before = result[position];
    if (position >= 0 && isObject(before)) {
      result[position] = mergeObject(before, item, itemType);
    } else {
      result.push(mergeObject({}, item, itemType));
    }
  }
  return result;
}

/**
 * Sorts the items that the order list names as it says. The others keep their position relative to the items
 * that followed them.
 */
function reorder(
  merged: readonly Json[],
  server: readonly Json[],
  order: Json,
  key: string | undefined,
): Json[] {
  if (!Array.isArray(order)) {
    return [...merged];
  }
  const idOf = (item: Json): Json | undefined =>
    key === undefined ? item : isObject(item) ? item[key] : undefined;
  const rank = (item: Json, list: readonly Json[]): number =>
    list.findIndex((other) => jsonEqual(idOf(other), idOf(item)));
  const ordered = merged
    .filter((item) => rank(item, order) >= 0)
    .sort((a, b) => rank(a, order) - rank(b, order));
  const others = merged.filter((item) => rank(item, order) < 0);
  const result: Json[] = [];
  while (ordered.length > 0 || others.length > 0) {
    const [nextOrdered] = ordered;
    const [nextOther] = others;
    const takeOther =
      nextOther !== undefined &&
      (nextOrdered === undefined ||
        (rank(nextOther, server) >= 0 &&
          rank(nextOrdered, server) >= 0 &&
          rank(nextOther, server) < rank(nextOrdered, server)));
    const taken = takeOther ? others.shift() : ordered.shift();
    if (taken !== undefined) {
      result.push(taken);
    }
  }
  return result;
}

/**
 * Order lists identify objects by their merge key alone: kubectl writes objects with that key, other clients
 * bare values.
 */
function byKey(order: Json, key: string | undefined): Json {
  if (key === undefined || !Array.isArray(order)) {
    return order;
  }
  return order.map((item) => (isObject(item) ? item : { [key]: item }));
}

function fieldOf(type: FieldType | undefined, name: string): FieldSchema | undefined {
  const bare = type === undefined ? undefined : unwrap(type);
  return bare?.kind === 'struct' ? structSchema(bare.name).byName.get(name) : undefined;
}

function unwrap(type: FieldType): FieldType {
  return type.kind === 'pointer' ? unwrap(type.of) : type;
}

function elementOf(type: FieldType | undefined): FieldType | undefined {
  return type?.kind === 'list' || type?.kind === 'map' ? unwrap(type.of) : undefined;
}
