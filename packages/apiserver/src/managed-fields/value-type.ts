import { type Json, type JsonObject, isObject } from '../meta/json.ts';
import type { ResourceDefinition } from '../resources/resource-definition.ts';
import type { SchemaNode } from '../structural/schema-node.ts';
import { type FieldSchema, type FieldType, type StructSchema, structSchema } from '../schema/schema.ts';

/* How values are merged: the rules of x-kubernetes-list-type and x-kubernetes-map-type, for each field. */

export type ValueType =
  /**
   * Replaced as a whole. `scalar` is the type that JSON must have, or `whole` the type of a list or an
   * object. Without both, any value is valid.
   */
  | {
      readonly kind: 'leaf';
      readonly scalar: 'string' | 'number' | 'boolean' | undefined;
      readonly whole?: ValueType;
    }
  | { readonly kind: 'struct'; readonly schema: StructSchema }
  /**
   * An object of a structural schema: its fields, and the type of all other fields if the schema allows them.
   */
  | { readonly kind: 'object'; readonly fields: ReadonlyMap<string, ValueType>; readonly others?: ValueType }
  | { readonly kind: 'map'; readonly of: ValueType }
  | {
      readonly kind: 'list';
      readonly of: ValueType;
      readonly keys: readonly ListKey[] | undefined;
      /** Whether items can be addressed only by index. Default false. */
      readonly isWhole?: boolean;
    }
  /** A value without a schema. Objects are maps of such values, and all other values are leaves. */
  | { readonly kind: 'deduced'; readonly metadata?: ValueType };

interface ListKey {
  readonly name: string;
  readonly defaultValue: string | number | boolean | undefined;
}

const leaf: ValueType = { kind: 'leaf', scalar: undefined };

export function typeOfDefinition({
  struct,
  schema,
}: Pick<ResourceDefinition, 'struct' | 'schema'>): ValueType {
  if (struct !== undefined) {
    return typeOfStruct(struct);
  }
  const metadata = typeOfStruct('meta.v1.ObjectMeta');
  return schema === undefined ? { kind: 'deduced', metadata } : typeOfRoot(schema, metadata);
}

const rootTypes = new WeakMap<SchemaNode, ValueType>();

function typeOfRoot(schema: SchemaNode, metadata: ValueType): ValueType {
  let type = rootTypes.get(schema);
  if (type === undefined) {
    const { fields, others } = fieldsOfNode(schema);
    const text: ValueType = { kind: 'leaf', scalar: 'string' };
    const own = new Map([...fields, ['apiVersion', text], ['kind', text], ['metadata', metadata]]);
    type = { kind: 'object', fields: own, ...(others === undefined ? undefined : { others }) };
    rootTypes.set(schema, type);
  }
  return type;
}

function fieldsOfNode(node: SchemaNode): {
  readonly fields: ReadonlyMap<string, ValueType>;
  readonly others: ValueType | undefined;
} {
  const { properties = {}, additionalProperties } = node;
  const isOpen = additionalProperties === true || node['x-kubernetes-preserve-unknown-fields'] === true;
  const others = isObject(additionalProperties) ? typeOfNode(additionalProperties) : undefined;
  return {
    fields: new Map(Object.entries(properties).map(([name, child]) => [name, typeOfNode(child)])),
    others: others ?? (isOpen ? { kind: 'deduced' } : undefined),
  };
}

function typeOfNode(node: SchemaNode): ValueType {
  if (node['x-kubernetes-int-or-string'] === true) {
    return leaf;
  }
  switch (node.type) {
    case 'object':
      return typeOfObjectNode(node);
    case 'array':
      return typeOfListNode(node);
    case 'string':
    case 'boolean':
      return { kind: 'leaf', scalar: node.type };
    case 'integer':
    case 'number':
      return { kind: 'leaf', scalar: 'number' };
    default:
      return { kind: 'deduced' };
  }
}

function typeOfObjectNode(node: SchemaNode): ValueType {
  if (node['x-kubernetes-map-type'] === 'atomic') {
    return {
      kind: 'leaf',
      scalar: undefined,
      whole: typeOfObjectNode({ ...node, 'x-kubernetes-map-type': 'granular' }),
    };
  }
  const { fields, others } = fieldsOfNode(node);
  if (node['x-kubernetes-embedded-resource'] === true) {
    const text: ValueType = { kind: 'leaf', scalar: 'string' };
    const metadata = typeOfStruct('meta.v1.ObjectMeta');
    const own = new Map([...fields, ['apiVersion', text], ['kind', text], ['metadata', metadata]]);
    return { kind: 'object', fields: own, ...(others === undefined ? undefined : { others }) };
  }
  if (fields.size === 0) {
    return others === undefined ? { kind: 'deduced' } : { kind: 'map', of: others };
  }
  return { kind: 'object', fields, ...(others === undefined ? undefined : { others }) };
}

function typeOfListNode(node: SchemaNode): ValueType {
  const { items } = node;
  const listType = node['x-kubernetes-list-type'] ?? 'atomic';
  if (items === undefined) {
    return leaf;
  }
  if (listType === 'atomic') {
    const whole: ValueType = { kind: 'list', of: typeOfNode(items), keys: undefined, isWhole: true };
    return { kind: 'leaf', scalar: undefined, whole };
  }
  if (listType === 'set') {
    return { kind: 'list', of: typeOfNode(items), keys: undefined };
  }
  const keys = (node['x-kubernetes-list-map-keys'] ?? []).map((name) => ({
    name,
    defaultValue: scalarOf(items.properties?.[name]?.default),
  }));
  return { kind: 'list', of: typeOfNode(items), keys };
}

