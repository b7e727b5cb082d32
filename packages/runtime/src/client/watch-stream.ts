import type { KubernetesObject, ObjectMeta } from '@holdfast/core';
import { createFrameSplitter } from '../wire/frame-splitter.ts';
import { isProtobuf, readProtobufWatchEvent } from '../wire/kubernetes-protobuf.ts';
import type { Projection } from '../wire/projection.ts';
import type { Status } from '../wire/status.ts';
import { protobufReaderOf } from './answer.ts';
import type { WatchEvent } from './api-client.ts';
import { ApiError, isGone } from './api-error.ts';
import { createLineSplitter } from './line-splitter.ts';
import type { HttpStream } from './transport.ts';

/**
 * Reads the body of a watch as it comes, frames of protobuf or lines of JSON, and calls back for each event.
 *
 * The reader throws an ApiError for an ERROR event, an Error for anything that is no event, and what the callback throws.
 *
 * @param path of the watch, for the messages of errors.
 */
export function readWatch<T extends KubernetesObject>(
  path: string,
  projection: Projection<T> | undefined,
  onEvent: (event: WatchEvent<T>, end: () => void) => void,
): HttpStream {
  return (contentType, end) =>
    isProtobuf(contentType)
      ? createFrameSplitter((frame) => onEvent(readFrame(path, frame, projection), end)).push
      : createLineSplitter((line) => onEvent(readLine(path, line, projection), end)).push;
}

function readFrame<T extends KubernetesObject>(
  path: string,
  frame: Buffer,
  projection: Projection<T> | undefined,
): WatchEvent<T> {
  const event = readProtobufWatchEvent(frame);
  switch (event.type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      return { type: event.type, object: event.read(protobufReaderOf(projection)) as T };
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
): WatchEvent<T> {
  const event = JSON.parse(line) as { readonly type: string; readonly object: unknown };
  switch (event.type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED': {
      const object = event.object as T;
      return { type: event.type, object: projection === undefined ? object : projection.fromJson(object) };
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
