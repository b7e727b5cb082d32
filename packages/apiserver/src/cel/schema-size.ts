import { isObject } from '../meta/json.ts';
import type { SchemaNode } from '../structural/schema-node.ts';
import { fieldIdentifier, withObjectMeta } from './typed-value.ts';

/*
 * The largest size that values of a structural schema can have, as k8s.io/apiserver/pkg/cel/common/schemas.go
 * computes it: from maxItems, maxProperties, maxLength, enum and format, or else from the largest request.
 */

/** In bytes. */
export const largestRequest = 3 * 1024 * 1024;

export interface SchemaSize {
  /** The most characters, bytes, items or entries; 0 for a value without a size. */
  readonly most: number;
  /** The fewest bytes that the value takes in JSON. */
  readonly leastBytes: number;
  /** The fields, by their names in expressions. */
  readonly fields?: ReadonlyMap<string, SchemaSize>;
  /** The keys of a map. */
  readonly keys?: SchemaSize;
  /** The items of a list, or the values of a map. */
  readonly elements?: SchemaSize;
}

/** Undefined if the schema does not describe the value. */
export function sizeOfSchema(schema: SchemaNode, isResourceRoot: boolean): SchemaSize | undefined {
  if (schema['x-kubernetes-int-or-string'] === true) {
    return { most: textLength(schema) ?? largestRequest - 2, leastBytes: 1 };
  }
  switch (isResourceRoot ? 'object' : schema.type) {
    case 'array':
      return sizeOfList(schema);
    case 'object':
      return isObject(schema.additionalProperties)
        ? sizeOfMap(schema, schema.additionalProperties)
        : sizeOfObject(isResourceRoot ? withObjectMeta(schema) : schema);
    case 'string':
      return sizeOfString(schema);
    case 'boolean':
      return { most: 0, leastBytes: 4 };
    case 'number':
    case 'integer':
      return { most: 0, leastBytes: 1 };
    default:
      return undefined;
  }
}

/**
 * Follows steps from a value to a value below it: names of fields, and the constants for items, keys and
 * values. Returns undefined if there is no such value.
 */
export function sizeBelow(size: SchemaSize, steps: readonly string[]): SchemaSize | undefined {
  let found: SchemaSize | undefined = size;
  for (const step of steps) {
    found =
      step === itemsStep || step === valuesStep
        ? found.elements
        : step === keysStep
          ? found.keys
          : found.fields?.get(step);
    if (found === undefined) {
      return undefined;
    }
  }
  return found;
}

export const itemsStep = '@items';
export const valuesStep = '@values';
export const keysStep = '@keys';
export const indexesStep = '@indices';

function sizeOfChild(schema: SchemaNode): SchemaSize | undefined {
  return sizeOfSchema(schema, schema['x-kubernetes-embedded-resource'] === true);
}

/** The bytes of an empty `[]`, `{}` or `""`. */
const emptyBytes = 2;

function sizeOfList({ items, maxItems }: SchemaNode): SchemaSize | undefined {
  const elements = isObject(items) ? sizeOfChild(items) : undefined;
  if (elements === undefined) {
    return undefined;
  }
  const most = limitOf(maxItems) ?? Math.floor((largestRequest - 2) / (elements.leastBytes + 1));
  return { most, leastBytes: emptyBytes, elements };
}

function sizeOfMap({ maxProperties }: SchemaNode, values: SchemaNode): SchemaSize | undefined {
  const elements = sizeOfChild(values);
  if (elements === undefined) {
    return undefined;
  }
  // Besides its value, an entry takes at least 6 bytes: a key of two bytes, quotes, a colon and a comma.
  const most = limitOf(maxProperties) ?? Math.floor((largestRequest - 2) / (elements.leastBytes + 6));
  // The schema says only that keys are strings, and the real server takes the length of such a string as 0.
  return { most, leastBytes: emptyBytes, keys: { most: 0, leastBytes: emptyBytes }, elements };
}

function sizeOfObject({ properties = {}, required = [] }: SchemaNode): SchemaSize {
  const fields = new Map<string, SchemaSize>();
  let leastBytes = emptyBytes;
  for (const [name, schema] of Object.entries(properties)) {
    const size = sizeOfChild(schema);
    if (size === undefined) {
      continue;
    }
    const identifier = fieldIdentifier(name);
    if (identifier !== undefined) {
      fields.set(identifier, size);
    }
    // A field with a default need not be sent.
    if (required.includes(name) && (schema.default ?? null) === null) {
      // 4 bytes for quotes, a colon and a comma.
      leastBytes += Buffer.byteLength(name) + size.leastBytes + 4;
    }
  }
  return { most: 0, leastBytes, fields };
}

/**
 * The sizes of strings that have another type in CEL because of their format. The bytes include the quotes.
 */
const sizesOfFormats: Readonly<Record<string, SchemaSize>> = {
  duration: { most: 32, leastBytes: 3 },
  date: { most: 12, leastBytes: 12 },
  'date-time': { most: 32, leastBytes: 21 },
};

function sizeOfString(schema: SchemaNode): SchemaSize {
  const { format = '', maxLength, enum: values = [] } = schema;
  const fixed = sizesOfFormats[format];
  if (fixed !== undefined) {
    return fixed;
  }
  const most =
    format === 'byte'
      ? limitOf(maxLength)
      : (textLength(schema) ??
        (values.length === 0
          ? undefined
          : values.reduce<number>(
              (longest, value) => Math.max(longest, typeof value === 'string' ? Buffer.byteLength(value) : 0),
              0,
            )));
  return { most: most ?? largestRequest - 2, leastBytes: emptyBytes };
}

/** The length in bytes; a character has four at most. */
function textLength({ maxLength }: SchemaNode): number | undefined {
  const limit = limitOf(maxLength);
  return limit === undefined ? undefined : limit * 4;
}

/** The value of maxItems, maxProperties or maxLength; undefined if there is no limit. */
export function limitOf(value: unknown): number | undefined {
  return typeof value === 'number' ? Math.max(0, value) : undefined;
}
