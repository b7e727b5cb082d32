import type { ApiResource, KubernetesObject, ObjectMeta } from '@holdfast/core';
import { createFrameSplitter } from '../wire/frame-splitter.ts';
import { isProtobuf, readProtobufWatchEvent } from '../wire/kubernetes-protobuf.ts';
import type { Projection } from '../wire/projection.ts';
import { quoted } from '../logging/quoted.ts';
import { readStatus, type Status } from '../wire/status.ts';
import { stateIn, UnreadableObject } from '../wire/unreadable-object.ts';
import { parseJson, protobufReaderOf, readListed } from './answer.ts';
import type { WatchEvent } from './api-client.ts';
import { ApiError, isGone } from './api-error.ts';
import { mustBeOfKind } from './asked-for.ts';
import { createLineSplitter } from './line-splitter.ts';
import type { HttpStream } from './transport.ts';

/**
 * Reads the body of a watch as it arrives, as protobuf frames or lines of JSON, and calls back for each
 * event.
 *
 * The reader throws an ApiError for an ERROR event, an Error for anything that is not an event or has an
 * object of another kind, and what the callbacks throw.
 *
 * @param path of the watch, for error messages.
 * @param onUnreadable called instead of `onEvent` for an event whose object cannot be read.
 */
export function readWatch<T extends KubernetesObject>(
  path: string,
  resource: ApiResource<T>,
  projection: Projection<T> | undefined,
  onEvent: (event: WatchEvent<T>, end: () => void) => void,
  onUnreadable: (problem: UnreadableObject) => void,
): HttpStream {
  return (contentType, end) => {
    const pass = (event: WatchEvent<T> | UnreadableObject): void => {
      if (event instanceof UnreadableObject) {
        onUnreadable(event);
      } else {
        onEvent(event, end);
      }
    };
    return isProtobuf(contentType)
      ? createFrameSplitter((frame) => pass(readFrame(path, resource, frame, projection))).push
      : createLineSplitter((line) => pass(readLine(path, resource, line, projection))).push;
  };
}

function readFrame<T extends KubernetesObject>(
  path: string,
  resource: ApiResource<T>,
  frame: Buffer,
  projection: Projection<T> | undefined,
): WatchEvent<T> | UnreadableObject {
  const event = readProtobufWatchEvent(frame);
  switch (event.type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED': {
      mustBeOfKind(resource, event.readKind());
      const object = event.read(protobufReaderOf(projection)) as T | UnreadableObject;
      return object instanceof UnreadableObject ? object : { type: event.type, object };
    }
    case 'BOOKMARK':
      return bookmark(event.readMetadata());
    case 'ERROR':
      throw watchError(path, event.readStatus());
    default:
      throw unknownEvent(path, event.type);
  }
}

function readLine<T extends KubernetesObject>(
  path: string,
  resource: ApiResource<T>,
  line: string,
  projection: Projection<T> | undefined,
): WatchEvent<T> | UnreadableObject {
  const event = (parseJson(line) ?? {}) as { readonly type?: unknown; readonly object?: unknown };
  switch (event.type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED': {
      mustBeOfKind(resource, (event.object as { readonly kind?: unknown } | null | undefined)?.kind);
      const object = readListed(event.object, projection);
      return object instanceof UnreadableObject ? object : { type: event.type, object };
    }
    case 'BOOKMARK':
      return bookmark((event.object as Partial<T> | null | undefined)?.metadata ?? {});
    case 'ERROR':
      throw watchError(path, readStatus(event.object));
    default:
      throw unknownEvent(path, event.type);
  }
}

/**
 * Returns the event of a bookmark. A watch that is resumed without a version begins with what exists, and
 * never reports what is gone.
 *
 * @throws Error for a bookmark without a version.
 */
function bookmark(metadata: Partial<Pick<ObjectMeta, 'resourceVersion' | 'annotations'>>): WatchEvent<never> {
  const { annotations } = metadata;
  const resourceVersion = stateIn(metadata);
  if (resourceVersion === undefined) {
    throw new Error('a bookmark of the watch has no resourceVersion');
  }
  return {
    type: 'BOOKMARK',
    resourceVersion,
    ...(annotations?.['k8s.io/initial-events-end'] === 'true' ? { initialEventsEnd: true } : {}),
  };
}

function watchError(path: string, status: Status): ApiError {
  const error = new ApiError(`GET ${path}`, status.code ?? 500, status);
  // Old API servers give only the reason.
  return status.reason === 'Expired' && !isGone(error) ? new ApiError(`GET ${path}`, 410, status) : error;
}

function unknownEvent(path: string, type: unknown): Error {
  const what = typeof type === 'string' ? `type ${quoted(type)}` : 'type, which is no text';
  return new Error(`GET ${path}: watch event of unknown ${what}`);
}
