import type { ObjectMeta } from '@holdfast/core';
import { quoted } from '../logging/quoted.ts';
import { anyObject, listMeta, objectMeta, status, type Message } from './kubernetes-messages.ts';
import type { FieldTree } from './field-tree.ts';
import { createWordReader } from './interned-words.ts';
import { readEnd, readUint, skipField, wireType, type Cursor } from './protobuf-cursor.ts';
import { compileProtobuf, type ReadMessage } from './protobuf-projection.ts';
import { readStatus, type Status } from './status.ts';
import { checkIdentity, UnreadableObject, type Identity } from './unreadable-object.ts';

/** The media type of Kubernetes' protobuf. */
export const protobufType = 'application/vnd.kubernetes.protobuf';

/** @param contentType with its parameters, which a watch has. */
export function isProtobuf(contentType: string): boolean {
  return contentType.startsWith(protobufType);
}

/** Precedes every object that is not part of another: `k8s` and a zero byte. */
const magic = Buffer.from('k8s\0');

/**
 * Reads a page of a list.
 *
 * @param onUnreadable called for each item that cannot be read; what it throws is thrown.
 * @throws Error if the bytes are not what the API server writes.
 */
export function readProtobufList(
  body: Buffer,
  readItem: ReadMessage,
  onUnreadable: (problem: UnreadableObject) => void,
): { readonly metadata: object; readonly items: readonly object[] } {
  const [cursor, end] = openEnvelope(body, 0, body.length);
  const items: object[] = [];
  let metadata: object = {};
  while (cursor.at < end) {
    const tag = readUint(cursor);
    if (tag === tags.listMetadata) {
      metadata = readListMeta(cursor, readEnd(cursor));
    } else if (tag === tags.listItem) {
      const itemEnd = readEnd(cursor);
      const item = readWhole(cursor, itemEnd, readItem);
      if (item instanceof UnreadableObject) {
        onUnreadable(item);
      } else {
        items.push(item);
      }
      cursor.at = itemEnd;
    } else {
      skipField(cursor, tag);
    }
  }
  return { metadata, items };
}

/** Reads an object of a list or a watch. The position of the cursor afterwards is undefined. */
function readWhole({ bytes, at }: Cursor, end: number, read: ReadMessage): object {
  try {
    const object = read({ bytes, at }, end);
    checkIdentity((object as { readonly metadata?: Identity }).metadata ?? {});
    return object;
  } catch (error) {
    return new UnreadableObject(identityOf({ bytes, at }, end), error);
  }
}

/** Returns as much of the metadata as can be read, whatever follows it. */
function identityOf(cursor: Cursor, end: number): Identity {
  try {
    const metadata = findBytes(cursor, end, tags.objectMetadata);
    return metadata === undefined ? {} : readIdentity({ bytes: cursor.bytes, at: metadata[0] }, metadata[1]);
  } catch {
    return {};
  }
}

/**
 * Returns the kind that an object, a list or a response states; empty if none.
 *
 * @throws Error if the bytes are not what the API server writes.
 */
export function readProtobufKind(body: Buffer): string {
  return kindIn(body, 0, body.length);
}

/**
 * Returns the kind and identity that a single object states.
 *
 * @throws Error if the bytes are not what the API server writes.
 */
export function readProtobufIdentity(body: Buffer): Identity & { readonly kind: string } {
  return { kind: readProtobufKind(body), ...identityOf(...openEnvelope(body, 0, body.length)) };
}

/**
 * Reads a single object.
 *
 * @throws Error if the bytes are not what the API server writes.
 */
export function readProtobufObject(body: Buffer, read: ReadMessage): object {
  return read(...openEnvelope(body, 0, body.length));
}

/**
 * Reads the body of an unsuccessful response.
 *
 * @throws Error if the bytes are not a Status.
 */
export function readProtobufStatus(body: Buffer): Status {
  return readStatus({ kind: 'Status', ...readStatusFields(...openEnvelope(body, 0, body.length)) });
}

/** An event of a watch whose object is still to be read. */
export interface ProtobufWatchEvent {
  readonly type: string;
  /** Returns the kind that the object states; empty if none. */
  readKind(): string;
  /** Returns an UnreadableObject if the bytes of the object are not what the API server writes. */
  read(readMessage: ReadMessage): object;
  readStatus(): Status;
  readMetadata(): Partial<Pick<ObjectMeta, 'resourceVersion' | 'annotations'>>;
}

