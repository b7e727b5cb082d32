import type { KubernetesObject, ObjectMeta } from '@holdfast/core';
import { createFrameSplitter } from '../wire/frame-splitter.ts';
import { isProtobuf, readProtobufWatchEvent } from '../wire/kubernetes-protobuf.ts';
import type { Projection } from '../wire/projection.ts';
import type { Status } from '../wire/status.ts';
import { UnreadableObject } from '../wire/unreadable-object.ts';
import { parseJson, protobufReaderOf, readListed } from './answer.ts';
import type { WatchEvent } from './api-client.ts';
import { ApiError, isGone } from './api-error.ts';
import { createLineSplitter } from './line-splitter.ts';
import type { HttpStream } from './transport.ts';

/**
 * Reads the body of a watch as it comes, frames of protobuf or lines of JSON, and calls back for each event.
 *
 * The reader throws an ApiError for an ERROR event, an Error for anything that is no event, and what the callbacks throw.
 *
 * @param path of the watch, for the messages of errors.
 * @param onUnreadable called instead for an event whose object can't be read.
 */
export function readWatch<T extends KubernetesObject>(
  path: string,
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
      ? createFrameSplitter((frame) => pass(readFrame(path, frame, projection))).push
      : createLineSplitter((line) => pass(readLine(path, line, projection))).push;
  };
}

function readFrame<T extends KubernetesObject>(
  path: string,
  frame: Buffer,
  projection: Projection<T> | undefined,
): WatchEvent<T> | UnreadableObject {
  const event = readProtobufWatchEvent(frame);
  switch (event.type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED': {
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
  line: string,
  projection: Projection<T> | undefined,
): WatchEvent<T> | UnreadableObject {
  const event = parseJson(line) as { readonly type: string; readonly object: unknown };
  switch (event.type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED': {
      const object = readListed(event.object, projection);
      return object instanceof UnreadableObject ? object : { type: event.type, object };
    }
    case 'BOOKMARK':
      return bookmark((event.object as T).metadata);
    case 'ERROR':
      throw watchError(path, event.object as Status);
    default:
      throw unknownEvent(path, event.type);
  }
}

function bookmark({
  resourceVersion,
  annotations,
}: Pick<ObjectMeta, 'resourceVersion' | 'annotations'>): WatchEvent<never> {
  return {
    type: 'BOOKMARK',
    resourceVersion,
    ...(annotations?.['k8s.io/initial-events-end'] === 'true' ? { initialEventsEnd: true } : {}),
  };
}

function watchError(path: string, status: Status): ApiError {
  const error = new ApiError(`GET ${path}`, status.code ?? 500, status);
  // Old API servers name only the reason.
  return status.reason === 'Expired' && !isGone(error) ? new ApiError(`GET ${path}`, 410, status) : error;
}

function unknownEvent(path: string, type: string): Error {
  return new Error(`GET ${path}: watch event of unknown type "${type}"`);
}
