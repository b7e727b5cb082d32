import { goPrint } from '../meta/go-print.ts';
import { type Json, type JsonObject, cloneJson, isObject, jsonEqual } from '../meta/json.ts';
import { badRequest, StatusError, unprocessablePatch } from '../meta/status-error.ts';
import { isWrittenAsByGo } from './written-values.ts';

/*
 * JSON Patch as the API server applies it (evanphx/json-patch v4). Packages that follow RFC 6902 to the
 * letter differ in ways that matter to guarded patches: here a `test` for null passes if the member is
 * missing, `replace` of a missing member adds it, and negative array indexes count from the end.
 */

/**
 * Limits of kube-apiserver: the operations of a patch, and the bytes of JSON that all its copies together may
 * add. Without the second limit, copies of copies would double the size each time.
 */
const mostOperations = 10_000;
const mostCopied = 3 * 1024 * 1024;

/** An operation that cannot be applied, with the package's message. */
export class JsonPatchFailure extends Error {
  /** Whether the operation is a `test` that found another value. */
  readonly isTest: boolean;

  constructor(message: string, isTest = false) {
    super(message);
    this.isTest = isTest;
  }
}

/**
 * Applies the operations to a copy. Throws 400 if it is not a patch, 422 if an operation, such as a test,
 * fails.
 */
export function applyJsonPatch(document: JsonObject, patch: Json): Json {
  if (!Array.isArray(patch)) {
    const given = isObject(patch) ? 'object' : typeof patch;
    throw badRequest(
      `error decoding patch: json: cannot unmarshal ${given} into Go value of type []handlers.jsonPatchOp`,
    );
  }
  if (patch.length > mostOperations) {
    throw new StatusError(
      413,
      'RequestEntityTooLarge',
      `Request entity too large: The allowed maximum operations in a JSON patch is ${mostOperations}, got ${patch.length}`,
    );
  }
  const operations = patch.map((operation) => {
    if (!isObject(operation)) {
      const given = Array.isArray(operation) ? 'array' : typeof operation;
      throw badRequest(
        `error decoding patch: json: cannot unmarshal ${given} into Go value of type handlers.jsonPatchOp`,
      );
    }
    return operation;
  });
  try {
    return applyOperations(document, operations);
  } catch (error) {
    throw error instanceof JsonPatchFailure ? unprocessablePatch() : error;
  }
}

/** Applies the operations to a copy. Throws JsonPatchFailure. */
export function applyOperations(document: JsonObject, operations: readonly JsonObject[]): Json {
  let root: Json = cloneJson(document);
  let copied = 0;
  const copy = (value: Json): Json => {
    const text = JSON.stringify(value);
    copied += Buffer.byteLength(text);
    if (copied > mostCopied) {
      throw new JsonPatchFailure(
        `Unable to complete the copy, the accumulated size increase of copy is ${copied}, exceeding the limit ${mostCopied}`,
      );
    }
    return cloneJson(value);
  };
  for (const operation of operations) {
    root = applyOperation(root, operation, copy);
  }
  return root;
}

function applyOperation(root: Json, operation: JsonObject, copy: (value: Json) => Json): Json {
  const { op, value = null } = operation;
  const path = (): string => textOf(operation, 'path');
  const from = (): string => textOf(operation, 'from');
  switch (op) {
    case 'add':
      return add(
        root,
        path(),
        value,
        `add operation does not apply: doc is missing path: "${path()}"`,
        'add',
      );
    case 'remove':
      take(root, path(), {
        missing: `remove operation does not apply: doc is missing path: "${path()}"`,
        failed: `error in remove for path: '${path()}'`,
      });
      return root;
    case 'replace':
      return replace(root, path(), value);
    case 'move': {
      const key = split(from()).at(-1) ?? '';
      const moved = take(root, from(), {
        missing: `move operation does not apply: doc is missing from path: ${from()}`,
        failed: `error in move for path: '${key}'`,
      });
      return add(
        root,
        path(),
        moved,
        `move operation does not apply: doc is missing destination path: ${path()}`,
        'move',
      );
    }
    case 'copy': {
      const [parent, key] = find(
        root,
        from(),
        `copy operation does not apply: doc is missing from path: ${from()}`,
      );
      const found = get(parent, key, `error in copy for from: '${from()}'`);
      return add(
        root,
        path(),
        copy(found ?? null),
        `copy operation does not apply: doc is missing destination path: ${path()}`,
        'copy',
      );
    }
    case 'test':
      test(root, path(), operation);
      return root;
    default:
      throw new JsonPatchFailure(`Unexpected kind: ${typeof op === 'string' ? op : 'unknown'}`);
  }
}

