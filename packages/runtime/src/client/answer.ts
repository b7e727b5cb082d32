import type { KubernetesObject } from '@holdfast/core';
import {
  isProtobuf,
  protobufType,
  readProtobufList,
  readProtobufObject,
  readProtobufStatus,
} from '../wire/kubernetes-protobuf.ts';
import type { Projection } from '../wire/projection.ts';
import type { ReadMessage } from '../wire/protobuf-projection.ts';
import { statusOf } from '../wire/status.ts';
import { checkIdentity, UnreadableObject, type Identity } from '../wire/unreadable-object.ts';
import type { List } from './api-client.ts';
import { ApiError } from './api-error.ts';
import type { HttpRequest, HttpResponse } from './transport.ts';

/** The media type of whole objects. */
export const json = 'application/json';
/** A server that has no protobuf for a kind answers with JSON. */
const protobufOrJson = `${protobufType},${json}`;

/** The media types to ask for: protobuf where the projection can read it, else JSON. */
export function acceptOf<T extends KubernetesObject>(projection: Projection<T> | undefined): string {
  return projection?.fromProtobuf === undefined ? json : protobufOrJson;
}

/** Reads an answer that is one object. */
export function readObject<T extends KubernetesObject>(
  { contentType, body }: HttpResponse,
  projection: Projection<T> | undefined,
): T {
  if (isProtobuf(contentType)) {
    return readProtobufObject(body, protobufReaderOf(projection)) as T;
  }
  const object = parseJson(body.toString()) as T;
  return projection === undefined ? object : projection.fromJson(object);
}

/**
 * Reads an answer that is a page of a list.
 *
 * @param onUnreadable called for each object that can't be read, which is left out.
 */
export function readList<T extends KubernetesObject>(
  { contentType, body }: HttpResponse,
  projection: Projection<T> | undefined,
  onUnreadable: (problem: UnreadableObject) => void,
): List<T> {
  if (isProtobuf(contentType)) {
    return readProtobufList(body, protobufReaderOf(projection), onUnreadable) as List<T>;
  }
  // Go writes null for a list that was never filled.
  const { metadata, items } = parseJson(body.toString()) as {
    readonly metadata: List<T>['metadata'];
    readonly items?: readonly unknown[] | null;
  };
  const readable: T[] = [];
  for (const item of items ?? []) {
    const object = readListed(item, projection);
    if (object instanceof UnreadableObject) {
      onUnreadable(object);
    } else {
      readable.push(object);
    }
  }
  return { metadata, items: readable };
}

/** @throws Error that shows nothing of the text, which might be that of a Secret; JSON.parse shows what is around the mistake. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`the API server answered with ${String(text.length)} characters that are no JSON`);
  }
}

/** Reads an object of a list or a watch, as JSON.parse left it. */
export function readListed<T extends KubernetesObject>(
  item: unknown,
  projection: Projection<T> | undefined,
): T | UnreadableObject {
  try {
    const object = projection === undefined ? (item as T) : projection.fromJson(item as T);
    checkIdentity(object.metadata);
    return object;
  } catch (error) {
    return new UnreadableObject((item as { readonly metadata?: Identity } | null)?.metadata ?? {}, error);
  }
}

/** Reads an answer that is not a success, and how long the server asks to wait. */
export function readError(
  { method, path }: Pick<HttpRequest, 'method' | 'path'>,
  { status: code, contentType, body, retryAfter }: HttpResponse,
): ApiError {
  const status = isProtobuf(contentType) ? readProtobufStatus(body) : statusOf(body.toString(), code);
  return new ApiError(`${method} ${path}`, code, status, delayOf(retryAfter));
}

/** A server that asks for less is asked again no sooner, and one that asks for more is asked again no later. Milliseconds. */
const shortestWait = 1_000;
const longestWait = 30_000;

/** A date, which the API server does not send, counts as none, as in client-go. */
function delayOf(retryAfter: string | undefined): number | undefined {
  return retryAfter !== undefined && /^[+-]?\d+$/.test(retryAfter)
    ? Math.min(Math.max(Number(retryAfter) * 1000, shortestWait), longestWait)
    : undefined;
}

/** @throws Error when the projection can't read protobuf, which `acceptOf` then did not ask for. */
export function protobufReaderOf<T extends KubernetesObject>(
  projection: Projection<T> | undefined,
): ReadMessage {
  if (projection?.fromProtobuf === undefined) {
    throw new Error('the API server answered with protobuf, which was not asked for');
  }
  return projection.fromProtobuf;
}
