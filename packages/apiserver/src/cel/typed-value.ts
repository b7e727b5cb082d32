import type { Environment } from '@marcbachmann/cel-js';
import { Duration } from '@marcbachmann/cel-js/evaluator';
import { type Json, isObject } from '../meta/json.ts';
import type { SchemaNode } from '../structural/schema-node.ts';
import type { Budget } from './budget.ts';
import { celEqual } from './cel-equal.ts';
import { CelFailure } from './function-table.ts';
import { timeOf } from './time-functions.ts';

/*
 * Values of a structural schema as CEL sees them, as k8s.io/apiserver/pkg/cel/common has it: fields that the schema does not describe
 * are not there, a null counts as an absent field, names that are no identifiers are escaped.
 */

export interface TypedSchema {
  /** The type's name in CEL. */
  readonly name: string;
  /**
   * A value of the schema.
   *
   * @param like the value that it is compared with: lists that are sets or maps have their items in the same order, since the order
   *   tells them not apart
   */
  toValue(value: Json, budget: Budget, like?: unknown): unknown;
}

/** A type with all that are below it. */
export interface DeclaredType extends TypedSchema {
  /** The types of the fields of its object types, by the names that the types and the fields have in CEL. */
  readonly objectTypes: ObjectTypes;
}

export type ObjectTypes = ReadonlyMap<string, Readonly<Record<string, string>>>;

export interface TypeNames {
  /** What the names of its object types begin with. Default `Object`. */
  readonly typeName?: string;
  /** Whether fields whose names are no identifiers have others in expressions. Default true; types of the server's own have them as they are. */
  readonly areFieldsEscaped?: boolean;
}

/** Declares the type of a schema and of all that is below it; undefined where the schema says nothing of the value. */
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
    // A class for each type: by it the library knows the values of one.
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

/** A value of which no schema says anything. */
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

/** A map of which each reading of a value costs. No class of its own: the library knows maps by theirs. */
function countedMap(map: Map<string, unknown>, budget: Budget): Map<string, unknown> {
  const get = map.get.bind(map);
  map.get = (key) => {
    budget.spend();
    return get(key);
  };
  return map;
}

/** The fields of an object. To read one costs. */
class CountedFields extends Map<string, unknown> {
  budget: Budget | undefined;

  override get(field: string): unknown {
    this.budget?.spend();
    return super.get(field);
  }
}

/** A list of which each reading of an item costs. */
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

/** A text that values of one type share if they are equal. */
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

/** Nanoseconds in a unit, as strfmt.ParseDuration has them: days and weeks are among them. */
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

/** With what expressions find at the root of every resource, unless the schema says all of it. */
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

/** A field's name as an identifier; undefined if it can't be one. */
export function fieldIdentifier(field: string): string | undefined {
  if (reserved.has(field)) {
    return `__${field}__`;
  }
  return /^[A-Za-z_./-][A-Za-z0-9_./-]*$/.test(field)
    ? field.replaceAll(/__|[-./]/g, (part) => escapes[part] ?? part)
    : undefined;
}
