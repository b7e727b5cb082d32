import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { createSecureContext } from 'node:tls';
import {
  apiVersionOf,
  collectionPath,
  objectPath,
  namespaces,
  patchText,
  type ApiResource,
  type JsonPatch,
  type KubernetesObject,
  type ObjectRef,
} from '@holdfast/core';
import { load } from 'js-yaml';

/*
 * What the stand-ins say to an API server. client-node could say it too, but it is no dependency of this package, and the programs
 * under test here are built on it: the stand-ins share none of its defects with them.
 */

/** An answer of the API server that is no success. */
export class ApiError extends Error {
  /** The HTTP status. */
  readonly code: number;
  /** What the server said. */
  readonly answer: string;
  /** The causes in its details by their reasons, such as `NamespaceTerminating`. */
  readonly causes: readonly string[];

  constructor(request: string, code: number, { message, causes = [] }: Refusal) {
    super(`${request}: ${code} ${message}`);
    this.code = code;
    this.answer = message;
    this.causes = causes;
  }
}

interface Refusal {
  readonly message: string;
  readonly causes?: readonly string[];
}

/** A new object as a client writes it: the server adds the rest of the metadata. */
export interface Draft {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly [field: string]: unknown;
  };
  readonly [field: string]: unknown;
}

/** A new object whose name the server makes: it begins with `generateName`. */
export interface NamelessDraft {
  readonly metadata: {
    readonly generateName: string;
    readonly namespace?: string;
    readonly [field: string]: unknown;
  };
  readonly [field: string]: unknown;
}

export interface DeleteOptions {
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground';
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

export interface Listed<T> {
  readonly items: readonly T[];
  readonly resourceVersion: string;
}

export interface WatchEvent<T> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: T;
}

/** Every method throws {@link ApiError} for an answer that is no success, and a system error where there is none. */
export interface ApiClient {
  /** PEM of the certificate authority by which the server is trusted; undefined over plain http. */
  readonly ca: string | undefined;
  /** Undefined when there is no such object. */
  get<T extends KubernetesObject>(resource: ApiResource<T>, ref: ObjectRef): Promise<T | undefined>;
  /** The present state of all namespaces, or of one. */
  list<T extends KubernetesObject>(resource: ApiResource<T>, namespace?: string): Promise<Listed<T>>;
  create<T extends KubernetesObject>(resource: ApiResource<T>, draft: Draft | NamelessDraft): Promise<T>;
  update<T extends KubernetesObject>(
    resource: ApiResource<T>,
    object: T,
    subresource?: 'status' | 'finalize',
  ): Promise<T>;
  patch<T extends KubernetesObject>(
    resource: ApiResource<T>,
    ref: ObjectRef,
    patch: JsonPatch,
    subresource?: 'status',
  ): Promise<T>;
  /**
   * Gives the resourceVersion of the deletion, or of its beginning where something delays it; undefined where the server does not say, as for most kinds
   * that are gone at once.
   */
  delete(
    resource: ApiResource<KubernetesObject>,
    ref: ObjectRef,
    options?: DeleteOptions,
  ): Promise<string | undefined>;
  /** Puts a pod on a node. */
  bind(pod: ObjectRef, node: string): Promise<void>;
  /** Resolves when the server ends the watch or the signal aborts it. Throws ApiError 410 for a version that is too old. */
  watch<T extends KubernetesObject>(
    resource: ApiResource<T>,
    resourceVersion: string,
    deliver: (event: WatchEvent<T>) => void,
    signal: AbortSignal,
  ): Promise<void>;
  /** The resourceVersion of the store: that of the latest write, of whatever kind. */
  version(): Promise<string>;
  /** Any document of the server. */
  document(path: string, accept: string): Promise<unknown>;
  /** The requests that have no whole answer yet, watches apart, such as `GET /api/v1/pods`. */
  unanswered(): readonly string[];
  /** Destroys its connections. */
  close(): void;
}

