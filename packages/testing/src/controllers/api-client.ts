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
import { type Sent, type ServerInProcess, inProcessTransport, networkTransport } from './transport.ts';

/*
 * How the stand-ins talk to an API server. They do not use client-node: the programs under test are built on
 * it, and the stand-ins must not share its defects with them. Besides, this package does not depend on it.
 */

/** An API server's answer other than success. */
export class ApiError extends Error {
  /** The HTTP status code. */
  readonly code: number;
  /** The message of the answer. */
  readonly answer: string;
  /** The reasons of the causes in the answer's details, such as `NamespaceTerminating`. */
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

/** A new object as a client writes it. The server adds the rest of the metadata. */
export interface Draft {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly [field: string]: unknown;
  };
  readonly [field: string]: unknown;
}

/** A new object whose name the server generates, beginning with `generateName`. */
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

/**
 * A client of an API server. Every method throws {@link ApiError} for an answer other than success, and a
 * system error if no answer comes.
 */
export interface ApiClient {
  /** PEM of the certificate authority that the client trusts; undefined over plain http. */
  readonly ca: string | undefined;
  /** Undefined if there is no such object. */
  get<T extends KubernetesObject>(resource: ApiResource<T>, ref: ObjectRef): Promise<T | undefined>;
  /** Lists the present objects of all namespaces, or of one. */
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
   * Returns the resourceVersion of the deletion, or of its beginning if something delays it. Undefined if the
   * server does not return one, as for most kinds that are deleted at once.
   */
  delete(
    resource: ApiResource<KubernetesObject>,
    ref: ObjectRef,
    options?: DeleteOptions,
  ): Promise<string | undefined>;
  /** Binds a pod to a node. */
  bind(pod: ObjectRef, node: string): Promise<void>;
  /**
   * Resolves when the server ends the watch or the signal aborts it. Throws ApiError 410 if the version is
   * too old.
   */
  watch<T extends KubernetesObject>(
    resource: ApiResource<T>,
    resourceVersion: string,
    deliver: (event: WatchEvent<T>) => void,
    signal: AbortSignal,
  ): Promise<void>;
  /** The resourceVersion of the store, which is that of the latest write to any kind. */
  version(): Promise<string>;
  /** Reads any document of the server. */
  document(path: string, accept: string): Promise<unknown>;
  /** The requests that are not answered completely yet, such as `GET /api/v1/pods`; watches are left out. */
  unanswered(): readonly string[];
  /** Destroys the client's connections. */
  close(): void;
}

/**
 * Creates a client.
 *
 * @param kubeconfig must have a single user with a bearer token, as the control planes of this package write
 *   it
 * @param server the API server that the kubeconfig leads to, if it is in this process; then no connection is needed.
 *   Default: the client connects to it.
 * @throws if its current context leads to no server, or to a user without a bearer token
 */
export function createApiClient(kubeconfig: string, userAgent: string, server?: ServerInProcess): ApiClient {
  const { server: url, ca, token } = readKubeconfig(kubeconfig);
  const headers = { 'user-agent': userAgent, authorization: `Bearer ${token}` };
  const transport =
    server === undefined ? networkTransport(url, ca, headers) : inProcessTransport(server, headers);

  const unanswered = new Set<{ readonly request: string }>();

  async function call(
    method: string,
    path: string,
    options?: Omit<Sent, 'method' | 'path'>,
  ): Promise<unknown> {
    const asked = { request: `${method} ${path}` };
    unanswered.add(asked);
    try {
      const { code, body } = await transport.send({ ...options, method, path });
      if (code >= 200 && code < 300) {
        return JSON.parse(body) as unknown;
      }
      throw new ApiError(asked.request, code, refusalOf(body));
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
      const eachLine = createLineSplitter((line) => {
        const event = JSON.parse(line) as WatchEvent<T> | WatchFailure;
        if (event.type === 'ERROR') {
          throw new ApiError(`GET ${path}`, event.object.code, event.object);
        }
        deliver(event);
      });
      const { code, body } = await transport.send({ method: 'GET', path, signal }, eachLine);
      if (code !== 200) {
        throw new ApiError(`GET ${path}`, code, refusalOf(body));
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
    close: () => transport.close(),
  };
}

interface WatchFailure {
  readonly type: 'ERROR';
  readonly object: { readonly code: number; readonly message: string };
}

/** Node's readline does not fit, because it also breaks lines at U+2028, which JSON may contain unescaped. */
function createLineSplitter(onLine: (line: string) => void): (text: string) => void {
  let rest = '';
  return (text) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    lines.forEach(onLine);
  };
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

/**
 * Reads the server and the credentials of a kubeconfig.
 *
 * @throws if the current context leads to no server, or to a user without a bearer token
 */
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