function textOf({ op = '', ...operation }: JsonObject, field: 'path' | 'from'): string {
  const text = operation[field];
  if (typeof text !== 'string') {
    throw new JsonPatchFailure(
      `${goPrint(op)} operation failed to decode ${field}: operation, missing ${field} field: missing value`,
    );
  }
  return text;
}

/** Whatever precedes the first slash is ignored. */
function split(path: string): readonly string[] {
  return path
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

type Container = JsonObject | Json[];

/**
 * Ignores inherited members: a step `__proto__` would otherwise lead to what all objects of the process
 * share.
 */
function ownField(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** A plain assignment to `__proto__` would set no field. */
function setField(object: JsonObject, key: string, value: Json): void {
  Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
}

/** Returns the container of the last step of a path, and that step. */
function find(root: Json, path: string, problem: string): readonly [Container, string] {
  const steps = split(path);
  const last = steps.at(-1);
  let at: Json | undefined = root;
  for (const step of steps.slice(0, -1)) {
    at = Array.isArray(at)
      ? at[position(step, at.length) ?? -1]
      : isObject(at)
        ? ownField(at, step)
        : undefined;
  }
  if (last !== undefined && (Array.isArray(at) || isObject(at))) {
    return [at, last];
  }
  throw new JsonPatchFailure(`${problem}: missing value`);
}

/** Undefined if out of bounds or not a number. */
function position(step: string, length: number): number | undefined {
  const index = /^[-+]?\d+$/.test(step) ? Number(step) : Number.NaN;
  const absolute = index < 0 ? index + length : index;
  return absolute >= 0 && absolute < length ? absolute : undefined;
}

function index(step: string, length: number, problem: string): number {
  const found = position(step, length);
  if (found === undefined) {
    throw new JsonPatchFailure(
      /^[-+]?\d+$/.test(step)
        ? `${problem}: Unable to access invalid index: ${Number(step)}: invalid index referenced`
        : `${problem}: strconv.Atoi: parsing ${JSON.stringify(step)}: invalid syntax`,
    );
  }
  return found;
}

function get(parent: Container, key: string, problem: string): Json | undefined {
  return Array.isArray(parent) ? parent[index(key, parent.length, problem)] : ownField(parent, key);
}

function add(root: Json, path: string, value: Json, problem: string, of: string): Json {
  const [parent, key] = find(root, path, problem);
  if (!Array.isArray(parent)) {
    setField(parent, key, value);
  } else if (key === '-') {
    parent.push(value);
  } else {
    parent.splice(index(key, parent.length + 1, `error in ${of} for path: '${path}'`), 0, value);
  }
  return root;
}

function replace(root: Json, path: string, value: Json): Json {
  if (path === '') {
    return value;
  }
  const [parent, key] = find(root, path, `replace operation does not apply: doc is missing path: ${path}`);
  if (!Array.isArray(parent)) {
    setField(parent, key, value);
    return root;
  }
  const at = position(key, parent.length);
  if (at === undefined) {
    throw new JsonPatchFailure(
      `replace operation does not apply: doc is missing key: ${path}: missing value`,
    );
  }
  parent[at] = value;
  return root;
}

function test(root: Json, path: string, operation: JsonObject): void {
  const { value = null } = operation;
  let found: Json | undefined = root;
  if (path !== '') {
    const [parent, key] = find(root, path, `test operation does not apply: is missing path: ${path}`);
    found = get(parent, key, `error in test for path: '${path}'`);
  }
  if (!jsonEqual(found ?? null, value) || !isWrittenAsByGo(operation, 'value')) {
    throw new JsonPatchFailure(`testing value ${path} failed: test failed`, true);
  }
}

function take(
  root: Json,
  path: string,
  { missing, failed }: { readonly missing: string; readonly failed: string },
): Json {
  const [parent, key] = find(root, path, missing);
  if (Array.isArray(parent)) {
    return parent.splice(index(key, parent.length, failed), 1)[0] ?? null;
  }
  const found = ownField(parent, key);
  if (found === undefined) {
    throw new JsonPatchFailure(`${failed}: Unable to remove nonexistent key: ${key}: missing value`);
  }
  Reflect.deleteProperty(parent, key);
  return found;
}