/**
 * @param kubeconfig of one user with a bearer token, as the control planes of this package give it
 * @throws when its current context leads to no server, or to a user that has no bearer token
 */
export function createApiClient(kubeconfig: string, userAgent: string): ApiClient {
  const { server, ca, token } = readKubeconfig(kubeconfig);
  const isHttps = server.startsWith('https:');
  const agent = isHttps
    ? // One context for all connections: each watch has its own, and would read the certificates again.
      new HttpsAgent({ keepAlive: true, secureContext: createSecureContext({ ca }) })
    : new HttpAgent({ keepAlive: true });

  function open(method: string, path: string, options: Sent = {}): Promise<IncomingMessage> {
    const { body, contentType = 'application/json', accept = 'application/json', signal } = options;
    const content = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
    const headers: Record<string, string> = {
      accept,
      'user-agent': userAgent,
      authorization: `Bearer ${token}`,
    };
    if (content !== undefined) {
      headers['content-type'] = contentType;
      headers['content-length'] = String(Buffer.byteLength(content));
    }
    return new Promise((resolve, reject) => {
      const send = isHttps ? httpsRequest : httpRequest;
      const request = send(
        server + path,
        { method, headers, agent, ...(signal === undefined ? {} : { signal }) },
        resolve,
      );
      request.on('error', reject);
      request.end(content);
    });
  }

  const unanswered = new Set<{ readonly request: string }>();

  async function call(method: string, path: string, options?: Sent): Promise<unknown> {
    const asked = { request: `${method} ${path}` };
    unanswered.add(asked);
    try {
      const response = await open(method, path, options);
      const answer = await textOf(response);
      const code = response.statusCode ?? 0;
      if (code >= 200 && code < 300) {
        return JSON.parse(answer) as unknown;
      }
      throw new ApiError(asked.request, code, refusalOf(answer));
    } finally {
      unanswered.delete(asked);
    }
  }

  return {
    ca: ca?.toString('utf8'),
    async get<T extends KubernetesObject>(resource: ApiResource<T>, ref: ObjectRef) {
      try {
        return (await call('GET', objectPath(resource, ref))) as T;
      } catch (error) {
        if (error instanceof ApiError && error.code === 404) {
          return undefined;
        }
        throw error;
      }
    },
    async list<T extends KubernetesObject>(resource: ApiResource<T>, namespace?: string) {
      const list = (await call('GET', collectionPath(resource, namespace))) as {
        metadata: { resourceVersion: string };
        items: T[] | null;
      };
      return { items: list.items ?? [], resourceVersion: list.metadata.resourceVersion };
    },
    async create<T extends KubernetesObject>(resource: ApiResource<T>, draft: Draft | NamelessDraft) {
      const body = { apiVersion: apiVersionOf(resource), kind: resource.kind, ...draft };
      return (await call('POST', collectionPath(resource, draft.metadata.namespace), { body })) as T;
    },
    async update<T extends KubernetesObject>(resource: ApiResource<T>, object: T, subresource?: string) {
      const body = { ...object, apiVersion: apiVersionOf(resource), kind: resource.kind };
      return (await call('PUT', objectPath(resource, object.metadata, subresource), { body })) as T;
    },
    async patch<T extends KubernetesObject>(
      resource: ApiResource<T>,
      ref: ObjectRef,
      patch: JsonPatch,
      subresource?: string,
    ) {
      const path = objectPath(resource, ref, subresource);
      return (await call('PATCH', path, {
        body: patchText(patch),
        contentType: 'application/json-patch+json',
      })) as T;
    },
    async delete(resource, ref, options = {}) {
      const body = { kind: 'DeleteOptions', apiVersion: 'v1', ...options };
      const { kind, metadata } = (await call('DELETE', objectPath(resource, ref), { body })) as {
        readonly kind?: string;
        readonly metadata?: { readonly resourceVersion?: string };
      };
      return kind === 'Status' ? undefined : metadata?.resourceVersion;
    },
    async bind({ namespace = '', name }, node) {
      const path = `/api/v1/namespaces/${namespace}/pods/${name}/binding`;
      const body = {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { name },
        target: { kind: 'Node', name: node },
      };
      await call('POST', path, { body });
    },
    async watch<T extends KubernetesObject>(
      resource: ApiResource<T>,
      resourceVersion: string,
      deliver: (event: WatchEvent<T>) => void,
      signal: AbortSignal,
    ) {
      const path = `${collectionPath(resource)}?watch=true&resourceVersion=${resourceVersion}`;
      const response = await open('GET', path, { signal });
      const code = response.statusCode ?? 0;
      if (code !== 200) {
        throw new ApiError(`GET ${path}`, code, refusalOf(await textOf(response)));
      }
      for await (const line of linesOf(response)) {
        const event = JSON.parse(line) as WatchEvent<T> | WatchFailure;
        if (event.type === 'ERROR') {
          throw new ApiError(`GET ${path}`, event.object.code, event.object);
        }
        deliver(event);
      }
    },
    async version() {
      const { metadata } = (await call('GET', `${collectionPath(namespaces)}?limit=1`)) as {
        metadata: { resourceVersion: string };
      };
      return metadata.resourceVersion;
    },
    document: (path, accept) => call('GET', path, { accept }),
    unanswered: () => [...unanswered].map(({ request }) => request),
    close: () => agent.destroy(),
  };
}

