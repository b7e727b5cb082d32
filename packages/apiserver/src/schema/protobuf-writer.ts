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
 * Writes Kubernetes objects in protobuf, byte for byte as the code that go-to-protobuf generates: fields by their numbers, maps by their keys, and whatever Go
 * does not hold by a pointer even where it is zero. What a struct looks like is found out once.
 */

/** The message of an object of the struct, given as JSON. Fields that the struct does not have are left out. */
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

/** Writes the fields that stand in one message, the last first. At greater depth that is one that JSON has inlined. */
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
        // Found when it is written: structs contain themselves.
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

/** A list that is itself a value is a message of its own. */
function itemWriter(type: FieldType, number: number): WriteField {
  if (type.kind !== 'list') {
    return fieldWriter(type, number);
  }
  return asMessage(number, fieldWriter(type, 1));
}

/** A field that is a message, whose own fields `write` puts. */
function asMessage(number: number, write: WriteField): WriteField {
  return (value) => {
    const begun = beginMessage();
    write(value);
    endMessage(number, begun);
  };
}

/** By their bytes, as Go sorts. */
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

/** Whole seconds; nothing for a time that is not set. */
function putTime(value: Json | undefined): void {
  if (typeof value === 'string') {
    putInteger(2, 0);
    putInteger(1, secondsOf(value) ?? 0);
  }
}

function putMicroTime(value: Json | undefined): void {
  if (typeof value === 'string') {
    // After the seconds, which end at the same place in every year of four digits.
    putInteger(2, Number(value.slice(20, 26)) * 1000);
    putInteger(1, secondsOf(value) ?? 0);
  }
}

/** Since 1970. An object has the same time at many places. */
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

/** Fields that JSON shows as one of two types, and that are a message of two fields here. */
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
