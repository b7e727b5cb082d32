/*
 * Writes protobuf from the last byte to the first, because the length of a message stands before it but is
 * known only after the message has been written. One message is written at a time, into a buffer that is
 * reused.
 */

const firstSpace = 64 * 1024;
/** A buffer that grew beyond this size, in bytes, is not reused. */
const keptSpace = 1024 * 1024;

const wireTypes = { varint: 0, fixed64: 1, bytes: 2 } as const;

let space = Buffer.allocUnsafeSlow(firstSpace);
/** The offset of the first byte that has been written. */
let at = space.length;

/** Returns the bytes that `write` puts with the functions below. `write` must not call this function. */
export function writtenBytes(write: () => void): Buffer {
  at = space.length;
  try {
    write();
    return Buffer.from(space.subarray(at));
  } finally {
    if (space.length > keptSpace) {
      space = Buffer.allocUnsafeSlow(firstSpace);
    }
    at = space.length;
  }
}

function makeRoom(length: number): void {
  if (at >= length) {
    return;
  }
  const used = space.length - at;
  const larger = Buffer.allocUnsafeSlow(Math.max(space.length * 2, used + length));
  space.copy(larger, larger.length - used, at);
  at = larger.length - used;
  space = larger;
}

/** Must be called before the fields of a message are put. Pass the result to `endMessage`. */
export function beginMessage(): number {
  return space.length - at;
}

/** Makes a field of everything that was put since `beginMessage`. */
export function endMessage(number: number, begun: number): void {
  putLength(number, space.length - at - begun);
}

export function putBytes(number: number, bytes: Uint8Array): void {
  makeRoom(bytes.length);
  at -= bytes.length;
  space.set(bytes, at);
  putLength(number, bytes.length);
}

/** Puts bytes without making a field of them. */
export function putPlain(bytes: Uint8Array): void {
  makeRoom(bytes.length);
  at -= bytes.length;
  space.set(bytes, at);
}

export function putText(number: number, text: string): void {
  if (text.length <= shortText && putShort(text)) {
    putLength(number, text.length);
  } else {
    putEncoded(number, text, 'utf8');
  }
}

/** Puts the bytes that a base64 text encodes. */
export function putBase64(number: number, text: string): void {
  putEncoded(number, text, 'base64');
}

/** Longer texts are written by native code, whose call overhead does not pay off for shorter ones. */
const shortText = 40;

function putShort(text: string): boolean {
  makeRoom(text.length);
  const start = at - text.length;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code > 0x7f) {
      return false;
    }
    space[start + index] = code;
  }
  at = start;
  return true;
}

function putEncoded(number: number, text: string, encoding: 'utf8' | 'base64'): void {
  const length = Buffer.byteLength(text, encoding);
  if (length > 0) {
    makeRoom(length);
    at -= length;
    space.write(text, at, length, encoding);
  }
  putLength(number, length);
}

export function putBool(number: number, value: boolean): void {
  putVarint(value ? 1 : 0);
  putVarint(number * 8 + wireTypes.varint);
}

/** Puts an integer. A negative one takes ten bytes, even if its type has 32 bits. */
export function putInteger(number: number, value: number): void {
  if (value < 0) {
    putUnsigned(BigInt.asUintN(64, BigInt(value)));
  } else {
    putVarint(value);
  }
  putVarint(number * 8 + wireTypes.varint);
}

export function putDouble(number: number, value: number): void {
  makeRoom(8);
  at -= 8;
  space.writeDoubleLE(value, at);
  putVarint(number * 8 + wireTypes.fixed64);
}

function putLength(number: number, length: number): void {
  putVarint(length);
  putVarint(number * 8 + wireTypes.bytes);
}

/**
 * Puts a varint.
 *
 * @param value from 0 to 2^53
 */
function putVarint(value: number): void {
  if (value < 0x80 && at > 0) {
    space[--at] = value;
    return;
  }
  let size = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) {
    size++;
  }
  makeRoom(size);
  at -= size;
  let place = at;
  let rest = value;
  while (rest >= 0x80) {
    space[place++] = (rest % 0x80) | 0x80;
    rest = Math.floor(rest / 0x80);
  }
  space[place] = rest;
}

function putUnsigned(value: bigint): void {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 0x80n) {
    bytes.push(Number(rest & 0x7fn) | 0x80);
    rest >>= 7n;
  }
  bytes.push(Number(rest));
  putPlain(Buffer.from(bytes));
}
