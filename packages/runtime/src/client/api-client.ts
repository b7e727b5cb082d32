import {
  apiVersionOf,
  collectionPath,
  type ApiResource,
  type JsonPatch,
  type KubernetesObject,
  type ObjectMeta,
  type ObjectRef,
} from '@holdfast/core';
import { sleep, type Clock } from '../time/clock.ts';
import { createFrameSplitter } from '../wire/frame-splitter.ts';
import {
  isProtobuf,
  protobufType,
  readProtobufList,
  readProtobufObject,
  readProtobufStatus,
  readProtobufWatchEvent,
} from '../wire/kubernetes-protobuf.ts';
import type { Projection } from '../wire/projection.ts';
import type { ReadMessage } from '../wire/protobuf-projection.ts';
import { statusOf, type Status } from '../wire/status.ts';
import { ApiError, isGone } from './api-error.ts';
import type { ClientMetrics } from './client-metrics.ts';
import type { CredentialSource } from './credentials.ts';
import { createLineSplitter } from './line-splitter.ts';
import type { TokenBucket } from '../time/token-bucket.ts';
import type { HttpRequest, HttpResponse, HttpStream, Transport } from './transport.ts';

export interface RequestOptions {
  /** Ends the request; what it did on the server by then is not known. */
  readonly signal?: AbortSignal;
}

export interface SelectionOptions {
  /** Default: all namespaces. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

export interface ListOptions extends SelectionOptions, RequestOptions {
  /** Objects a page at the most. Default: `list` reads all at once, `listPages` 500 a page, which is client-go's figure. */
  readonly limit?: number;
  /** Token of the page before. */
  readonly continue?: string;
  /** Default: the newest state, by quorum read. `0`: whatever the server has at hand. */
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan';
}

export interface DeleteOptions extends RequestOptions {
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  /** Seconds; default: the kind's own, 30 for pods. */
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
}

/** Reads less than the whole objects. */
export interface Projected<T extends KubernetesObject> {
  /**
   * The fields kept of each object; asks for protobuf where the projection can read it. Default: whole objects, as they came
   * in JSON.
   */
  readonly projection?: Projection<T>;
}

