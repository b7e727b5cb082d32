/*
 * Makes objects of certain names unreadable in the answers of the API server, by giving them a shape that
 * their kind does not have; a real server would accept no such object. In JSON the spec becomes a text; in
 * protobuf the first field of the spec claims to be longer than the object.
 */

/** The prefix of names whose objects become unreadable. */
export const poisonMark = 'poison-';

const markBytes = Buffer.from(poisonMark);
const protobufMagic = Buffer.from('k8s\0');

/**
 * Changes the answer for one object or a list.
 *
 * @returns undefined if nothing in it is to be changed
 */
export function poisonAnswer(body: Buffer, isProtobuf: boolean): Buffer | undefined {
  if (!body.includes(markBytes)) {
    return undefined;
  }
  return isProtobuf ? poisonEnvelope(body) : poisonJson(body);
}

/** Changes one event of a watch: a line of JSON, or a frame of protobuf without its length. */
export function poisonEvent(event: Buffer, isProtobuf: boolean): Buffer | undefined {
  if (!event.includes(markBytes)) {
    return undefined;
  }
  if (!isProtobuf) {
    return poisonJson(event);
  }
  // WatchEvent: its object (2) is a RawExtension, whose raw (1) is an envelope.
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

/**
 * An envelope consists of `k8s\0` and an Unknown, whose raw (2) is the object or the list.
 *
 * @returns whether anything was changed
 */
function tearIn(envelope: Buffer): boolean {
  if (!envelope.subarray(0, protobufMagic.length).equals(protobufMagic)) {
    return false;
  }
  const raw = fieldsOf(envelope.subarray(protobufMagic.length)).find(({ number }) => number === 2)?.bytes;
  const items = fieldsOf(raw).filter(({ number }) => number === 2);
  return [raw, ...items.map(({ bytes }) => bytes)].map(tearObject).some(Boolean);
}

/** Field 1 of an object is its metadata, whose field 1 is the name; field 2 of the object is the spec. */
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
  // The tag stays, but its length becomes 2 GiB.
  spec.set([0xff, 0xff, 0xff, 0xff, 0x07], 1);
  return true;
}

interface Field {
  readonly number: number;
  /** A view of the message, so that writing to it changes the message. */
  readonly bytes: Buffer;
}

/** Returns the fields of a message that have a length; none if the bytes are not a message. */
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
