import { type Json, type JsonObject, isObject } from '../meta/json.ts';
import {
  beginMessage,
  endMessage,
  putBase64,
  putBool,
  putDouble,
  putInteger,
  putText,
  writtenBytes,
} from './protobuf-bytes.ts';
import { remembering } from './remembering.ts';
import { type FieldSchema, type FieldType, type StructSchema, structSchema } from './schema.ts';

/*
 * Writes Kubernetes objects in protobuf, byte for byte like the code that go-to-protobuf generates: fields by
 * number, maps by key, and zero values too unless Go holds them by a pointer. The layout of a struct is
 * computed once.
 */

/** Writes the message of an object of the struct from its JSON form. Unknown fields are left out. */
export function writeMessage(value: JsonObject, struct: string): Buffer {
  const write = writerOf(struct);
  return writtenBytes(() => write(value));
}

type WriteFields = (object: JsonObject) => void;
type WriteField = (value: Json | undefined) => void;

const writers = new Map<string, WriteFields>();
const empty: JsonObject = {};

function writerOf(struct: string): WriteFields {
  let writer = writers.get(struct);
  if (writer === undefined) {
    const schema = structSchema(struct);
    writer = levelWriter(schema, schema.fields, 0);
    writers.set(struct, writer);
  }
  return writer;
}

/**
 * Returns a function that writes the fields of one message, the last one first. At a depth above 0, the
 * message is a struct that JSON has inlined.
 */
function levelWriter(schema: StructSchema, fields: readonly FieldSchema[], depth: number): WriteFields {
  const byNumber = new Map<number, FieldSchema[]>();
  for (const field of fields) {
    const number = field.protobufPath[depth];
    if (number !== undefined) {
      byNumber.set(number, [...(byNumber.get(number) ?? []), field]);
    }
  }
  const parts = [...byNumber]
    .sort(([a], [b]) => b - a)
    .map(([number, [first, ...others]]): WriteFields => {
      if (first === undefined || first.protobufPath.length > depth + 1) {
        const inlined = levelWriter(schema, first === undefined ? [] : [first, ...others], depth + 1);
        return (object) => {
          const begun = beginMessage();
          inlined(object);
          endMessage(number, begun);
        };
      }
      const { name } = first;
      const write = unionWriter(schema, name, number) ?? fieldWriter(first.type, number);
      return (object) => write(object[name]);
    });
  return (object) => {
    for (const part of parts) {
      part(object);
    }
  };
}

function fieldWriter(type: FieldType, number: number): WriteField {
  switch (type.kind) {
    case 'pointer': {
      const write = fieldWriter(type.of, number);
      return (value) => {
        if (value !== undefined && value !== null) {
          write(value);
        }
      };
    }
    case 'string':
    case 'duration':
      return (value) => putText(number, textOf(value));
    case 'bool':
      return (value) => putBool(number, value === true);
    case 'int32':
    case 'int64':
      return (value) => putInteger(number, numberOf(value));
    case 'float64':
      return (value) => putDouble(number, numberOf(value));
    case 'bytes':
      return (value) => {
        if (typeof value === 'string') {
          putBase64(number, value);
        }
      };
    case 'raw':
      return asMessage(number, putRaw);
    case 'time':
      return asMessage(number, putTime);
    case 'microtime':
      return asMessage(number, putMicroTime);
    case 'quantity':
      return asMessage(number, putQuantity);
    case 'intorstring':
      return asMessage(number, putIntOrString);
    case 'struct': {
      const { name } = type;
      let write: WriteFields | undefined;
      return asMessage(number, (value) => {
        // Looked up on the first write, because structs can contain themselves.
        write ??= writerOf(name);
        write(isObject(value) ? value : empty);
      });
    }
    case 'list': {
      const write = itemWriter(type.of, number);
      return (value) => {
        const items = listOf(value);
        for (let index = items.length - 1; index >= 0; index--) {
          write(items[index]);
        }
      };
    }
    case 'map': {
      const write = itemWriter(type.of, 2);
      return (value) => {
        if (!isObject(value)) {
          return;
        }
        const keys = keysInOrder(value);
        for (let index = keys.length - 1; index >= 0; index--) {
          const key = keys[index] ?? '';
          const begun = beginMessage();
          write(value[key]);
          putText(1, key);
          endMessage(number, begun);
        }
      };
    }
  }
}

