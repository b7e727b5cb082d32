/*
 * Turns objects of certain names into ones that are not of the shape of their kind, in what the API server answers: a real one lets
 * none in. In JSON the spec becomes a text; in protobuf the first field of the spec says that it is longer than the object.
 */

/** Objects whose names begin so come out unreadable. */
export const poisonMark = 'poison-';

const markBytes = Buffer.from(poisonMark);
const protobufMagic = Buffer.from('k8s\0');

/** An answer of one object or a list of them. @returns undefined where nothing in it is to be changed. */
export function poisonAnswer(body: Buffer, isProtobuf: boolean): Buffer | undefined {
  if (!body.includes(markBytes)) {
    return undefined;
  }
  return isProtobuf ? poisonEnvelope(body) : poisonJson(body);
}

/** One event of a watch: a line of JSON, or a frame of protobuf without its length. */
export function poisonEvent(event: Buffer, isProtobuf: boolean): Buffer | undefined {
  if (!event.includes(markBytes)) {
    return undefined;
  }
  if (!isProtobuf) {
    return poisonJson(event);
  }
  // WatchEvent: object (2) is a RawExtension, whose raw (1) is an envelope.
  const changed = Buffer.from(event);
  const raw = fieldsOf(fieldsOf(changed).find(({ number }) => number === 2)?.bytes).find(
    ({ number }) => number === 1,
  );
  return raw !== undefined && tearIn(raw.bytes) ? changed : undefined;
}

interface JsonObject {
  readonly metadata?: { readonly name?: string };
}

function poisonJson(text: Buffer): Buffer | undefined {
  const value = JSON.parse(text.toString()) as {
    readonly type?: string;
    readonly object?: JsonObject;
    readonly items?: readonly JsonObject[];
  } & JsonObject;
  if (value.object !== undefined) {
    return Buffer.from(`${JSON.stringify({ ...value, object: torn(value.object) })}\n`);
  }
  if (value.items !== undefined) {
    return Buffer.from(JSON.stringify({ ...value, items: value.items.map(torn) }));
  }
  return Buffer.from(JSON.stringify(torn(value)));
}

function torn<T extends JsonObject>(object: T): T {
  return object.metadata?.name?.startsWith(poisonMark) === true ? { ...object, spec: 'unreadable' } : object;
}

function poisonEnvelope(body: Buffer): Buffer | undefined {
  const changed = Buffer.from(body);
  return tearIn(changed) ? changed : undefined;
}

/** In an envelope: `k8s\0` and an Unknown, whose raw (2) is the object or the list. @returns whether anything was torn. */
function tearIn(envelope: Buffer): boolean {
  if (!envelope.subarray(0, protobufMagic.length).equals(protobufMagic)) {
    return false;
  }
  const raw = fieldsOf(envelope.subarray(protobufMagic.length)).find(({ number }) => number === 2)?.bytes;
  const items = fieldsOf(raw).filter(({ number }) => number === 2);
  return [raw, ...items.map(({ bytes }) => bytes)].map(tearObject).some(Boolean);
}

/** An object's metadata is field 1, the name field 1 of that; the spec is field 2. */
function tearObject(object: Buffer | undefined): boolean {
  const parts = fieldsOf(object);
  const metadata = parts.find(({ number }) => number === 1)?.bytes;
  const name = fieldsOf(metadata).find(({ number }) => number === 1)?.bytes;
  const spec = parts.find(({ number }) => number === 2)?.bytes;
  if (
    name?.subarray(0, markBytes.length).equals(markBytes) !== true ||
    spec === undefined ||
    spec.length < 6
  ) {
    return false;
  }
  // The tag stays, its length becomes 2 GiB.
  spec.set([0xff, 0xff, 0xff, 0xff, 0x07], 1);
  return true;
}

interface Field {
  readonly number: number;
  /** Within the message, so that writing to them changes it. */
  readonly bytes: Buffer;
}

/** The fields of a message that have a length; none of bytes that are no message. */
function fieldsOf(message: Buffer | undefined): readonly Field[] {
  const fields: Field[] = [];
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let factor = 1; message !== undefined && at < message.length; factor *= 128) {
      const byte = message[at++] ?? 0;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) {
        return value;
      }
    }
    return NaN;
  };
  while (message !== undefined && at < message.length) {
    const tag = varint();
    switch (tag % 8) {
      case 0:
        varint();
        break;
      case 1:
        at += 8;
        break;
      case 2: {
        const length = varint();
        if (!(at + length <= message.length)) {
          return fields;
        }
        fields.push({ number: Math.floor(tag / 8), bytes: message.subarray(at, at + length) });
        at += length;
        break;
      }
      case 5:
        at += 4;
        break;
      default:
        return fields;
    }
  }
  return fields;
}