interface Sent {
  readonly body?: unknown;
  readonly contentType?: string;
  readonly accept?: string;
  readonly signal?: AbortSignal;
}

interface WatchFailure {
  readonly type: 'ERROR';
  readonly object: { readonly code: number; readonly message: string };
}

/** Read by its events: an async iterator for each answer takes longer than the rest of a request. */
function textOf(response: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => {
      text += chunk;
    });
    response.on('end', () => resolve(text));
    response.on('error', reject);
  });
}

/** Node's readline also breaks lines at U+2028, which may stand unescaped in JSON. */
async function* linesOf(response: IncomingMessage): AsyncGenerator<string> {
  let rest = '';
  response.setEncoding('utf8');
  for await (const chunk of response) {
    const lines = (rest + (chunk as string)).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}

function refusalOf(answer: string): Refusal {
  try {
    const { message = answer, details } = JSON.parse(answer) as {
      readonly message?: string;
      readonly details?: { readonly causes?: readonly { readonly reason?: string }[] };
    };
    return { message, causes: (details?.causes ?? []).map(({ reason = '' }) => reason) };
  } catch {
    return { message: answer };
  }
}

interface Kubeconfig {
  readonly 'current-context'?: string;
  readonly contexts?: readonly {
    readonly name: string;
    readonly context: { readonly cluster: string; readonly user: string };
  }[];
  readonly clusters?: readonly {
    readonly name: string;
    readonly cluster: { readonly server?: string; readonly 'certificate-authority-data'?: string };
  }[];
  readonly users?: readonly { readonly name: string; readonly user: { readonly token?: string } }[];
}

/** @throws when the current context leads to no server, or to a user that has no bearer token */
export function readKubeconfig(content: string): { server: string; ca: Buffer | undefined; token: string } {
  const config = load(content) as Kubeconfig;
  const current = config['current-context'];
  const context = config.contexts?.find(({ name }) => name === current)?.context;
  const cluster = config.clusters?.find(({ name }) => name === context?.cluster)?.cluster;
  const token = config.users?.find(({ name }) => name === context?.user)?.user.token;
  if (cluster?.server === undefined) {
    throw new Error(
      `the kubeconfig's current context "${String(current)}" leads to no cluster with a server`,
    );
  }
  if (token === undefined) {
    throw new Error(
      `user "${String(context?.user)}" of the kubeconfig has no bearer token: no other credentials are known here`,
    );
  }
  const ca = cluster['certificate-authority-data'];
  return { server: cluster.server, ca: ca === undefined ? undefined : Buffer.from(ca, 'base64'), token };
}
