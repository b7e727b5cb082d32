import { createWordReader } from './interned-words.ts';
import type { Message, Scalar, WireField } from './kubernetes-messages.ts';
import { compileFilter, isList, type FieldTree, type ListField } from './field-tree.ts';
import { readEnd, readInteger, readUint, skipField, wireType, type Cursor } from './protobuf-cursor.ts';

type Target = Record<string, unknown>;
/** Reads one occurrence of a field, whose tag has been read, into the message that it belongs to. */
type ReadField = (cursor: Cursor, target: Target) => void;

/** Reads a message from the cursor up to the given byte, and leaves the cursor there. */
export type ReadMessage = (cursor: Cursor, end: number) => object;

const readWord = createWordReader();

/**
 * Returns the function that reads the tree's fields and skips all others; undefined if the message lacks one
 * of them.
 */
export function compileProtobuf(message: Message, tree: FieldTree): ReadMessage | undefined {
  const readers: Readers = new Map();
  for (const [name, kept] of Object.entries(tree)) {
    const field = message[name];
    const read = field === undefined ? undefined : compileField(name, field, kept);
    if (field === undefined || read === undefined) {
      return undefined;
    }
    place(readers, field.path, read);
  }
  const readInto = compileReaders(readers);
  return (cursor, end) => {
    const target: Target = {};
    readInto(cursor, end, target);
    return target;
  };
}

/** Readers by field number. */
type Readers = Map<number, ReadField | Inlined>;

/** A struct that JSON does not show: its fields belong to the message around it. */
interface Inlined {
  readonly fields: Readers;
}

function place(readers: Readers, [number, ...inner]: readonly [number, ...number[]], read: ReadField): void {
  const [next, ...rest] = inner;
  if (next === undefined) {
    readers.set(number, read);
    return;
  }
  const known = readers.get(number);
  const inlined: Inlined = typeof known === 'object' ? known : { fields: new Map() };
  readers.set(number, inlined);
  place(inlined.fields, [next, ...rest], read);
}

function compileReaders(readers: Readers): (cursor: Cursor, end: number, target: Target) => void {
  // Field numbers are small, and an array is fast to index for every field.
  const byNumber: (ReadField | undefined)[] = new Array<ReadField | undefined>(
    Math.max(0, ...readers.keys()) + 1,
  );
  for (const [number, read] of readers) {
    if (typeof read === 'object') {
      const readInlined = compileReaders(read.fields);
      byNumber[number] = (cursor, target) => readInlined(cursor, readEnd(cursor), target);
    } else {
      byNumber[number] = read;
    }
  }
  return (cursor, end, target) => {
    while (cursor.at < end) {
      const tag = readUint(cursor);
      const read = byNumber[tag >>> 3];
      if (read === undefined) {
        skipField(cursor, tag);
      } else {
        read(cursor, target);
      }
    }
    if (cursor.at !== end) {
      throw new Error(`protobuf: a message ends at byte ${String(end)}, within a field`);
    }
  };
}

function compileField(name: string, field: WireField, kept: FieldTree[string]): ReadField | undefined {
  const { type, form, keepsZero } = field;
  switch (form) {
    case 'one':
      return typeof type === 'object'
        ? kept === true || isList(kept)
          ? undefined
          : compileMessageField(name, type, kept)
        : kept === true
          ? compileScalarField(name, type, keepsZero)
          : undefined;
    case 'list':
      return typeof type === 'object'
        ? isList(kept)
          ? compileMessageList(name, type, kept)
          : undefined
        : kept === true
          ? compileScalarList(name, type)
          : undefined;
    case 'map':
      return typeof type === 'object' || isList(kept) ? undefined : compileMap(name, type, kept);
  }
}

function compileMessageField(name: string, message: Message, kept: FieldTree): ReadField | undefined {
  const read = compileProtobuf(message, kept);
  return (
    read &&
    ((cursor, target) => {
      target[name] = read(cursor, readEnd(cursor));
    })
  );
}

