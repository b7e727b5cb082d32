/*
 * Bytes of protobuf, written from the last to the first: how long a message is, is known when it has been written, and its length stands before it. One
 * message is written at a time, in a space that the next one uses again.
 */

const firstSpace = 64 * 1024;
/** A space that grew beyond this is not kept, in bytes. */
const keptSpace = 1024 * 1024;

const wireTypes = { varint: 0, fixed64: 1, bytes: 2 } as const;

let space = Buffer.allocUnsafeSlow(firstSpace);
/** Where the first byte stands that was written. */
let at = space.length;

/** The bytes that `write` puts, by the functions below. It may not call this again. */
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

/** To be called before the fields of a message are put, for endMessage. */
export function beginMessage(): number {
  return space.length - at;
}

/** Makes a field of what was put since beginMessage. */
export function endMessage(number: number, begun: number): void {
  putLength(number, space.length - at - begun);
}

export function putBytes(number: number, bytes: Uint8Array): void {
  makeRoom(bytes.length);
  at -= bytes.length;
  space.set(bytes, at);
  putLength(number, bytes.length);
}

/** Bytes that are no field. */
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

/** The bytes that the text stands for in base64. */
export function putBase64(number: number, text: string): void {
  putEncoded(number, text, 'base64');
}

/** Longer texts are left to native code, which takes a while to call. */
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

/** A whole number; a negative one takes ten bytes, of 32 bits as well. */
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

/** A number from 0 to 2^53. */
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
