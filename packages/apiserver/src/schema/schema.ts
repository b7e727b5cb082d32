import { schemaData } from './schema-data.ts';

/** The Go type of a field, as far as it matters for JSON. */
export type FieldType =
  | { readonly kind: 'string' | 'bool' | 'int32' | 'int64' | 'float64' | 'bytes' | 'raw' }
  | { readonly kind: 'time' | 'microtime' | 'duration' | 'quantity' | 'intorstring' }
  | { readonly kind: 'struct'; readonly name: string }
  | { readonly kind: 'pointer' | 'list' | 'map'; readonly of: FieldType };

/** A field of a struct: how the API server reads, merges and writes it. */
export interface FieldSchema {
  readonly name: string;
  readonly type: FieldType;
  /** Go's omitempty: zero values, except structs, are not written. */
  readonly omitEmpty: boolean;
  /** Go's omitzero: a zero struct or time is not written either. */
  readonly omitZero: boolean;
  readonly required: boolean;
  /** x-kubernetes-list-type. `atomic` unless the type declares another one. */
  readonly listType: 'atomic' | 'set' | 'map';
  readonly listMapKeys: readonly string[];
  readonly atomicMap: boolean;
  /** The type is atomic, but this field of the type is granular. */
  readonly granularMap: boolean;
  /** Strategic merge patch: the list is merged, by patchMergeKey or as a set of primitives. */
  readonly patchMerge: boolean;
  readonly patchRetainKeys: boolean;
  readonly patchMergeKey: string | undefined;
  /** The only valid texts, sorted. Empty: any text is valid. */
  readonly values: readonly string[];
  /** The published default, which completes the keys of a list of type map. */
  readonly defaultValue: string | number | boolean | undefined;
  /**
   * The field numbers in protobuf, outermost first, because structs that JSON inlines are messages there.
   * Empty: the field has no protobuf form.
   */
  readonly protobufPath: readonly number[];
}

/** A struct of the API, with what is needed to merge and write it. */
export interface StructSchema {
  readonly name: string;
  readonly fields: readonly FieldSchema[];
  readonly byName: ReadonlyMap<string, FieldSchema>;
  /** x-kubernetes-map-type: the type itself is atomic. */
  readonly atomic: boolean;
}

const blocks = new Map<string, readonly string[]>();
const parsed = new Map<string, StructSchema>();

/**
 * Returns a struct by its short Go name, such as core.v1.PodSpec. Throws if the schema data does not have it.
 */
export function structSchema(name: string): StructSchema {
  const known = parsed.get(name);
  if (known !== undefined) {
    return known;
  }
  if (blocks.size === 0) {
    indexBlocks();
  }
  const lines = blocks.get(name);
  if (lines === undefined) {
    throw new Error(`no schema named "${name}": add the type to schema/extract and run it again`);
  }
  const [head = '', ...rest] = lines;
  const fields = rest.map(parseField);
  const schema: StructSchema = {
    name,
    fields,
    byName: new Map(fields.map((field) => [field.name, field])),
    atomic: head.endsWith(' map=atomic'),
  };
  parsed.set(name, schema);
  return schema;
}

function indexBlocks(): void {
  let current: string[] = [];
  for (const line of schemaData.split('\n')) {
    if (line === '') {
      continue;
    }
    if (line.startsWith('  ')) {
      current.push(line.slice(2));
    } else {
      current = [line];
      blocks.set(line.split(' ', 1)[0] ?? line, current);
    }
  }
}

function parseField(line: string): FieldSchema {
  const [name = '', type = '', ...flags] = line.split(' ');
  const valueOf = (flag: string): string | undefined =>
    flags.find((candidate) => candidate.startsWith(flag + '='))?.slice(flag.length + 1);
  const listType = valueOf('list');
  const patch = valueOf('patch')?.split(',') ?? [];
  const defaultText = valueOf('default');
  return {
    name,
    type: parseType(type),
    omitEmpty: flags.includes('omitempty'),
    omitZero: flags.includes('omitzero'),
    required: flags.includes('required'),
    listType: listType === 'set' || listType === 'map' ? listType : 'atomic',
    listMapKeys: valueOf('keys')?.split(',') ?? [],
    atomicMap: valueOf('map') === 'atomic',
    granularMap: valueOf('map') === 'granular',
    patchMerge: patch.includes('merge'),
    patchRetainKeys: patch.includes('retainKeys'),
    patchMergeKey: valueOf('mergeKey'),
    values: valueOf('enum')?.split(',') ?? [],
    defaultValue: parseDefault(defaultText),
    protobufPath: valueOf('pb')?.split('.').map(Number) ?? [],
  };
}

function parseDefault(text: string | undefined): string | number | boolean | undefined {
  if (text === undefined) {
    return undefined;
  }
  const value: unknown = JSON.parse(text);
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? value
    : undefined;
}

function parseType(text: string): FieldType {
  if (text.startsWith('*')) {
    return { kind: 'pointer', of: parseType(text.slice(1)) };
  }
  if (text.startsWith('[]')) {
    return { kind: 'list', of: parseType(text.slice(2)) };
  }
  if (text.startsWith('{}')) {
    return { kind: 'map', of: parseType(text.slice(2)) };
  }
  if (text.startsWith('&')) {
    return { kind: 'struct', name: text.slice(1) };
  }
  switch (text) {
    case 'string':
    case 'bool':
    case 'int32':
    case 'int64':
    case 'float64':
    case 'bytes':
    case 'raw':
    case 'time':
    case 'microtime':
    case 'duration':
    case 'quantity':
    case 'intorstring':
      return { kind: text };
    default:
      throw new Error(`schema data names an unknown type "${text}"`);
  }
}
