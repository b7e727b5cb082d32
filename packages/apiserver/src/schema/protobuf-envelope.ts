import type { JsonObject } from '../meta/json.ts';
import { beginMessage, endMessage, putBytes, putPlain, putText, writtenBytes } from './protobuf-bytes.ts';
import { writeMessage } from './protobuf-writer.ts';

/* Writes what surrounds messages in protobuf: the envelope with an object's kind, lists, and watch frames. */

const magic = Buffer.from('k8s\0');

/**
 * Writes the envelope (runtime.Unknown) around a message. Its last two fields, which name the encoding of the
 * message, are always empty.
 */
export function writeEnvelope(apiVersion: string, kind: string, message: Buffer): Buffer {
  return writtenEnvelope(apiVersion, kind, () => putPlain(message));
}

function writtenEnvelope(apiVersion: string, kind: string, write: () => void): Buffer {
  return writtenBytes(() => {
    putText(4, '');
    putText(3, '');
    const message = beginMessage();
    write();
    endMessage(2, message);
    const type = beginMessage();
    putText(2, kind);
    putText(1, apiVersion);
    endMessage(1, type);
    putPlain(magic);
  });
}

/** Writes a list of any kind, with its envelope. */
export function writeList(
  apiVersion: string,
  kind: string,
  metadata: JsonObject,
  items: readonly Buffer[],
): Buffer {
  const meta = writeMessage(metadata, 'meta.v1.ListMeta');
  return writtenEnvelope(apiVersion, kind, () => {
    for (let index = items.length - 1; index >= 0; index--) {
      putBytes(2, items[index] as Buffer);
    }
    putBytes(1, meta);
  });
}

/** Writes a watch event, preceded by its length. */
export function writeWatchFrame(type: string, envelope: Buffer): Buffer {
  const event = writtenBytes(() => {
    const object = beginMessage();
    putBytes(1, envelope);
    endMessage(2, object);
    putText(1, type);
  });
  const length = Buffer.alloc(4);
  length.writeUInt32BE(event.length);
  return Buffer.concat([length, event]);
}
