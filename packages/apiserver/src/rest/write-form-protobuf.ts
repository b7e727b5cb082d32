import type { WatchEvent } from '../http/answer.ts';
import type { ResponseForm } from '../http/negotiation.ts';
import type { JsonObject } from '../meta/json.ts';
import type { KubeObject } from '../meta/kube-object.ts';
import { type ResourceDefinition, apiVersionOf } from '../resources/resource-definition.ts';
import { writeEnvelope, writeList, writeWatchFrame } from '../schema/protobuf-envelope.ts';
import { writeMessage } from '../schema/protobuf-writer.ts';
import type { Entry } from '../storage/storage.ts';
import type { Page } from './list-page.ts';
import { bookmarkObject } from './open-watch.ts';
import { answeredMessage, servedMessage, storedObject } from './stored-form.ts';
import { bareMetadata } from './table.ts';

/*
 * Writes objects, lists and watch events in protobuf: whole objects for kinds with a struct, metadata for all
 * kinds.
 */

const metadataStruct = 'meta.v1.PartialObjectMetadata';

/** The struct of a whole object; undefined if only metadata is asked for. */
function structOf({ struct }: ResourceDefinition, { as }: ResponseForm): string | undefined {
  return as === 'object' ? struct : undefined;
}

/** Writes an object that answers a write or a get, in the definition's served form. */
export function objectProtobuf(
  definition: ResourceDefinition,
  object: KubeObject,
  form: ResponseForm,
): Buffer {
  const struct = structOf(definition, form);
  return struct === undefined
    ? metadataEnvelope(definition, form, storedObject(definition, object))
    : writeEnvelope(object.apiVersion, object.kind, answeredMessage(object, struct));
}

/** Writes the object of an entry, once for all clients. */
export function entryProtobuf(definition: ResourceDefinition, entry: Entry, form: ResponseForm): Buffer {
  const struct = structOf(definition, form);
  return struct === undefined
    ? metadataEnvelope(definition, form, entry.object)
    : writeEnvelope(apiVersionOf(definition), definition.kind, servedMessage(definition, struct, entry));
}

function metadataEnvelope(
  definition: ResourceDefinition,
  { apiVersion }: ResponseForm,
  stored: KubeObject,
): Buffer {
  const metadata = bareMetadata(definition, stored);
  return writeEnvelope(apiVersion, 'PartialObjectMetadata', writeMessage({ metadata }, metadataStruct));
}

export function listProtobuf(
  definition: ResourceDefinition,
  { entries, revision, continueToken, remaining }: Page,
  form: ResponseForm,
): Buffer {
  const metadata: JsonObject = { continue: continueToken };
  if (revision !== undefined) {
    metadata['resourceVersion'] = String(revision);
  }
  if (remaining !== undefined) {
    metadata['remainingItemCount'] = remaining;
  }
  const struct = structOf(definition, form);
  if (struct === undefined) {
    const items = entries.map(({ object }) =>
      writeMessage({ metadata: bareMetadata(definition, object) }, metadataStruct),
    );
    return writeList(form.apiVersion, 'PartialObjectMetadataList', metadata, items);
  }
  const items = entries.map((entry) => servedMessage(definition, struct, entry));
  const kind = definition.listKind ?? `${definition.kind}List`;
  return writeList(apiVersionOf(definition), kind, metadata, items);
}

const sharedFrames = new WeakMap<ResourceDefinition, WeakMap<Entry, Map<string, Buffer>>>();

/** Writes one frame of a watch. Frames of whole objects are written once and shared among watchers. */
export function watchFrame(definition: ResourceDefinition, form: ResponseForm, event: WatchEvent): Buffer {
  if (event.type === 'ERROR') {
    const { apiVersion, kind } = event.status;
    return writeWatchFrame(
      'ERROR',
      writeEnvelope(apiVersion, kind, writeMessage(event.status, 'meta.v1.Status')),
    );
  }
  if (event.type === 'BOOKMARK') {
    const object = bookmarkObject(definition, event.revision, event.isInitialEventsEnd);
    return writeWatchFrame('BOOKMARK', objectProtobuf(definition, object, form));
  }
  if (form.as !== 'object') {
    return writeWatchFrame(event.type, entryProtobuf(definition, event.entry, form));
  }
  const frames = framesOf(definition, event.entry);
  let shared = frames.get(event.type);
  if (shared === undefined) {
    shared = writeWatchFrame(event.type, entryProtobuf(definition, event.entry, form));
    frames.set(event.type, shared);
  }
  return shared;
}

function framesOf(definition: ResourceDefinition, entry: Entry): Map<string, Buffer> {
  let byEntry = sharedFrames.get(definition);
  if (byEntry === undefined) {
    sharedFrames.set(definition, (byEntry = new WeakMap()));
  }
  let frames = byEntry.get(entry);
  if (frames === undefined) {
    byEntry.set(entry, (frames = new Map<string, Buffer>()));
  }
  return frames;
}