/** Writes an item of a list or a value of a map. If it is a list itself, it becomes a message of its own. */
function itemWriter(type: FieldType, number: number): WriteField {
  if (type.kind !== 'list') {
    return fieldWriter(type, number);
  }
  return asMessage(number, fieldWriter(type, 1));
}

/** Writes a field that is a message. `write` puts the fields of the message. */
function asMessage(number: number, write: WriteField): WriteField {
  return (value) => {
    const begun = beginMessage();
    write(value);
    endMessage(number, begun);
  };
}

/** Sorts keys by their bytes, as Go does. */
function keysInOrder(map: JsonObject): string[] {
  const keys = Object.keys(map).sort();
  return keys.some((key) => /[\ud800-\udfff]/.test(key))
    ? keys.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    : keys;
}

function putQuantity(value: Json | undefined): void {
  putText(1, typeof value === 'string' ? value : '0');
}

function putRaw(value: Json | undefined): void {
  if (value !== undefined && value !== null) {
    putText(1, JSON.stringify(value));
  }
}

/** Puts the whole seconds of a time. A time that is not set has none. */
function putTime(value: Json | undefined): void {
  if (typeof value === 'string') {
    putInteger(2, 0);
    putInteger(1, secondsOf(value) ?? 0);
  }
}

function putMicroTime(value: Json | undefined): void {
  if (typeof value === 'string') {
    // The microseconds follow the seconds, which end at the same offset in every four-digit year.
    putInteger(2, Number(value.slice(20, 26)) * 1000);
    putInteger(1, secondsOf(value) ?? 0);
  }
}

/** Seconds since 1970. Cached, because an object has the same time in many places. */
const secondsOf = remembering((text) => Math.floor(Date.parse(text) / 1000));

function putIntOrString(value: Json | undefined): void {
  putText(3, textOf(value));
  putInteger(2, numberOf(value));
  putInteger(1, typeof value === 'string' ? 1 : 0);
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

function numberOf(value: Json | undefined): number {
  return typeof value === 'number' ? value : 0;
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

const jsonSchema = 'apiextensions.v1.JSONSchemaProps';

/** Writes fields that are one of two types in JSON, and a message with two fields in protobuf. */
function unionWriter({ name }: StructSchema, field: string, number: number): WriteField | undefined {
  if (name === 'meta.v1.APIResource' && field === 'verbs') {
    return unlessNull(itemWriter({ kind: 'list', of: { kind: 'string' } }, number));
  }
  if (name !== jsonSchema) {
    return undefined;
  }
  switch (field) {
    case 'items':
      return unlessNull(asMessage(number, putSchemaOrSchemas));
    case 'additionalItems':
    case 'additionalProperties':
      return unlessNull(asMessage(number, putSchemaOrBool));
    default:
      return undefined;
  }
}

function unlessNull(write: WriteField): WriteField {
  return (value) => {
    if (value !== undefined && value !== null) {
      write(value);
    }
  };
}

function putSchemaOrSchemas(value: Json | undefined): void {
  if (isObject(value)) {
    putSchema(1, value);
  } else {
    for (const item of listOf(value).toReversed()) {
      putSchema(2, item);
    }
  }
}

function putSchemaOrBool(value: Json | undefined): void {
  if (isObject(value)) {
    putSchema(2, value);
  }
  putBool(1, value !== false);
}

function putSchema(number: number, schema: Json): void {
  const begun = beginMessage();
  writerOf(jsonSchema)(isObject(schema) ? schema : empty);
  endMessage(number, begun);
}