/** Reads a frame of a watch: a bare `meta/v1 WatchEvent`, which holds its object with magic and envelope. */
export function readProtobufWatchEvent(frame: Buffer): ProtobufWatchEvent {
  const cursor: Cursor = { bytes: frame, at: 0 };
  let type = '';
  let object: readonly [Cursor, number] | undefined;
  let range: readonly [start: number, end: number] | undefined;
  while (cursor.at < frame.length) {
    const tag = readUint(cursor);
    if (tag === tags.eventType) {
      const end = readEnd(cursor);
      type = frame.toString('latin1', cursor.at, end);
      cursor.at = end;
    } else if (tag === tags.eventObject) {
      const end = readEnd(cursor);
      range = findBytes(cursor, end, tags.extensionRaw);
      object = range && openEnvelope(frame, ...range);
      cursor.at = end;
    } else {
      skipField(cursor, tag);
    }
  }
  const read = (readMessage: ReadMessage): object => {
    if (object === undefined) {
      throw new Error(`protobuf: a watch event of type ${quoted(type)} has no object`);
    }
    return readMessage({ ...object[0] }, object[1]);
  };
  return {
    type,
    readKind: () => (range === undefined ? '' : kindIn(frame, ...range)),
    read: (readMessage) =>
      object === undefined
        ? new UnreadableObject({}, new Error('a watch event has no object'))
        : readWhole(object[0], object[1], readMessage),
    readStatus: () => readStatus(read(readStatusFields)),
    readMetadata: () =>
      (read(readBookmark) as { readonly metadata?: Pick<ObjectMeta, 'resourceVersion' | 'annotations'> })
        .metadata ?? {},
  };
}

const readWord = createWordReader();

/** Returns the kind in the TypeMeta of `runtime.Unknown`. */
function kindIn(bytes: Buffer, start: number, end: number): string {
  const typeMeta = findBytes({ bytes, at: envelopeIn(bytes, start, end) }, end, tags.unknownTypeMeta);
  const kind = typeMeta && findBytes({ bytes, at: typeMeta[0] }, typeMeta[1], tags.typeMetaKind);
  return kind === undefined ? '' : readWord(bytes, ...kind);
}

/**
 * Opens `runtime.Unknown`, the envelope behind the magic, and returns where the object itself begins and
 * ends.
 */
function openEnvelope(bytes: Buffer, start: number, end: number): readonly [Cursor, number] {
  const raw = findBytes({ bytes, at: envelopeIn(bytes, start, end) }, end, tags.unknownRaw);
  // An object without any field is written as no bytes at all.
  return raw === undefined ? [{ bytes, at: end }, end] : [{ bytes, at: raw[0] }, raw[1]];
}

/** Returns where the envelope behind the magic begins. */
function envelopeIn(bytes: Buffer, start: number, end: number): number {
  const first = start + magic.length;
  if (first > end || bytes.compare(magic, 0, magic.length, start, first) !== 0) {
    throw new Error('protobuf: the object does not begin with "k8s" and a zero byte');
  }
  return first;
}

function findBytes(
  cursor: Cursor,
  end: number,
  wanted: number,
): readonly [start: number, end: number] | undefined {
  while (cursor.at < end) {
    const tag = readUint(cursor);
    if (tag === wanted) {
      const fieldEnd = readEnd(cursor);
      return [cursor.at, fieldEnd];
    }
    skipField(cursor, tag);
  }
  return undefined;
}

const bytesField = (number: number): number => (number << 3) | wireType.bytes;

const tags = {
  unknownTypeMeta: bytesField(1),
  typeMetaKind: bytesField(2),
  unknownRaw: bytesField(2),
  objectMetadata: bytesField(1),
  listMetadata: bytesField(1),
  listItem: bytesField(2),
  eventType: bytesField(1),
  eventObject: bytesField(2),
  extensionRaw: bytesField(1),
} as const;

function compile(message: Message, tree: FieldTree): ReadMessage {
  const read = compileProtobuf(message, tree);
  if (read === undefined) {
    throw new Error('a message of the wire codec itself lacks a field');
  }
  return read;
}

const readListMeta = compile(listMeta, { resourceVersion: true, continue: true, remainingItemCount: true });
const readIdentity = compile(objectMeta, { name: true, namespace: true, resourceVersion: true });
const readBookmark = compile(anyObject, { metadata: { resourceVersion: true, annotations: true } });
const readStatusFields = compile(status, {
  status: true,
  message: true,
  reason: true,
  code: true,
  details: {
    name: true,
    kind: true,
    retryAfterSeconds: true,
    causes: [{ reason: true, message: true, field: true }],
  },
});
