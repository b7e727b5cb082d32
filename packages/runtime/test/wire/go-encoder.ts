import { structSchema, type FieldSchema, type FieldType } from '@holdfast/apiserver';

/*
 * Writes JSON as the protobuf that an API server would send for it. It knows nothing of the decoder under test:
 * numbers, pointers and omitempty come from the schema that was read from Go's types by reflection.
 */

type Json = unknown;
type JsonObject = Readonly<Record<string, Json>>;

export function encodeStruct(struct: string, value: JsonObject): Buffer {
  const parts: { readonly number: number; readonly bytes: Buffer }[] = [];
  const inlined = new Map<number, Buffer[]>();
  for (const field of structSchema(struct).fields) {
    const [outer, inner] = field.protobufPath;
    if (outer === undefined) {
      continue;
    }
    if (inner === undefined) {
      parts.push({ number: outer, bytes: encodeField(outer, field, value[field.name]) });
    } else {
      inlined.set(outer, [...(inlined.get(outer) ?? []), encodeField(inner, field, value[field.name])]);
    }
  }
  for (const [number, fields] of inlined) {
    parts.push({ number, bytes: delimited(number, Buffer.concat(fields)) });
  }
  return Buffer.concat(parts.sort((a, b) => a.number - b.number).map(({ bytes }) => bytes));
}

/** As it stands for itself, in an answer or within an event. */
export function encodeObject(apiVersion: string, kind: string, raw: Buffer): Buffer {
  const typeMeta = Buffer.concat([delimited(1, Buffer.from(apiVersion)), delimited(2, Buffer.from(kind))]);
  return Buffer.concat([
    Buffer.from('k8s\0'),
    delimited(1, typeMeta),
    delimited(2, raw),
    delimited(3, Buffer.alloc(0)),
    delimited(4, Buffer.alloc(0)),
  ]);
}

export function encodeList(
  apiVersion: string,
  kind: string,
  metadata: {
    readonly resourceVersion: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  },
  items: readonly Buffer[],
): Buffer {
  const listMeta = Buffer.concat([
    delimited(1, Buffer.alloc(0)),
    delimited(2, Buffer.from(metadata.resourceVersion)),
    delimited(3, Buffer.from(metadata.continue ?? '')),
    ...(metadata.remainingItemCount === undefined
      ? []
      : [Buffer.concat([tag(4, 0), varint(BigInt(metadata.remainingItemCount))])]),
  ]);
  const raw = Buffer.concat([delimited(1, listMeta), ...items.map((item) => delimited(2, item))]);
  return encodeObject(apiVersion, `${kind}List`, raw);
}

/** A frame of a watch, with its length before it. */
export function encodeEvent(type: string, object: Buffer): Buffer {
  const event = Buffer.concat([delimited(1, Buffer.from(type)), delimited(2, delimited(1, object))]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(event.length);
  return Buffer.concat([length, event]);
}

function encodeField(number: number, { type }: FieldSchema, value: Json): Buffer {
  switch (type.kind) {
    case 'pointer':
      return value === undefined || value === null ? Buffer.alloc(0) : encodeOne(number, type.of, value);
    case 'list':
      return Buffer.concat(
        ((value ?? []) as readonly Json[]).map((each) => encodeOne(number, type.of, each)),
      );
    case 'map':
      return Buffer.concat(
        Object.entries((value ?? {}) as JsonObject).map(([key, each]) =>
          delimited(number, Buffer.concat([delimited(1, Buffer.from(key)), encodeOne(2, type.of, each)])),
        ),
      );
    default:
      return encodeOne(number, type, value);
  }
}

/** What is no pointer is always written, its zero too. */
function encodeOne(number: number, type: FieldType, value: Json): Buffer {
  switch (type.kind) {
    case 'string':
      return delimited(number, Buffer.from((value ?? '') as string));
    case 'bool':
      return Buffer.concat([tag(number, 0), varint(value === true ? 1n : 0n)]);
    case 'int32':
    case 'int64':
      return Buffer.concat([tag(number, 0), varint(BigInt((value ?? 0) as number))]);
    case 'struct':
      return delimited(number, encodeStruct(type.name, (value ?? {}) as JsonObject));
    case 'time': {
      if (value === undefined || value === null) {
        return delimited(number, Buffer.alloc(0));
      }
      const seconds = BigInt(Date.parse(value as string) / 1000);
      return delimited(number, Buffer.concat([tag(1, 0), varint(seconds), tag(2, 0), varint(0n)]));
    }
    case 'quantity':
      return delimited(number, delimited(1, Buffer.from((value ?? '') as string)));
    default:
      // No projection keeps the other kinds.
      return Buffer.alloc(0);
  }
}

function delimited(number: number, bytes: Buffer): Buffer {
  return Buffer.concat([tag(number, 2), varint(BigInt(bytes.length)), bytes]);
}

function tag(number: number, wireType: number): Buffer {
  return varint(BigInt((number << 3) | wireType));
}

function varint(value: bigint): Buffer {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, value);
  do {
    const low = Number(rest & 0x7fn);
    rest >>= 7n;
    bytes.push(rest === 0n ? low : low | 0x80);
  } while (rest !== 0n);
  return Buffer.from(bytes);
}
