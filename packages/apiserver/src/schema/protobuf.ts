import { type Json, type JsonObject, isObject } from '../meta/json.ts';
import { DecodeError, decodeStruct, formatTime } from './decode.ts';
import { type FieldSchema, type FieldType, type StructSchema, structSchema } from './schema.ts';

/*
 * Reads the protobuf form of Kubernetes objects (k8s.io/apimachinery/pkg/runtime/serializer/protobuf) into
 * the JSON form, by the same schema data. kubectl create and kube-controller-manager send protobuf. A
 * protobuf package would need the .proto files of all groups, and would not know which messages JSON inlines.
 */

const magic = Buffer.from('k8s\0');

export interface ProtobufEnvelope {
  readonly apiVersion: string;
  readonly kind: string;
  readonly raw: Buffer;
}

/** Reads the envelope around an object. Throws DecodeError. */
export function openEnvelope(body: Buffer): ProtobufEnvelope {
  if (!body.subarray(0, 4).equals(magic)) {
    throw new DecodeError('provided data does not appear to be a protobuf message');
  }
  let apiVersion = '';
  let kind = '';
  let raw = Buffer.alloc(0);
  for (const { number, bytes } of fieldsOf(body.subarray(4))) {
    if (number === 1 && bytes !== undefined) {
      for (const part of fieldsOf(bytes)) {
        if (part.number === 1) {
          apiVersion = text(part);
        } else if (part.number === 2) {
          kind = text(part);
        }
      }
    } else if (number === 2 && bytes !== undefined) {
      raw = Buffer.from(bytes);
    }
  }
  return { apiVersion, kind, raw };
}

/** Reads a message of the struct into its JSON form. Throws DecodeError if the bytes are not protobuf. */
export function readMessage(bytes: Buffer, struct: string): JsonObject {
  const out: JsonObject = {};
  readInto(out, bytes, structSchema(struct), []);
  return out;
}

interface WireField {
  readonly number: number;
  /** The value of a varint or a fixed-size number. */
  readonly value: bigint;
  /** The bytes of a length-delimited field. */
  readonly bytes: Buffer | undefined;
}

function readInto(out: JsonObject, bytes: Buffer, schema: StructSchema, path: readonly number[]): void {
  for (const wire of fieldsOf(bytes)) {
    const here = [...path, wire.number];
    const field = schema.fields.find(({ protobufPath }) => isSamePath(protobufPath, here));
    const union = field === undefined ? undefined : unionsOf(schema)[field.name];
    if (field !== undefined && union !== undefined) {
      out[field.name] = union(required(wire));
    } else if (field !== undefined) {
      readField(out, field, wire);
    } else if (
      wire.bytes !== undefined &&
      schema.fields.some(({ protobufPath }) => isBelow(protobufPath, here))
    ) {
      readInto(out, wire.bytes, schema, here);
    }
  }
}

/** How to read fields that are one of two types in JSON, and a message with two fields in protobuf. */
type Unions = Readonly<Record<string, (bytes: Buffer) => Json>>;

const jsonSchema = 'apiextensions.v1.JSONSchemaProps';

const schemaUnions: Unions = {
  items: schemaOrSchemas,
  additionalItems: schemaOrBool,
  additionalProperties: schemaOrBool,
};

function unionsOf(schema: StructSchema): Unions {
  return schema.name === jsonSchema ? schemaUnions : {};
}

function schemaOrSchemas(bytes: Buffer): Json {
  const parts = [...fieldsOf(bytes)];
  const one = parts.find(({ number }) => number === 1);
  return one === undefined ? parts.map(readSchema) : readSchema(one);
}

function schemaOrBool(bytes: Buffer): Json {
  const parts = [...fieldsOf(bytes)];
  const schema = parts.find(({ number }) => number === 2);
  return schema === undefined
    ? parts.some(({ number, value }) => number === 1 && value !== 0n)
    : readSchema(schema);
}

/** Reads a schema. Its content is not decoded later, so zero values are left out here. */
function readSchema(part: WireField): Json {
  return decodeStruct(jsonSchema, readMessage(required(part), jsonSchema)).value;
}

function isSamePath(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((number, index) => number === b[index]);
}

function isBelow(path: readonly number[], prefix: readonly number[]): boolean {
  return path.length > prefix.length && prefix.every((number, index) => number === path[index]);
}