export interface List<T> {
  readonly metadata: {
    readonly resourceVersion: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
  readonly items: readonly T[];
}

export interface WatchOptions extends SelectionOptions {
  /** Default: the newest state. */
  readonly resourceVersion?: string;
  /**
   * First what is there, each object as `ADDED`, then a bookmark that is marked as the end of it (KEP-3157). What is there
   * is not older than `resourceVersion`. Servers that do not know how refuse it with 422.
   */
  readonly sendInitialEvents?: boolean;
  /** The server ends the watch after this many seconds. */
  readonly timeoutSeconds: number;
  /** Nothing at all came for this many milliseconds: the connection is given up as dead. */
  readonly silenceLimit: number;
  readonly signal: AbortSignal;
}

export type WatchEvent<T> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  | {
      readonly type: 'BOOKMARK';
      readonly resourceVersion: string;
      /** All that was there has been sent; see `sendInitialEvents`. */
      readonly initialEventsEnd?: true;
    };

/**
 * The few verbs that controllers need, on any resource. What was read is never written back whole: the only change is a
 * JSON Patch.
 *
 * Every verb throws {@link ApiError} when the server answers without success, and the transport's error when it does not
 * answer. An answer of 429 or 5xx with Retry-After is waited out and tried again, ten times at the most, as client-go does;
 * nothing else is retried: that is the work queue's business.
 */
export interface ApiClient {
  get<T extends KubernetesObject>(
    resource: ApiResource<T>,
    ref: ObjectRef,
    options?: RequestOptions & Projected<T>,
  ): Promise<T>;
  /** One page. */
  list<T extends KubernetesObject>(
    resource: ApiResource<T>,
    options?: ListOptions & Projected<T>,
  ): Promise<List<T>>;
  /**
   * All pages of one consistent snapshot. Should it expire between two pages (410), the error is thrown: the caller starts
   * anew, since the items seen so far belong to a state that is gone.
   */
  listPages<T extends KubernetesObject>(
    resource: ApiResource<T>,
    options: ListOptions & Projected<T>,
  ): AsyncGenerator<List<T>>;
  /** With `dryRun`, the server checks and answers but stores nothing. */
  create<T extends KubernetesObject>(
    resource: ApiResource<T>,
    namespace: string | undefined,
    object: unknown,
    options?: RequestOptions,
  ): Promise<T>;
  /** Answers with the object as the patch left it; who does not read it names a projection, which is cheaper to answer. */
  patch<T extends KubernetesObject>(
    resource: ApiResource<T>,
    ref: ObjectRef,
    patch: JsonPatch,
    options?: RequestOptions & Projected<T> & { readonly subresource?: string },
  ): Promise<T>;
  /**
   * Deletes the object, or marks it as terminating while it has finalizers. With `preconditions` only the very object that
   * was read, in the state that was read; otherwise 409.
   */
  delete(resource: ApiResource<KubernetesObject>, ref: ObjectRef, options?: DeleteOptions): Promise<void>;
  /**
   * Calls back for each event until the server ends the watch, which is the normal end, or the callback calls `end`. Events
   * that came together with the last one may still be told.
   *
   * @throws ApiError also for an ERROR event within the stream.
   */
  watch<T extends KubernetesObject>(
    resource: ApiResource<T>,
    options: WatchOptions & Projected<T>,
    onEvent: (event: WatchEvent<T>, end: () => void) => void,
  ): Promise<void>;
  /** Ends all connections. */
  close(): Promise<void>;
}

export interface ApiClientOptions {
  readonly transport: Transport;
  readonly credentials: CredentialSource;
  /** Default: no limit, and no time spent on it. */
  readonly rateLimit?: TokenBucket;
  readonly metrics: ClientMetrics;
  readonly clock: Clock;
  /** Path below which the API is served, for a server behind a gateway; no slash at the end. Default none. */
  readonly basePath?: string;
  /** Who we are in the API server's log, by convention `program/version (os/arch)`. */
  readonly userAgent: string;
  /** Send every write with `dryRun=All`. Default false. */
  readonly dryRun?: boolean;
  /** A request that waits longer for the next byte fails, milliseconds. Default 30000. Watches have their own limit. */
  readonly timeout?: number;
}

const retries = 10;
const pageSize = 500;
const never = new AbortController().signal;

interface Call {
  readonly verb: string;
  readonly method: HttpRequest['method'];
  readonly path: string;
  readonly accept: string;
  readonly contentType?: string;
  readonly body?: string;
  readonly signal: AbortSignal;
  readonly timeout: number;
}

const json = 'application/json';
/** Servers that do not have the one answer with the other. */
const protobufOrJson = `${protobufType},${json}`;

export function createApiClient(options: ApiClientOptions): ApiClient {
  const {
    transport,
    credentials,
    rateLimit,
    metrics,
    clock,
    userAgent,
    dryRun = false,
    timeout = 30_000,
  } = options;
  const { basePath = '' } = options;

  const once = async (call: Call, stream?: HttpStream): Promise<HttpResponse> => {
    const { headers, tls } = credentials.fresh() ?? (await credentials.get());
    const started = clock.now();
    try {
      const response = await transport.send(
        {
          method: call.method,
          path: `${basePath}${call.path}`,
          headers: {
            accept: call.accept,
            'user-agent': userAgent,
            ...headers,
            ...(call.contentType === undefined ? {} : { 'content-type': call.contentType }),
          },
          signal: call.signal,
          timeout: call.timeout,
          ...(call.body === undefined ? {} : { body: call.body }),
        },
        tls,
        stream,
      );
      metrics.observe(call.verb, call.method, response.status, clock.now() - started);
      return response;
    } catch (error) {
      metrics.observe(call.verb, call.method, '<error>', clock.now() - started);
      throw error;
    }
  };

  const send = async (call: Call, stream?: HttpStream): Promise<HttpResponse> => {
    let renewed = false;
    for (let attempt = 0; ; attempt++) {
      if (rateLimit !== undefined) {
        const waited = clock.now();
        await rateLimit.take(call.signal);
        metrics.observeRateLimiter(call.verb, clock.now() - waited);
      }
      const response = await once(call, stream);
      if (response.status < 300) {
        return response;
      }
      const error = toApiError(call, response);
      if (response.status === 401 && !renewed) {
        // A token may have been rotated a moment before its old one ran out; it is worth one more look.
        renewed = true;
        credentials.renew();
      } else if (
        attempt < retries &&
        error.retryAfter !== undefined &&
        (response.status === 429 || response.status >= 500)
      ) {
        await sleep(clock, error.retryAfter, call.signal);
      } else {
        throw error;
      }
    }
  };

  const call = async (
    verb: string,
    method: Call['method'],
    path: string,
    request: RequestOptions | undefined,
    body?: { readonly type: string; readonly value: unknown },
    accept = json,
  ): Promise<HttpResponse> =>
    send({
      verb,
      method,
      path,
      accept,
      signal: request?.signal ?? never,
      timeout,
      ...(body === undefined ? {} : { contentType: body.type, body: JSON.stringify(body.value) }),
    });

  const writePath = (path: string): string => (dryRun ? `${path}?dryRun=All` : path);

  const list: ApiClient['list'] = async <T extends KubernetesObject>(
    resource: ApiResource<T>,
    request: ListOptions & Projected<T> = {},
  ) =>
    readList<T>(
      await send({
        verb: 'LIST',
        method: 'GET',
        path: `${collectionPath(resource, request.namespace)}${listQuery(request)}`,
        accept: acceptOf(request),
        signal: request.signal ?? never,
        timeout,
      }),
      request,
    );

  return {
    list,
    get: async (resource, ref, request = {}) =>
      readObject(
        await call('GET', 'GET', objectPath(resource, ref), request, undefined, acceptOf(request)),
        request,
      ),
    listPages: async function* (resource, request) {
      const paged = { ...request, limit: request.limit ?? pageSize };
      let page = await list(resource, paged);
      yield page;
      while (page.metadata.continue !== undefined && page.metadata.continue !== '') {
        // A continue token carries its version; naming another one beside it is refused.
        page = await list(resource, { ...atAnyVersion(paged), continue: page.metadata.continue });
        yield page;
      }
    },
    create: async (resource, namespace, object, request) =>
      readObject(
        await call('POST', 'POST', writePath(collectionPath(resource, namespace)), request, {
          type: json,
          value: { apiVersion: apiVersionOf(resource), kind: resource.kind, ...(object as object) },
        }),
        {},
      ),
    patch: async (resource, ref, patch, request = {}) => {
      const path = objectPath(resource, ref);
      const target = request.subresource === undefined ? path : `${path}/${request.subresource}`;
      const body = { type: 'application/json-patch+json', value: patch };
      return readObject(
        await call('PATCH', 'PATCH', writePath(target), request, body, acceptOf(request)),
        request,
      );
    },
    delete: async (resource, ref, { signal, ...how } = {}) => {
      await call(
        'DELETE',
        'DELETE',
        writePath(objectPath(resource, ref)),
        signal === undefined ? {} : { signal },
        {
          type: 'application/json',
          value: { apiVersion: 'v1', kind: 'DeleteOptions', ...how },
        },
      );
    },
    watch: async (resource, request, onEvent) => {
      const path = `${collectionPath(resource, request.namespace)}${watchQuery(request)}`;
      await send(
        {
          verb: 'WATCH',
          method: 'GET',
          path,
          accept: acceptOf(request),
          signal: request.signal,
          timeout: request.silenceLimit,
        },
        (contentType, end) =>
          isProtobuf(contentType)
            ? createFrameSplitter((frame) => onEvent(readFrame(path, frame, request), end)).push
            : createLineSplitter((line) => onEvent(readLine(path, line, request), end)).push,
      );
    },
    close: () => transport.close(),
  };
}

function objectPath(resource: ApiResource<KubernetesObject>, { namespace, name }: ObjectRef): string {
  return `${collectionPath(resource, namespace)}/${encodeURIComponent(name)}`;
}

function atAnyVersion(options: ListOptions): ListOptions {
  const rest: { -readonly [Key in keyof ListOptions]: ListOptions[Key] } = { ...options };
  delete rest.resourceVersion;
  delete rest.resourceVersionMatch;
  return rest;
}

function listQuery(options: ListOptions): string {
  return query({
    labelSelector: options.labelSelector,
    fieldSelector: options.fieldSelector,
    limit: options.limit?.toString(),
    continue: options.continue,
    resourceVersion: options.resourceVersion,
    resourceVersionMatch: options.resourceVersionMatch,
  });
}

function watchQuery(options: WatchOptions): string {
  return query({
    watch: 'true',
    allowWatchBookmarks: 'true',
    labelSelector: options.labelSelector,
    fieldSelector: options.fieldSelector,
    resourceVersion: options.resourceVersion,
    ...(options.sendInitialEvents === true
      ? { sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan' }
      : {}),
    timeoutSeconds: options.timeoutSeconds.toString(),
  });
}

function query(parameters: Readonly<Record<string, string | undefined>>): string {
  const parts = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}

function toApiError(call: Call, response: HttpResponse): ApiError {
  const status = isProtobuf(response.contentType)
    ? readProtobufStatus(response.body)
    : statusOf(response.body.toString(), response.status);
  const seconds = Number(response.retryAfter);
  const retryAfter =
    response.retryAfter !== undefined && Number.isFinite(seconds) ? seconds * 1000 : undefined;
  return new ApiError(`${call.method} ${call.path}`, response.status, status, retryAfter);
}

function acceptOf<T extends KubernetesObject>({ projection }: Projected<T>): string {
  return projection?.fromProtobuf === undefined ? json : protobufOrJson;
}

function readList<T extends KubernetesObject>(
  { contentType, body }: HttpResponse,
  { projection }: Projected<T>,
): List<T> {
  if (isProtobuf(contentType)) {
    return readProtobufList(body, protobufReaderOf(projection)) as List<T>;
  }
  const { metadata, items } = JSON.parse(body.toString()) as List<T>;
  return { metadata, items: projection === undefined ? items : items.map(projection.fromJson) };
}

function readObject<T extends KubernetesObject>(
  { contentType, body }: HttpResponse,
  { projection }: Projected<T>,
): T {
  if (isProtobuf(contentType)) {
    return readProtobufObject(body, protobufReaderOf(projection)) as T;
  }
  const object = JSON.parse(body.toString()) as T;
  return projection === undefined ? object : projection.fromJson(object);
}

function protobufReaderOf<T extends KubernetesObject>(projection: Projection<T> | undefined): ReadMessage {
  if (projection?.fromProtobuf === undefined) {
    throw new Error('the API server answered with protobuf, which was not asked for');
  }
  return projection.fromProtobuf;
}

function readFrame<T extends KubernetesObject>(
  path: string,
  frame: Buffer,
  { projection }: Projected<T>,
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
  { projection }: Projected<T>,
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
