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

/** The media types to ask for: protobuf where the projection can read it, else JSON. */
export function acceptOf<T extends KubernetesObject>(projection: Projection<T> | undefined): string {
  return projection?.fromProtobuf === undefined ? json : protobufOrJson;
}

/**
 * Reads an answer that is one object.
 *
 * @param check throws for an object that is not the one that was asked for, by its kind and metadata as they came.
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

/** As much of an object of JSON as says what it is. */
interface Typed {
  readonly kind?: unknown;
  readonly metadata?: Identity | null;
}

/**
 * Reads an answer that is a page of a list.
 *
 * @param onUnreadable called for each object that can't be read, which is left out.
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

/** A list as JSON has it; Go writes null for one that was never filled. */
interface WholeList {
  readonly kind?: unknown;
  readonly apiVersion?: unknown;
  readonly metadata: List<unknown>['metadata'];
  readonly items?: readonly unknown[] | null;
}

/**
 * What is taken for a list of nothing takes all that a cache has for deleted: a proxy's answer, say, or a Status.
 *
 * @throws Error for what is no list, or has no version.
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
    checkIdentity((object as Partial<T> | null)?.metadata ?? {});
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