function readField(out: JsonObject, { name, type }: FieldSchema, wire: WireField): void {
  const bare = type.kind === 'pointer' ? type.of : type;
  if (bare.kind === 'list') {
    const list = out[name];
    const item = readValue(bare.of, wire);
    if (Array.isArray(list)) {
      list.push(item);
    } else {
      out[name] = [item];
    }
  } else if (bare.kind === 'map') {
    const map = out[name];
    const entries = isObject(map) ? map : (out[name] = {});
    let key = '';
    let value: Json = emptyOf(bare.of);
    for (const part of fieldsOf(required(wire))) {
      if (part.number === 1) {
        key = text(part);
      } else if (part.number === 2) {
        value = readValue(bare.of, part);
      }
    }
    entries[key] = value;
  } else {
    out[name] = readValue(bare, wire);
  }
}

function emptyOf(type: FieldType): Json {
  return type.kind === 'string' ? '' : null;
}

function readValue(type: FieldType, wire: WireField): Json {
  switch (type.kind) {
    case 'string':
    case 'duration':
      return wire.bytes === undefined ? String(wire.value) : text(wire);
    case 'bool':
      return wire.value !== 0n;
    case 'int32':
      return Number(BigInt.asIntN(32, wire.value));
    case 'int64':
      return Number(BigInt.asIntN(64, wire.value));
    case 'float64':
      return required(wire).readDoubleLE(0);
    case 'bytes':
      return required(wire).toString('base64');
    case 'raw':
      return readRaw(required(wire));
    case 'time':
    case 'microtime':
      return readTime(required(wire), type.kind === 'microtime');
    case 'quantity':
      return firstText(required(wire));
    case 'intorstring':
      return readIntOrString(required(wire));
    case 'struct':
      return readMessage(required(wire), type.name);
    case 'pointer':
      return readValue(type.of, wire);
    case 'list':
      return [...fieldsOf(required(wire))].map((part) => readValue(type.of, part));
    case 'map':
      throw new DecodeError('protobuf: a map can not be a value');
  }
}

function readRaw(bytes: Buffer): Json {
  const json = firstText(bytes);
  try {
    return json === '' ? null : (JSON.parse(json) as Json);
  } catch {
    throw new DecodeError('protobuf: raw extension is not JSON');
  }
}

function readTime(bytes: Buffer, isMicro: boolean): Json {
  let seconds = 0n;
  let nanos = 0n;
  for (const { number, value } of fieldsOf(bytes)) {
    if (number === 1) {
      seconds = BigInt.asIntN(64, value);
    } else if (number === 2) {
      nanos = value;
    }
  }
  // An unset time is written as Go's zero time.
  if (bytes.length === 0 || seconds === -62135596800n) {
    return null;
  }
  const whole = formatTime(Number(seconds) * 1000);
  return isMicro ? `${whole.slice(0, -1)}.${String(nanos / 1000n).padStart(6, '0')}Z` : whole;
}

function readIntOrString(bytes: Buffer): Json {
  let isString = false;
  let number = 0;
  let string = '';
  for (const part of fieldsOf(bytes)) {
    if (part.number === 1) {
      isString = part.value === 1n;
    } else if (part.number === 2) {
      number = Number(BigInt.asIntN(32, part.value));
    } else if (part.number === 3) {
      string = text(part);
    }
  }
  return isString ? string : number;
}

function firstText(bytes: Buffer): string {
  for (const part of fieldsOf(bytes)) {
    if (part.number === 1) {
      return text(part);
    }
  }
  return '';
}

function text(wire: WireField): string {
  return required(wire).toString('utf8');
}

function required({ bytes }: WireField): Buffer {
  if (bytes === undefined) {
    throw new DecodeError('protobuf: wrong wire type');
  }
  return bytes;
}

function* fieldsOf(bytes: Buffer): Generator<WireField> {
  let at = 0;
  function varint(): bigint {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++];
      if (byte === undefined) {
        throw new DecodeError('protobuf: unexpected EOF');
      }
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) {
        return value;
      }
    }
  }
  while (at < bytes.length) {
    const tag = Number(varint());
    const number = tag >>> 3;
    switch (tag & 7) {
      case 0:
        yield { number, value: varint(), bytes: undefined };
        break;
      case 1:
        yield { number, value: 0n, bytes: bytes.subarray(at, (at += 8)) };
        break;
      case 2: {
        const length = Number(varint());
        if (at + length > bytes.length) {
          throw new DecodeError('protobuf: unexpected EOF');
        }
        yield { number, value: 0n, bytes: bytes.subarray(at, (at += length)) };
        break;
      }
      case 5:
        yield { number, value: 0n, bytes: bytes.subarray(at, (at += 4)) };
        break;
      default:
        throw new DecodeError(`protobuf: wire type ${tag & 7} is not known`);
    }
  }
}
