import {
  apiVersionOf,
  collectionPath,
  objectPath,
  patchText,
  type JsonPatch,
  type KubernetesObject,
  type UrlPath,
} from '@holdfast/core';
import type { ApiClient, List, ListOptions, Projected, RequestOptions } from './api-client.ts';
import type { UnreadableObject } from '../wire/unreadable-object.ts';
import { acceptOf, json, parseJson, readList, readObject } from './answer.ts';
import { unlessOfAnother } from './api-error.ts';
import { mustBeAskedFor, mustBeOfKind } from './asked-for.ts';
import { watchForEnd } from './endless-list.ts';
import { dryRunPath, listPath, watchPath } from './request-path.ts';
import { createRequestSender, type ApiRequest, type RequestSenderOptions } from './request-sender.ts';
import { createServerTime } from './server-time.ts';
import type { HttpResponse } from './transport.ts';
import type { WritingClient } from './verbs.ts';
import { readWatch } from './watch-stream.ts';
import { createWriteVerbs } from './write-verbs.ts';

/** The parts and limits of a client. {@link connect} creates a client from a kubeconfig. */
export interface ApiClientOptions extends Omit<RequestSenderOptions, 'onDate'> {
  /** The field manager of an apply that does not name one. Default: each apply must name it. */
  readonly fieldManager?: string;
  /** Sends every write with `dryRun=All`. Default: false. */
  readonly dryRun?: boolean;
  /**
   * A request that waits longer than this for the next byte fails, in milliseconds. Default: 30000. Watches
   * have their own limit.
   */
  readonly timeout?: number;
  /**
   * A request fails if its response is not complete by then, in milliseconds. The limit applies to each page
   * of a list and to each try. Default: 90000. kube-apiserver itself ends a request after 60 s
   * (`--request-timeout`), so anything later was held up on the way. Watches end by their own timeout.
   */
  readonly timeLimit?: number;
  /**
   * A list of more pages is given up (EndlessListError). Default: 10000. With 500 objects each, these hold
   * more than etcd does in 8 GiB, its largest recommended size.
   */
  readonly mostPages?: number;
}

const jsonPatch = 'application/json-patch+json';
const pageSize = 500;
const never = new AbortController().signal;

