import { append } from '../meta/append.ts';
import { type Json, type JsonObject, isObject } from '../meta/json.ts';
import { canonicalQuantity, quantityFormatMessage } from './quantity.ts';
import { remembering } from './remembering.ts';
import { type FieldSchema, type FieldType, type StructSchema, structSchema } from './schema.ts';

/*
 * Decodes JSON by the schema of a Go struct, and returns it as the API server would write it: unknown fields
 * dropped, zero values left out or written as Go does, quantities and times in canonical form, fields in Go's
 * order. No package implements Go's rules. A JSON schema validator would accept what kube-apiserver refuses,
 * and keep what it drops.
 */

/** The body does not fit the type. The message is that of Go's decoder. */
export class DecodeError extends Error {}

export interface Decoded {
  readonly value: JsonObject;
  /** The paths of fields that the type does not have, in the order of the document. */
  readonly unknownFields: readonly string[];
}

export function decodeStruct(typeName: string, value: Json): Decoded {
  const unknownFields: string[] = [];
  return { value: decodeFields(typeName, value, '', unknownFields), unknownFields };
}

function decodeFields(
  typeName: string,
  value: Json,
  path: string,
  unknown: string[],
  parent = typeName,
): JsonObject {
  const schema = structSchema(typeName);
  if (value !== null && !isObject(value)) {
    throw mismatch(value, parent, path, goTypeName(typeName));
  }
  // Fields are read in the order of the document, which is that of the findings, and written in the order of
  // the type.
  const given: JsonObject = {};
  let empty: string[] | undefined;
  for (const key in value) {
    const item = value[key];
    const childPath = path === '' ? key : `${path}.${key}`;
    const field = schema.byName.get(key);
    if (field === undefined) {
      unknown.push(childPath);
    } else if (item !== undefined && item !== null) {
      const decoded = decodeValue(field.type, item, typeName, childPath, unknown);
      given[key] = decoded;
      if (decoded === null && (field.type.kind === 'map' || field.type.kind === 'list')) {
        (empty ??= []).push(key);
      }
    }
  }
  const out: JsonObject = {};
  if (empty !== undefined) {
    givenEmpty.set(out, empty);
  }
  for (const { field, isZeroLeftOut } of layoutOf(schema)) {
    const item = given[field.name];
    if (isZeroLeftOut && (item === undefined || item === null)) {
      continue;
    }
    const decoded = item ?? zeroOf(field.type);
    if (!isLeftOut(field, decoded)) {
      out[field.name] = decoded;
    }
  }
  return out;
}

const givenEmpty = new WeakMap<object, readonly string[]>();

/**
 * Whether a field of a decoded object was sent as an empty map or list. Decoding leaves such a field out like
 * an absent one, but until the object is stored, Go's reflect.DeepEqual distinguishes the two.
 */
export function isGivenEmpty(decoded: object, field: string): boolean {
  return givenEmpty.get(decoded)?.includes(field) === true;
}

/** Must be called for an object that is made from a decoded one, so that `isGivenEmpty` works for it. */
export function keepGivenEmpty(decoded: object, made: object): void {
  const fields = givenEmpty.get(decoded);
  if (fields !== undefined) {
    givenEmpty.set(made, fields);
  }
}

interface PlacedField {
  readonly field: FieldSchema;
  /** Computed once per struct, because most fields of most objects have no value. */
  readonly isZeroLeftOut: boolean;
}

const layouts = new WeakMap<StructSchema, readonly PlacedField[]>();

function layoutOf(schema: StructSchema): readonly PlacedField[] {
  let layout = layouts.get(schema);
  if (layout === undefined) {
    layout = schema.fields.map((field) => ({ field, isZeroLeftOut: isLeftOut(field, zeroOf(field.type)) }));
    layouts.set(schema, layout);
  }
  return layout;
}

function decodeValue(type: FieldType, value: Json, struct: string, path: string, unknown: string[]): Json {
  switch (type.kind) {
    case 'string':
      if (typeof value !== 'string') {
        throw mismatch(value, struct, path, 'string');
      }
      return value;
    case 'bool':
      if (typeof value !== 'boolean') {
        throw mismatch(value, struct, path, 'bool');
      }
      return value;
    case 'int32':
    case 'int64':
      if (typeof value !== 'number' || !Number.isInteger(value)) {
        throw mismatch(value, struct, path, type.kind);
      }
      if (type.kind === 'int32' && (value | 0) !== value) {
        throw mismatch(value, struct, path, 'int32');
      }
      return value;
    case 'float64':
      if (typeof value !== 'number') {
        throw mismatch(value, struct, path, 'float64');
      }
      return value;
    case 'bytes':
      if (typeof value !== 'string') {
        throw mismatch(value, struct, path, '[]uint8');
      }
      return decodeBase64(value);
    case 'raw':
      return value;
    case 'time':
      return decodeTime(value, struct, path);
    case 'microtime':
      return decodeMicroTime(value, struct, path);
    case 'duration':
      if (typeof value !== 'string') {
        throw mismatch(value, struct, path, 'string');
      }
      return value;
    case 'quantity': {
      const canonical =
        typeof value === 'number' || typeof value === 'string' ? canonicalQuantity(String(value)) : undefined;
      if (canonical === undefined) {
        throw new DecodeError(quantityFormatMessage);
      }
      return canonical;
    }
    case 'intorstring':
      if (typeof value !== 'string' && (typeof value !== 'number' || (value | 0) !== value)) {
        throw mismatch(value, struct, path, 'int32');
      }
      return value;
    case 'struct':
      return decodeFields(type.name, value, path, unknown, struct);
    case 'pointer':
      return decodeValue(type.of, value, struct, path, unknown);
    case 'list': {
      if (!Array.isArray(value)) {
        throw mismatch(value, struct, path, `[]${goType(type.of)}`);
      }
      if (value.length === 0) {
        return null;
      }
      return value.map((item, index) =>
        item === null
          ? zeroOf(type.of)
          : decodeValue(
              type.of,
              item,
              struct,
              type.of.kind === 'struct' ? `${path}[${index}]` : path,
              unknown,
            ),
      );
    }
    case 'map': {
      if (!isObject(value)) {
        throw mismatch(value, struct, path, `map[string]${goType(type.of)}`);
      }
      const out: JsonObject = {};
      let isEmpty = true;
      for (const key of Object.keys(value).sort()) {
        const item = value[key];
        isEmpty = false;
        const found: string[] = [];
        out[key] =
          item === null || item === undefined
            ? zeroOf(type.of)
            : decodeValue(type.of, item, struct, path, found);
        // Go names the key where a field is unknown, but not where a type is wrong.
        append(
          unknown,
          found.map((field) => `${path}.${key}${field.slice(path.length)}`),
        );
      }
      return isEmpty ? null : out;
    }
  }
}