function compileMessageList(name: string, message: Message, kept: ListField): ReadField | undefined {
  const read = compileProtobuf(message, kept[0]);
  if (read === undefined) {
    return undefined;
  }
  const isKept = compileFilter(kept);
  return (cursor, target) => {
    const element = read(cursor, readEnd(cursor));
    if (isKept(element)) {
      append(target, name, element);
    }
  };
}

function compileScalarField(name: string, type: Scalar, keepsZero: boolean): ReadField {
  const read = scalars[type];
  return (cursor, target) => {
    const value = read(cursor);
    if (value !== undefined && (keepsZero || (value !== '' && value !== 0 && value !== false))) {
      target[name] = value;
    }
  };
}

function compileScalarList(name: string, type: Scalar): ReadField {
  const read = scalars[type];
  return (cursor, target) => append(target, name, read(cursor));
}

function append(target: Target, name: string, value: unknown): void {
  const list = target[name];
  if (list === undefined) {
    target[name] = [value];
  } else {
    (list as unknown[]).push(value);
  }
}

/**
 * Reads a map, whose entries are messages of a key and a value. If there is any entry the map exists, even if
 * none is kept.
 */
function compileMap(name: string, type: Scalar, kept: true | FieldTree): ReadField {
  const readValue = scalars[type];
  return (cursor, target) => {
    const end = readEnd(cursor);
    let key = '';
    let value: unknown = '';
    while (cursor.at < end) {
      const tag = readUint(cursor);
      if (tag === keyTag) {
        key = readText(cursor);
      } else if (tag === valueTag && (kept === true || kept[key] === true)) {
        value = readValue(cursor);
      } else {
        skipField(cursor, tag);
      }
    }
    const entries = (target[name] ??= {}) as Target;
    if (kept === true || kept[key] === true) {
      entries[key] = value;
    }
  };
}

const keyTag = (1 << 3) | wireType.bytes;
const valueTag = (2 << 3) | wireType.bytes;

function readText(cursor: Cursor): string {
  const end = readEnd(cursor);
  const text = end === cursor.at ? '' : cursor.bytes.toString('utf8', cursor.at, end);
  cursor.at = end;
  return text;
}

/** The JSON form of each scalar; undefined where JSON has null. */
const scalars: Readonly<Record<Scalar, (cursor: Cursor) => string | number | boolean | undefined>> = {
  string: readText,
  word: (cursor) => {
    const end = readEnd(cursor);
    const word = readWord(cursor.bytes, cursor.at, end);
    cursor.at = end;
    return word;
  },
  integer: readInteger,
  boolean: (cursor) => readUint(cursor) !== 0,
  time: (cursor) => {
    const end = readEnd(cursor);
    // The zero of a time is a message without fields.
    if (cursor.at === end) {
      return undefined;
    }
    let seconds = 0;
    while (cursor.at < end) {
      const tag = readUint(cursor);
      if (tag === secondsTag) {
        seconds = readInteger(cursor);
      } else {
        skipField(cursor, tag);
      }
    }
    return timeOf(seconds);
  },
  quantity: (cursor) => {
    const end = readEnd(cursor);
    let text = '0';
    while (cursor.at < end) {
      const tag = readUint(cursor);
      if (tag === keyTag) {
        text = readText(cursor);
      } else {
        skipField(cursor, tag);
      }
    }
    return text;
  },
};

const secondsTag = (1 << 3) | wireType.varint;

/**
 * How many times are remembered, by their second: objects that are created or deleted together have few
 * different times.
 */
const secondsRemembered = 64;
const times = new Map<number, string>();

function timeOf(seconds: number): string {
  let text = times.get(seconds);
  if (text === undefined) {
    text = new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');
    if (times.size === secondsRemembered) {
      times.clear();
    }
    times.set(seconds, text);
  }
  return text;
}
