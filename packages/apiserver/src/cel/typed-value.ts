import type { Environment } from '@marcbachmann/cel-js';
import { Duration } from '@marcbachmann/cel-js/evaluator';
import { type Json, isObject } from '../meta/json.ts';
import type { SchemaNode } from '../structural/schema-node.ts';
import type { Budget } from './budget.ts';
import { celEqual } from './cel-equal.ts';
import { CelFailure } from './function-table.ts';
import { timeOf } from './time-functions.ts';

/*
 * Values of a structural schema as CEL sees them, as in k8s.io/apiserver/pkg/cel/common: fields that the
 * schema does not describe do not exist, a null counts as an absent field, and names that are not identifiers
 * are escaped.
 */

export interface TypedSchema {
  /** The name of the type in CEL. */
  readonly name: string;
  /**
   * Converts a value to CEL.
   *
   * @param like the value that it is compared with; lists that are sets or maps get their items in its
   *   order, because their order does not matter for equality
   */
  toValue(value: Json, budget: Budget, like?: unknown): unknown;
}

/** A type, with the object types that it contains. */
export interface DeclaredType extends TypedSchema {
  /** The types of the fields of each object type. Types and fields have their CEL names. */
  readonly objectTypes: ObjectTypes;
}

export type ObjectTypes = ReadonlyMap<string, Readonly<Record<string, string>>>;

export interface TypeNames {
  /** The prefix for the names of its object types. Default `Object`. */
  readonly typeName?: string;
  /**
   * Whether field names that are not identifiers are escaped in expressions. Default true. The server's own
   * types keep their names.
   */
  readonly areFieldsEscaped?: boolean;
}

/**
 * Declares the types of a schema and everything below it. Returns undefined if the schema does not describe
 * the value.
 */
export function declareType(
  environment: Environment,
  node: SchemaNode,
  isResourceRoot: boolean,
  { typeName = 'Object', areFieldsEscaped = true }: TypeNames = {},
): DeclaredType | undefined {
  let count = 0;
  const objectTypes = new Map<string, Readonly<Record<string, string>>>();
  const declared = declare(node, isResourceRoot);
  return declared && { ...declared, objectTypes };

  function declare(schema: SchemaNode, isRoot: boolean): TypedSchema | undefined {
    if (schema['x-kubernetes-int-or-string'] === true) {
      return { name: 'dyn', toValue: untypedValue };
    }
    switch (isRoot ? 'object' : schema.type) {
      case 'array':
        return declareList(schema);
      case 'object':
        return isObject(schema.additionalProperties)
          ? declareMap(schema.additionalProperties)
          : declareObject(isRoot ? withObjectMeta(schema) : schema);
      case 'string':
        return stringTypes[schema.format ?? ''] ?? plain('string');
      case 'boolean':
        return plain('bool');
      case 'integer':
        return { name: 'int', toValue: (value) => BigInt(Math.trunc(Number(value))) };
      case 'number':
        return plain('double');
      default:
        return undefined;
    }
  }

  function declareChild(schema: SchemaNode): TypedSchema | undefined {
    return declare(schema, schema['x-kubernetes-embedded-resource'] === true);
  }

  function declareList(schema: SchemaNode): TypedSchema | undefined {
    const items = isObject(schema.items) ? declareChild(schema.items) : undefined;
    const isUnordered = ['set', 'map'].includes(schema['x-kubernetes-list-type'] ?? '');
    return (
      items && {
        name: `list<${items.name}>`,
        toValue(value, budget, like) {
          const list = (Array.isArray(value) ? value : []).map((item) => valueOf(items, item, budget));
          const isAlike = isUnordered && Array.isArray(like) && isSameSet(list, like);
          return counted(isAlike ? [...(like as unknown[])] : list, budget);
        },
      }
    );
  }

  function declareMap(schema: SchemaNode): TypedSchema | undefined {
    const items = declareChild(schema);
    return (
      items && {
        name: `map<string, ${items.name}>`,
        toValue(value, budget, like) {
          const alike = like instanceof Map ? like : undefined;
          return new Map(
            Object.entries(isObject(value) ? value : {}).map(([key, item]) => [
              key,
              valueOf(items, item ?? null, budget, alike?.get(key)),
            ]),
          );
        },
      }
    );
  }

  function declareObject(schema: SchemaNode): TypedSchema {
    const name = `${typeName}${count++}`;
    const fields = new Map<string, { readonly field: string; readonly type: TypedSchema }>();
    for (const [field, child] of Object.entries(schema.properties ?? {})) {
      const type = declareChild(child);
      const identifier = areFieldsEscaped ? fieldIdentifier(field) : field;
      if (type !== undefined && identifier !== undefined) {
        fields.set(identifier, { field, type });
      }
    }
    // Each type has a class, because the library identifies the type of a value by its class.
    const Value = class extends CountedFields {};
    const typesOfFields = Object.fromEntries(
      [...fields].map(([identifier, { type }]) => [identifier, type.name]),
    );
    objectTypes.set(name, typesOfFields);
    environment.registerType(name, { ctor: Value, fields: typesOfFields });
    environment.registerOperator(`${name} == ${name}`, celEqual);
    environment.registerOperator(`${name} == null`, celEqual);
    return {
      name,
      toValue(value, budget, like) {
        const made = new Value();
        const alike = like instanceof Map ? like : undefined;
        for (const [identifier, { field, type }] of fields) {
          const item = isObject(value) ? value[field] : undefined;
          if (item !== undefined && item !== null) {
            made.set(identifier, type.toValue(item, budget, alike?.get(identifier)));
          }
        }
        made.budget = budget;
        return made;
      },
    };
  }
}

