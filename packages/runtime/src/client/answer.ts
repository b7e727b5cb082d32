import type { ApiResource, KubernetesObject } from '@holdfast/core';
import {
  isProtobuf,
  protobufType,
  readProtobufIdentity,
  readProtobufKind,
  readProtobufList,
  readProtobufObject,
  readProtobufStatus,
} from '../wire/kubernetes-protobuf.ts';
import type { Projection } from '../wire/projection.ts';
import type { ReadMessage } from '../wire/protobuf-projection.ts';
import { statusOf } from '../wire/status.ts';
import { checkIdentity, stateIn, UnreadableObject, type Identity } from '../wire/unreadable-object.ts';
import type { List } from './api-client.ts';
import { ApiError } from './api-error.ts';
import { mustBeListOf, mustBeOfKind } from './asked-for.ts';
import type { HttpRequest, HttpResponse } from './transport.ts';

/** The media type of whole objects. */
export const json = 'application/json';
/** A server that has no protobuf for a kind answers with JSON. */
const protobufOrJson = `${protobufType},${json}`;

/** Returns the media types to request: protobuf if the projection can read it, else JSON. */
export function acceptOf<T extends KubernetesObject>(projection: Projection<T> | undefined): string {
  return projection?.fromProtobuf === undefined ? json : protobufOrJson;
}

/**
 * Reads a response that is one object.
 *
 * @param check throws for an object that is not the requested one, judged by its kind and metadata as they
 *   came.
 */
export function readObject<T extends KubernetesObject>(
  { contentType, body }: HttpResponse,
  projection: Projection<T> | undefined,
  check: (kind: unknown, identity: Identity) => void,
): T {
  if (isProtobuf(contentType)) {
    const { kind, ...identity } = readProtobufIdentity(body);
    check(kind, identity);
    return readProtobufObject(body, protobufReaderOf(projection)) as T;
  }
  const object = parseJson(body.toString()) as T;
  const { kind, metadata } = (object as Typed | null) ?? {};
  check(kind, metadata ?? {});
  return projection === undefined ? object : projection.fromJson(object);
}

/** The part of a JSON object that identifies it. */
interface Typed {
  readonly kind?: unknown;
  readonly metadata?: Identity | null;
}

/**
 * Reads a response that is one page of a list.
 *
 * @param onUnreadable called for each object that cannot be read and is therefore left out.
 */
export function readList<T extends KubernetesObject>(
  { contentType, body }: HttpResponse,
  resource: ApiResource<T>,
  projection: Projection<T> | undefined,
  onUnreadable: (problem: UnreadableObject) => void,
): List<T> {
  if (isProtobuf(contentType)) {
    mustBeListOf(resource, { kind: readProtobufKind(body) });
    const list = readProtobufList(body, protobufReaderOf(projection), onUnreadable) as List<T>;
    checkList(list);
    return list;
  }
  const list = parseJson(body.toString());
  checkList(list);
  mustBeListOf(resource, list);
  const { metadata, items } = list;
  const readable: T[] = [];
  for (const item of items ?? []) {
    mustBeOfKind(resource, (item as Typed | null)?.kind);
    const object = readListed(item, projection);
    if (object instanceof UnreadableObject) {
      onUnreadable(object);
    } else {
      readable.push(object);
    }
  }
  return { metadata, items: readable };
}

/** A list in JSON. Go writes null for a list that was never filled. */
interface WholeList {
  readonly kind?: unknown;
  readonly apiVersion?: unknown;
  readonly metadata: List<unknown>['metadata'];
  readonly items?: readonly unknown[] | null;
}

/**
 * Checks that the response is a list. If, for example, a proxy's page or a Status counted as an empty list, a
 * cache would consider all of its objects deleted.
 *
 * @throws Error for anything that is not a list, or has no version.
 */
function checkList(list: unknown): asserts list is WholeList {
  const { kind, metadata, items } = (list ?? {}) as {
    readonly kind?: unknown;
    readonly metadata?: Identity | null;
    readonly items?: unknown;
  };
  const isList = kind === undefined || (typeof kind === 'string' && kind.endsWith('List'));
  if (!isList || stateIn(metadata ?? {}) === undefined || !(Array.isArray(items) || isUnset(items))) {
    throw new Error('the API server answered with something else than a list');
  }
}

function isUnset(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}

/**
 * @throws Error that shows nothing of the text, which might belong to a Secret. The errors of JSON.parse
 *   quote the text around the mistake.
 */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`the API server answered with ${String(text.length)} characters that are no JSON`);
  }
}

/** Reads one object of a list or a watch, as JSON.parse returned it. */
export function readListed<T extends KubernetesObject>(
  item: unknown,
  projection: Projection<T> | undefined,
): T | UnreadableObject {
  try {
    const object = projection === undefined ? (item as T) : projection.fromJson(item as T);
    checkIdentity((object as Partial<T> | null)?.metadata ?? {});
    return object;
  } catch (error) {
    return new UnreadableObject((item as { readonly metadata?: Identity } | null)?.metadata ?? {}, error);
  }
}

/** Reads an unsuccessful response, with the time that the server asks the client to wait. */
export function readError(
  { method, path }: Pick<HttpRequest, 'method' | 'path'>,
  { status: code, contentType, body, retryAfter }: HttpResponse,
): ApiError {
  const status = isProtobuf(contentType) ? readProtobufStatus(body) : statusOf(body.toString(), code);
  return new ApiError(`${method} ${path}`, code, status, delayOf(retryAfter));
}

/**
 * Bounds on the wait, in milliseconds: the server can ask for less or more, but the client waits this long.
 */
const shortestWait = 1_000;
const longestWait = 30_000;

/** Ignores a date, which the API server does not send, as client-go does. */
function delayOf(retryAfter: string | undefined): number | undefined {
  return retryAfter !== undefined && /^[+-]?\d+$/.test(retryAfter)
    ? Math.min(Math.max(Number(retryAfter) * 1000, shortestWait), longestWait)
    : undefined;
}

/** @throws Error if the projection cannot read protobuf. In that case `acceptOf` did not request it. */
export function protobufReaderOf<T extends KubernetesObject>(
  projection: Projection<T> | undefined,
): ReadMessage {
  if (projection?.fromProtobuf === undefined) {
    throw new Error('the API server answered with protobuf, which was not asked for');
  }
  return projection.fromProtobuf;
}
