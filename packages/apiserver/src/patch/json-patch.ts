import { type Json, type JsonObject, cloneJson, isObject, jsonEqual } from '../meta/json.ts';
import { badRequest, unprocessablePatch } from '../meta/status-error.ts';

/*
 * JSON Patch as the API server applies it (evanphx/json-patch v4). Packages that follow RFC 6902 to the letter differ where
 * it matters to guarded patches: here `test` for null passes on a missing member, `replace` of a missing member adds it,
 * and negative array indexes count from the end.
 */

const missing = Symbol('missing');

/** Applies the operations to a copy. Throws 400 when it is no patch, 422 when an operation, such as a test, fails. */
export function applyJsonPatch(document: JsonObject, patch: Json): Json {
  if (!Array.isArray(patch)) {
    const given = isObject(patch) ? 'object' : typeof patch;
    throw badRequest(
      `error decoding patch: json: cannot unmarshal ${given} into Go value of type []handlers.jsonPatchOp`,
    );
  }
  let root: Json = cloneJson(document);
  for (const operation of patch) {
    if (!isObject(operation)) {
      const given = Array.isArray(operation) ? 'array' : typeof operation;
      throw badRequest(
        `error decoding patch: json: cannot unmarshal ${given} into Go value of type handlers.jsonPatchOp`,
      );
    }
    root = applyOperation(root, operation);
  }
  return root;
}

function applyOperation(root: Json, operation: JsonObject): Json {
  const path = pointer(operation['path']);
  const value = operation['value'];
  switch (operation['op']) {
    case 'add':
      return add(root, path, value ?? null);
    case 'remove':
      take(root, path);
      return root;
    case 'replace':
      if (path.length > 0) {
        requireReplaceable(root, path);
      }
      return replace(root, path, value ?? null);
    case 'move': {
      const moved = take(root, pointer(operation['from']));
      return add(root, path, moved);
    }
    case 'copy': {
      const found = lookUp(root, pointer(operation['from']));
      return add(root, path, found === missing ? null : cloneJson(found));
    }
    case 'test': {
      const found = lookUp(root, path);
      const actual = found === missing ? null : found;
      if (!jsonEqual(actual, value ?? null)) {
        throw unprocessablePatch();
      }
      if (found === missing && value !== undefined && value !== null) {
        throw unprocessablePatch();
      }
      return root;
    }
    default:
      throw unprocessablePatch();
  }
}

function pointer(path: Json | undefined): string[] {
  if (typeof path !== 'string') {
    throw unprocessablePatch();
  }
  if (path === '') {
    return [];
  }
  if (!path.startsWith('/')) {
    throw unprocessablePatch();
  }
  return path
    .slice(1)
    .split('/')
    .map((part) => part.replace(/~1/g, '/').replace(/~0/g, '~'));
}

function parentOf(root: Json, path: readonly string[]): JsonObject | Json[] {
  let at: Json | undefined = root;
  for (const part of path.slice(0, -1)) {
    if (Array.isArray(at)) {
      at = at[index(part, at.length)];
    } else if (isObject(at)) {
      at = at[part];
    } else {
      throw unprocessablePatch();
    }
  }
  if (Array.isArray(at) || isObject(at)) {
    return at;
  }
  throw unprocessablePatch();
}

function index(part: string, length: number): number {
  if (!/^-?\d+$/.test(part)) {
    throw unprocessablePatch();
  }
  const position = Number(part);
  const absolute = position < 0 ? position + length : position;
  if (absolute < 0 || absolute >= length) {
    throw unprocessablePatch();
  }
  return absolute;
}

function lookUp(root: Json, path: readonly string[]): Json | typeof missing {
  if (path.length === 0) {
    return root;
  }
  const parent = parentOf(root, path);
  const last = path.at(-1) ?? '';
  const found = Array.isArray(parent) ? parent[index(last, parent.length)] : parent[last];
  return found === undefined ? missing : found;
}

function add(root: Json, path: readonly string[], value: Json): Json {
  if (path.length === 0) {
    return value;
  }
  const parent = parentOf(root, path);
  const last = path.at(-1) ?? '';
  if (!Array.isArray(parent)) {
    parent[last] = value;
  } else if (last === '-') {
    parent.push(value);
  } else {
    if (!/^-?\d+$/.test(last)) {
      throw unprocessablePatch();
    }
    const position = Number(last);
    const absolute = position < 0 ? position + parent.length + 1 : position;
    if (absolute < 0 || absolute > parent.length) {
      throw unprocessablePatch();
    }
    parent.splice(absolute, 0, value);
  }
  return root;
}

function requireReplaceable(root: Json, path: readonly string[]): void {
  const parent = parentOf(root, path);
  if (Array.isArray(parent)) {
    index(path.at(-1) ?? '', parent.length);
  }
}

function replace(root: Json, path: readonly string[], value: Json): Json {
  if (path.length === 0) {
    return value;
  }
  const parent = parentOf(root, path);
  const last = path.at(-1) ?? '';
  if (Array.isArray(parent)) {
    parent[index(last, parent.length)] = value;
  } else {
    parent[last] = value;
  }
  return root;
}

function take(root: Json, path: readonly string[]): Json {
  if (path.length === 0) {
    throw unprocessablePatch();
  }
  const parent = parentOf(root, path);
  const last = path.at(-1) ?? '';
  if (Array.isArray(parent)) {
    return parent.splice(index(last, parent.length), 1)[0] ?? null;
  }
  const found = parent[last];
  if (found === undefined) {
    throw unprocessablePatch();
  }
  Reflect.deleteProperty(parent, last);
  return found;
}
