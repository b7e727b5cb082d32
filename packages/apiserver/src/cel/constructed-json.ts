import { types } from 'node:util';
import { Duration, UnsignedInt } from '@marcbachmann/cel-js/evaluator';
import { goPrint } from '../meta/go-print.ts';
import type { Json, JsonObject } from '../meta/json.ts';
import { ConstructedValue } from './constructed-values.ts';
import { CelFailure } from './function-table.ts';

/*
 * Converts values that mutation expressions make to JSON: objects, like ObjectVal of
 * k8s.io/apiserver/pkg/cel/mutation/dynamic, and the operands of a JSONPatch.
 */

/**
 * The type errors of an object that an expression made, in the real server's words: the object in a field `x`
 * of `Object.spec` must have the type `Object.spec.x`.
 */
export function typeNameProblems(value: unknown, path: string): readonly string[] {
  if (value instanceof ConstructedValue) {
    const { typeName } = value;
    const problem = `unexpected type name ${JSON.stringify(typeName)}, expected ${JSON.stringify(path)}, which matches field name path from root Object type`;
    return [
      ...(typeName === path ? [] : [problem]),
      ...[...value].flatMap(([name, item]) => typeNameProblems(item, `${path}.${name}`)),
    ];
  }
  if (!isLiteral(value)) {
    return [];
  }
  return [...value.values()].flatMap((item) => typeNameProblems(item, path));
}

/**
 * Whether the expression itself made a list or a map. Those that it got from a request count each reading, by
 * a proxy (lists) or by a `get` of their own (maps).
 */
function isLiteral(value: unknown): value is readonly unknown[] | ReadonlyMap<unknown, unknown> {
  return Array.isArray(value)
    ? !types.isProxy(value)
    : value instanceof Map && value.constructor === Map && !Object.hasOwn(value, 'get');
}

/** Converts an object that is to be applied. Throws a CelFailure if a value has no JSON form. */
export function appliedJson(value: ConstructedValue, path = ''): JsonObject {
  const json: JsonObject = {};
  for (const [name, item] of value) {
    json[name] = appliedField(item, `${path}.${name}`);
  }
  return json;
}

function appliedField(value: unknown, path: string): Json {
  if (!isLiteral(value)) {
    return appliedItem(value, path);
  }
  if (Array.isArray(value)) {
    return value.map((item, index) => appliedItem(item, `${path}[${index}]`));
  }
  const json: JsonObject = {};
  for (const [key, item] of value as ReadonlyMap<unknown, unknown>) {
    if (typeof key !== 'string') {
      throw new CelFailure(
        `fail to convert field ${JSON.stringify(path)}: map key ${String(key)} is not string`,
      );
    }
    json[key] = appliedItem(item, `${path}.${key}`);
  }
  return json;
}

function appliedItem(value: unknown, path: string): Json {
  if (value instanceof ConstructedValue) {
    return appliedJson(value, path);
  }
  if (isLiteral(value)) {
    // The real server does not accept a list or map literal within another literal as a list or a map.
    const wanted = Array.isArray(value) ? 'list' : 'map';
    throw new CelFailure(`${path}: expected ${wanted}, got &{${goPrint(operandJson(value))}}`);
  }
  if (Array.isArray(value)) {
    return value.map((item, index) => appliedItem(item, `${path}[${index}]`));
  }
  if (value instanceof Map) {
    return Object.fromEntries(
      [...value.keys()].map((key: string) => [key, appliedItem(value.get(key), `${path}.${key}`)]),
    );
  }
  switch (typeof value) {
    case 'string':
    case 'boolean':
    case 'number':
      return value;
    case 'bigint':
      return Number(value);
    default:
      // The real server converts null to the number of protobuf's NullValue.
      if (value === null) {
        return 0;
      }
      throw new CelFailure(`${path}: a ${nameOf(value)} can't be applied: convert it to a string`);
  }
}

/** Converts the value of a JSONPatch operation. Throws a CelFailure if it has no JSON form. */
export function operandJson(value: unknown): Json {
  if (value instanceof ConstructedValue) {
    return appliedJson(value);
  }
  if (Array.isArray(value)) {
    return value.map(operandJson);
  }
  if (value instanceof Map) {
    return Object.fromEntries(
      [...value.keys()].map((key: unknown) => [String(key), operandJson(value.get(key))]),
    );
  }
  if (value instanceof Date) {
    return value.toISOString().replace('.000Z', 'Z');
  }
  if (value instanceof Duration) {
    return `${Number(value.seconds) + value.nanos / 1e9}s`;
  }
  if (value instanceof Uint8Array) {
    return Buffer.from(value).toString('base64');
  }
  switch (typeof value) {
    case 'string':
    case 'boolean':
    case 'number':
      return value;
    case 'bigint':
      return exact(value);
    default:
      if (value === null) {
        return null;
      }
      if (value instanceof UnsignedInt) {
        return exact(value.value);
      }
      throw new CelFailure(`type conversion error from '${nameOf(value)}' to '*structpb.Value'`);
  }
}

/** An integer that a JavaScript number cannot hold exactly becomes a string. */
function exact(value: bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}

function nameOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? value.constructor.name : typeof value;
}