function zeroOf(type: FieldType): Json {
  switch (type.kind) {
    case 'string':
    case 'duration':
      return '';
    case 'bool':
      return false;
    case 'int32':
    case 'int64':
    case 'float64':
    case 'intorstring':
      return 0;
    case 'quantity':
      return '0';
    case 'struct':
      return decodeFields(type.name, null, '', []);
    case 'bytes':
    case 'raw':
    case 'time':
    case 'microtime':
    case 'pointer':
    case 'list':
    case 'map':
      return null;
  }
}

function isLeftOut(field: FieldSchema, value: Json): boolean {
  if (!field.omitEmpty && !field.omitZero) {
    return false;
  }
  switch (field.type.kind) {
    case 'struct':
      return field.omitZero && isObject(value) && Object.keys(value).length === 0;
    case 'quantity':
    case 'intorstring':
      return false;
    case 'time':
    case 'microtime':
      return value === null && field.omitZero;
    case 'pointer':
      return value === null;
    default:
      return value === null || value === '' || value === 0 || value === false;
  }
}

function decodeBase64(text: string): Json {
  if (text === '') {
    return '';
  }
  const bytes = Buffer.from(text, 'base64');
  const canonical = bytes.toString('base64');
  if (canonical !== text.replace(/[\r\n]/g, '')) {
    const bad = /[^A-Za-z0-9+/=]/.exec(text);
    throw new DecodeError(`illegal base64 data at input byte ${bad?.index ?? Math.max(text.length - 4, 0)}`);
  }
  return canonical;
}

const rfc3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/;
const rfc3339Micro = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})\.(\d{6})(Z|[+-]\d{2}:\d{2})$/;

function decodeTime(value: Json, struct: string, path: string): Json {
  if (typeof value !== 'string') {
    throw mismatch(value, struct, path, 'string');
  }
  const canonical = canonicalTime(value);
  if (canonical === undefined) {
    throw new DecodeError(
      `parsing time "${value}" as "2006-01-02T15:04:05Z07:00": cannot parse "${value}" as "2006"`,
    );
  }
  return canonical;
}

// Cached, because each write of an object reads its times again.
const canonicalTime = remembering((text) => {
  const milliseconds = rfc3339.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(milliseconds) ? undefined : formatTime(milliseconds);
});

function decodeMicroTime(value: Json, struct: string, path: string): Json {
  if (typeof value !== 'string') {
    throw mismatch(value, struct, path, 'string');
  }
  const match = rfc3339Micro.exec(value);
  if (match === null || Number.isNaN(Date.parse(value))) {
    const rest = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(.*)$/.exec(value)?.[1];
    const problem =
      rest === undefined ? `cannot parse "${value}" as "2006"` : `cannot parse "${rest}" as ".000000"`;
    throw new DecodeError(`parsing time "${value}" as "2006-01-02T15:04:05.000000Z07:00": ${problem}`);
  }
  const [, seconds = '', micros = '', zone = ''] = match;
  return `${new Date(Date.parse(seconds + zone)).toISOString().slice(0, 19)}.${micros}Z`;
}

/** Formats a metav1.Time: whole seconds, UTC. */
export function formatTime(milliseconds: number): string {
  const second = Math.floor(milliseconds / 1000);
  if (second !== lastSecond) {
    lastText = new Date(second * 1000).toISOString().slice(0, 19) + 'Z';
    lastSecond = second;
  }
  return lastText;
}

// Cached, because most consecutive calls format the same second: the current one.
let lastSecond = Number.NaN;
let lastText = '';

function mismatch(value: Json, struct: string, path: string, goType: string): DecodeError {
  const given =
    value === null
      ? 'null'
      : Array.isArray(value)
        ? 'array'
        : typeof value === 'boolean'
          ? 'bool'
          : typeof value === 'number' && (goType === 'int32' || goType === 'int64')
            ? `number ${value}`
            : typeof value;
  const target =
    path === '' ? 'Go value' : `Go struct field ${struct.slice(struct.lastIndexOf('.') + 1)}.${path}`;
  return new DecodeError(
    `json: cannot unmarshal ${given} into ${target.replace(/\[\d+\]/g, '')} of type ${goType}`,
  );
}

function goTypeName(typeName: string): string {
  return typeName.split('.').slice(-2).join('.');
}

function goType(type: FieldType): string {
  switch (type.kind) {
    case 'struct':
      return goTypeName(type.name);
    case 'pointer':
      return goType(type.of);
    case 'list':
      return `[]${goType(type.of)}`;
    case 'map':
      return `map[string]${goType(type.of)}`;
    case 'bytes':
      return '[]uint8';
    default:
      return type.kind;
  }
}
