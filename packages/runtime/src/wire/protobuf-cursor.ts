/**
 * A position in bytes that are read as protobuf. The few parts of protobuf that are needed are implemented
 * here, because the libraries build every field of a message, and a projection is cheap by skipping most of
 * them.
 */
export interface Cursor {
  readonly bytes: Buffer;
  at: number;
}

/** How a field is encoded: the low three bits of its tag. */
export const wireType = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

/**
 * Reads a tag, a length or a small number.
 *
 * @throws Error if it does not end within five bytes.
 */
export function readUint(cursor: Cursor): number {
  const { bytes } = cursor;
  let value = 0;
  for (let shift = 0; shift < 35; shift += 7) {
    const byte = byteAt(bytes, cursor.at++);
    // Beyond 28 bits a shift would wrap.
    value += shift < 28 ? (byte & 0x7f) << shift : (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) {
      return value;
    }
  }
  throw new Error(`protobuf: no number of 32 bits at byte ${String(cursor.at)}`);
}

/** Reads an int64 as JSON.parse would: exactly up to 2^53. */
export function readInteger(cursor: Cursor): number {
  const { bytes } = cursor;
  const first = byteAt(bytes, cursor.at);
  if (first < 0x80) {
    cursor.at += 1;
    return first;
  }
  let value = 0n;
  for (let shift = 0n; shift < 70n; shift += 7n) {
    const byte = byteAt(bytes, cursor.at++);
    value |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) {
      return Number(BigInt.asIntN(64, value));
    }
  }
  throw new Error(`protobuf: no number of 64 bits at byte ${String(cursor.at)}`);
}

/**
 * Reads a length and returns where the following field ends.
 *
 * @throws Error if the bytes end before that.
 */
export function readEnd(cursor: Cursor): number {
  const end = readUint(cursor) + cursor.at;
  if (end > cursor.bytes.length) {
    throw new Error(`protobuf: a field ends at byte ${String(end)} of ${String(cursor.bytes.length)}`);
  }
  return end;
}

/** @throws Error for a wire type that neither proto2 nor proto3 has. */
export function skipField(cursor: Cursor, tag: number): void {
  switch (tag & 7) {
    case wireType.varint:
      while (byteAt(cursor.bytes, cursor.at++) >= 0x80) {}
      return;
    case wireType.fixed64:
      cursor.at += 8;
      return;
    case wireType.bytes:
      cursor.at = readEnd(cursor);
      return;
    case wireType.fixed32:
      cursor.at += 4;
      return;
    default:
      throw new Error(`protobuf: field ${String(tag >>> 3)} has the unknown wire type ${String(tag & 7)}`);
  }
}

function byteAt(bytes: Buffer, at: number): number {
  const byte = bytes[at];
  if (byte === undefined) {
    throw new Error(`protobuf: the message ends at byte ${String(at)}, within a field`);
  }
  return byte;
}