/** Converts a value that no schema describes. */
export function untypedValue(value: Json, budget: Budget): unknown {
  if (Array.isArray(value)) {
    return counted(
      value.map((item) => untypedValue(item, budget)),
      budget,
    );
  }
  if (isObject(value)) {
    const entries = Object.entries(value).map(([key, item]): [string, unknown] => [
      key,
      untypedValue(item ?? null, budget),
    ]);
    return countedMap(new Map(entries), budget);
  }
  return typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : value;
}

/**
 * Makes each read of a map's value cost a step. The map cannot be of a subclass, because the library
 * recognizes a map by its class.
 */
function countedMap(map: Map<string, unknown>, budget: Budget): Map<string, unknown> {
  const get = map.get.bind(map);
  map.get = (key) => {
    budget.spend();
    return get(key);
  };
  return map;
}

/** The fields of an object. Each read costs a step. */
class CountedFields extends Map<string, unknown> {
  budget: Budget | undefined;

  override get(field: string): unknown {
    this.budget?.spend();
    return super.get(field);
  }
}

/** Makes each read of a list's item cost a step. */
function counted(list: unknown[], budget: Budget): unknown[] {
  return new Proxy(list, {
    get(target, key, receiver): unknown {
      if (typeof key === 'string' && key.charCodeAt(0) <= nine) {
        budget.spend();
      }
      return Reflect.get(target, key, receiver);
    },
  });
}
const nine = '9'.charCodeAt(0);

function valueOf(type: TypedSchema, value: Json, budget: Budget, like?: unknown): unknown {
  return value === null ? null : type.toValue(value, budget, like);
}

function isSameSet(list: readonly unknown[], other: readonly unknown[]): boolean {
  const keys = new Set(other.map(identityOf));
  return list.length === other.length && list.every((item) => keys.has(identityOf(item)));
}

/** A text that is the same for equal values of one type. */
function identityOf(value: unknown): string {
  if (Array.isArray(value)) {
    return `[${value.map(identityOf).join()}]`;
  }
  if (value instanceof Map) {
    const entries = [...value].map(([key, item]) => `${JSON.stringify(key)}:${identityOf(item)}`);
    return `{${entries.sort().join()}}`;
  }
  if (value instanceof Duration) {
    return `${value.seconds} ${value.nanos}`;
  }
  if (value instanceof Date) {
    return String(value.getTime());
  }
  return value instanceof Uint8Array || typeof value === 'bigint' ? value.toString() : JSON.stringify(value);
}

function plain(name: string): TypedSchema {
  return { name, toValue: (value) => value };
}

function textOf(value: Json): string {
  return typeof value === 'string' ? value : '';
}

const timestamp: TypedSchema = {
  name: 'google.protobuf.Timestamp',
  toValue: (value) => timeOf(textOf(value)),
};

const stringTypes: Readonly<Record<string, TypedSchema>> = {
  byte: {
    name: 'bytes',
    toValue: (value) => new Uint8Array(Buffer.from(textOf(value), 'base64')),
  },
  date: timestamp,
  'date-time': timestamp,
  duration: { name: 'google.protobuf.Duration', toValue: (value) => durationOf(textOf(value)) },
};

/** The units of a duration in nanoseconds, as in strfmt.ParseDuration: they include days and weeks. */
const units: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1000n,
  µs: 1000n,
  μs: 1000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
  d: 86_400_000_000_000n,
  w: 604_800_000_000_000n,
};

function durationOf(text: string): Duration {
  let nanos = 0n;
  const parts = [...text.matchAll(/(\d+)(?:\.(\d+))?\s*([a-zµμ]+)/g)];
  for (const [, whole = '0', fraction = '', unit = ''] of parts) {
    const factor = units[unit];
    if (factor === undefined) {
      throw new CelFailure(`Invalid duration ${text}: the unit ${JSON.stringify(unit)} is not known`);
    }
    nanos += (BigInt(whole + fraction) * factor) / 10n ** BigInt(fraction.length);
  }
  const signed = text.trim().startsWith('-') ? -nanos : nanos;
  return new Duration(signed / 1_000_000_000n, Number(signed % 1_000_000_000n));
}

/**
 * Adds the fields that expressions find at the root of every resource, unless the schema declares them
 * itself.
 */
export function withObjectMeta(schema: SchemaNode): SchemaNode {
  const { properties = {} } = schema;
  const isString = (node: SchemaNode | undefined): boolean => node?.type === 'string';
  const described = properties['metadata'];
  if (
    isString(properties['kind']) &&
    isString(properties['apiVersion']) &&
    described?.type === 'object' &&
    isString(described.properties?.['name']) &&
    isString(described.properties?.['generateName'])
  ) {
    return schema;
  }
  const name = { type: 'string' };
  const metadata = { type: 'object', properties: { name, generateName: name } };
  return { ...schema, type: 'object', properties: { ...properties, apiVersion: name, kind: name, metadata } };
}

const reserved: ReadonlySet<string> = new Set([
  ...['true', 'false', 'null', 'in', 'as', 'break', 'const', 'continue', 'else', 'for', 'function', 'if'],
  ...['import', 'let', 'loop', 'package', 'namespace', 'return', 'var', 'void', 'while'],
]);
const escapes: Readonly<Record<string, string>> = {
  __: '__underscores__',
  '.': '__dot__',
  '-': '__dash__',
  '/': '__slash__',
};

/** The name of a field as an identifier; undefined if it cannot be escaped to one. */
export function fieldIdentifier(field: string): string | undefined {
  if (reserved.has(field)) {
    return `__${field}__`;
  }
  return /^[A-Za-z_./-][A-Za-z0-9_./-]*$/.test(field)
    ? field.replaceAll(/__|[-./]/g, (part) => escapes[part] ?? part)
    : undefined;
}