function scalarOf(value: Json | undefined): string | number | boolean | undefined {
  return typeof value === 'object' || value === undefined ? undefined : value;
}

/** Makes a type that is replaced as a whole. */
function asWhole(whole: ValueType): ValueType {
  return { kind: 'leaf', scalar: undefined, whole };
}

const structTypes = new Map<string, ValueType>();

function typeOfStruct(name: string): ValueType {
  let type = structTypes.get(name);
  if (type === undefined) {
    const schema = structSchema(name);
    const struct: ValueType = { kind: 'struct', schema };
    structTypes.set(name, (type = schema.atomic ? asWhole(struct) : struct));
  }
  return type;
}

const fieldTypes = new WeakMap<FieldSchema, ValueType>();

function typeOfField(field: FieldSchema): ValueType {
  let type = fieldTypes.get(field);
  if (type === undefined) {
    fieldTypes.set(field, (type = resolve(field.type, field)));
  }
  return type;
}

function resolve(type: FieldType, field: FieldSchema | undefined): ValueType {
  switch (type.kind) {
    case 'pointer':
      return resolve(type.of, field);
    case 'struct':
      if (field?.atomicMap === true) {
        return asWhole({ kind: 'struct', schema: structSchema(type.name) });
      }
      return field?.granularMap === true
        ? { kind: 'struct', schema: structSchema(type.name) }
        : typeOfStruct(type.name);
    case 'map': {
      const map: ValueType = { kind: 'map', of: resolve(type.of, undefined) };
      return field?.atomicMap === true ? asWhole(map) : map;
    }
    case 'list':
      return listType(type.of, field);
    case 'raw':
    case 'intorstring':
    case 'quantity':
      return leaf;
    case 'bool':
      return { kind: 'leaf', scalar: 'boolean' };
    case 'int32':
    case 'int64':
    case 'float64':
      return { kind: 'leaf', scalar: 'number' };
    case 'time':
    case 'microtime':
      return leaf;
    case 'string':
    case 'bytes':
    case 'duration':
      return { kind: 'leaf', scalar: 'string' };
  }
}

function listType(of: FieldType, field: FieldSchema | undefined): ValueType {
  const item = resolve(of, undefined);
  if (field === undefined || field.listType === 'atomic') {
    return asWhole({ kind: 'list', of: item, keys: undefined, isWhole: true });
  }
  if (field.listType === 'set') {
    return { kind: 'list', of: item, keys: undefined };
  }
  // Even a struct that is replaced as a whole is found by its keys.
  const bare = of.kind === 'pointer' ? of.of : of;
  const schema = bare.kind === 'struct' ? structSchema(bare.name) : undefined;
  const keys = field.listMapKeys.map((name) => ({
    name,
    defaultValue: keyDefault(schema?.byName.get(name)),
  }));
  return { kind: 'list', of: item, keys };
}

/** The default of a list key. A string that Go always writes has the published default "". */
function keyDefault(field: FieldSchema | undefined): string | number | boolean | undefined {
  return field?.defaultValue ?? (field?.type.kind === 'string' && !field.omitEmpty ? '' : undefined);
}

/**
 * The type of a field, and whether the schema names it (fields of structs) or clients choose the name (keys
 * of maps).
 */
export function fieldOf(
  type: ValueType,
  name: string,
): { readonly type: ValueType; readonly isNamed: boolean } | undefined {
  switch (type.kind) {
    case 'struct': {
      const field = type.schema.byName.get(name);
      return field === undefined ? undefined : { type: typeOfField(field), isNamed: true };
    }
    case 'object': {
      const field = type.fields.get(name);
      if (field !== undefined) {
        return { type: field, isNamed: true };
      }
      return type.others === undefined ? undefined : { type: type.others, isNamed: false };
    }
    case 'map':
      return { type: type.of, isNamed: false };
    case 'deduced':
      if (name === 'metadata' && type.metadata !== undefined) {
        return { type: type.metadata, isNamed: false };
      }
      return { type: { kind: 'deduced' }, isNamed: false };
    case 'leaf':
    case 'list':
      return undefined;
  }
}

/** The step of a path that identifies the item in its list. */
export function itemStep(type: ValueType, item: Json): string {
  if (type.kind !== 'list' || type.keys === undefined) {
    return `v:${JSON.stringify(item)}`;
  }
  const source: JsonObject = isObject(item) ? item : {};
  const keys: JsonObject = {};
  for (const { name, defaultValue } of [...type.keys].sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const value = source[name] ?? defaultValue;
    if (value !== undefined) {
      keys[name] = value;
    }
  }
  return `k:${JSON.stringify(keys)}`;
}

/** Whether values of the type are merged field by field or item by item. */
export function isMergeable(type: ValueType, value: Json | undefined): boolean {
  if (type.kind === 'leaf') {
    return false;
  }
  return type.kind !== 'deduced' || isObject(value);
}