/** Creates a client that speaks HTTP with one API server. */
export function createApiClient(options: ApiClientOptions): WritingClient {
  const {
    transport,
    fieldManager,
    dryRun = false,
    timeout = 30_000,
    timeLimit = 90_000,
    mostPages = 10_000,
    metrics,
  } = options;
  const time = createServerTime(options.clock);
  const send = createRequestSender({ ...options, onDate: time.note });

  const read = <T extends KubernetesObject>(
    verb: 'GET' | 'LIST',
    path: UrlPath,
    { signal = never, look, projection }: RequestOptions & Projected<T>,
  ): Promise<HttpResponse> =>
    send({
      verb,
      method: 'GET',
      path,
      accept: acceptOf(projection),
      signal,
      timeout,
      timeLimit,
      ...(look === undefined ? {} : { look }),
    });

  const requestOf = <T extends KubernetesObject>(
    method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: UrlPath,
    type: string,
    body: unknown,
    { signal = never, look, outlivesTenure = false, projection }: RequestOptions & Projected<T>,
  ): ApiRequest => ({
    verb: method,
    method,
    path: dryRun ? dryRunPath(path) : path,
    accept: acceptOf(projection),
    body: { type, text: type === jsonPatch ? patchText(body as JsonPatch) : JSON.stringify(body) },
    signal,
    timeout,
    timeLimit,
    outlivesTenure,
    ...(look === undefined ? {} : { look }),
  });

  // The API server ignores options in the query of a DELETE that has a body.
  const deleteOptionsOf = (how: object): object => ({
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    ...how,
    ...(dryRun ? { dryRun: ['All'] } : {}),
  });

  const list: ApiClient['list'] = async (resource, request = {}) => {
    const page = readList(
      await read('LIST', listPath(resource, request), request),
      resource,
      request.projection,
      request.onUnreadable ?? refuse,
    );
    if (request.limit === undefined && goesOn(page)) {
      throw new Error(
        `the API server answered with a part of the list of ${resource.plural}, and not with all`,
      );
    }
    return page;
  };

  const get: ApiClient['get'] = async (resource, ref, request = {}) =>
    readObject(await read('GET', objectPath(resource, ref), request), request.projection, (kind, identity) =>
      mustBeAskedFor(resource, kind, identity, ref),
    );

  return {
    list,
    get,
    listPages: async function* (resource, request) {
      const paged = { ...request, limit: request.limit ?? pageSize };
      const end = watchForEnd(resource.plural, mostPages);
      let page = await list(resource, paged);
      yield page;
      while (goesOn(page)) {
        try {
          end.next(page.metadata.continue);
        } catch (error) {
          metrics.endlessList();
          throw error;
        }
        // A continue token carries its version. The API server refuses another version next to it.
        page = await list(resource, { ...atAnyVersion(paged), continue: page.metadata.continue });
        yield page;
      }
    },
    create: async (resource, namespace, object, request = {}) => {
      const whole = { apiVersion: apiVersionOf(resource), kind: resource.kind, ...(object as object) };
      return readObject(
        await send(requestOf('POST', collectionPath(resource, namespace), json, whole, request)),
        undefined,
        (kind) => {
          // A subresource can answer with any kind.
          if (!resource.plural.includes('/')) {
            mustBeOfKind(resource, kind);
          }
        },
      );
    },
    patch: async (resource, ref, patch, request = {}) => {
      const path = objectPath(resource, ref, request.subresource);
      const sent = send(requestOf('PATCH', path, jsonPatch, patch, request));
      return readObject(
        await unlessOfAnother(sent, resource, ref, request.subresource),
        request.projection,
        (kind, identity) => {
          if (request.subresource === undefined || request.subresource === 'status') {
            mustBeAskedFor(resource, kind, identity, ref);
          }
        },
      );
    },
    delete: async (resource, ref, { signal = never, look, outlivesTenure = false, ...how } = {}) => {
      const request = { signal, outlivesTenure, ...(look === undefined ? {} : { look }) };
      const sent = send(requestOf('DELETE', objectPath(resource, ref), json, deleteOptionsOf(how), request));
      await unlessOfAnother(sent, resource, ref);
    },
    ...createWriteVerbs({ get, send, requestOf, deleteOptionsOf, fieldManager }),
    watch: async (resource, request, onEvent) => {
      const path = watchPath(resource, request);
      await send(
        {
          verb: 'WATCH',
          method: 'GET',
          path,
          accept: acceptOf(request.projection),
          signal: request.signal,
          timeout: request.silenceLimit,
          // The server ends the watch at its timeout. One that does not is no better than a silent one.
          timeLimit: request.timeoutSeconds * 1_000 + request.silenceLimit,
        },
        readWatch(path, resource, request.projection, onEvent, request.onUnreadable ?? refuse),
      );
    },
    document: async (path, request = {}) => parseJson((await read('GET', path, request)).body.toString()),
    text: async (path, request = {}) => (await read('GET', path, request)).body.toString(),
    serverTime: time.now,
    close: () => {
      options.credentials.close?.();
      return transport.close();
    },
  };
}

function goesOn<T>(page: List<T>): page is List<T> & { readonly metadata: { readonly continue: string } } {
  return page.metadata.continue !== undefined && page.metadata.continue !== '';
}

function refuse(problem: UnreadableObject): never {
  throw problem;
}

function atAnyVersion<T extends KubernetesObject>(
  options: ListOptions & Projected<T>,
): ListOptions & Projected<T> {
  const rest = { ...options };
  delete rest.resourceVersion;
  delete rest.resourceVersionMatch;
  return rest;
}
