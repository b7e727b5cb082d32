import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdmission } from './admission/admission.ts';
import { persistentVolumeClaimResize } from './admission/claim-resize.ts';
import { defaultStorageClass } from './admission/default-storage-class.ts';
import { defaultTolerationSeconds } from './admission/default-toleration-seconds.ts';
import { limitRanger } from './admission/limit-ranger.ts';
import { namespaceLifecycle } from './admission/namespace-lifecycle.ts';
import { mutatingAdmissionPolicy } from './admission/policy/mutating-policies.ts';
import { validatingAdmissionPolicy } from './admission/policy/validating-policies.ts';
import { priority } from './admission/priority.ts';
import { resourceQuota } from './admission/quota/resource-quota.ts';
import { runtimeClass } from './admission/runtime-class.ts';
import { storageObjectInUseProtection } from './admission/storage-object-in-use-protection.ts';
import { taintNodesByCondition } from './admission/taint-nodes-by-condition.ts';
import type { ServiceAddresses } from './admission/webhook-call.ts';
import { mutatingAdmissionWebhook, validatingAdmissionWebhook } from './admission/webhooks.ts';
import { accessForbidden, accessOf } from './auth/access-request.ts';
import { type ApiServerUser, createAuthenticator } from './auth/authenticator.ts';
import { createAuthorizer } from './auth/authorizer.ts';
import { createImpersonation } from './auth/impersonation.ts';
import { answerIssuerDiscovery } from './auth/issuer-discovery.ts';
import { issueToken } from './auth/service-account-token.ts';
import { signingKey } from './auth/signing-key.ts';
import { type UserInfo, authenticatedGroup, privilegedGroup } from './auth/user-info.ts';
import { answerPath } from './discovery/answer-path.ts';
import { answerIndex, checkService } from './discovery/service-paths.ts';
import { createFlowControl } from './flow-control/flow-control.ts';
import { type Answer, jsonAnswer, statusAnswer } from './http/answer.ts';
import { serverCertificate } from './http/certificate.ts';
import { resetConnection, takeNoMore, trackConnections } from './http/connections.ts';
import type { HttpRequest, HttpResponse } from './http/exchange.ts';
import {
  openExchange,
  type InProcessAnswer,
  type InProcessRequest,
  type ServedAnswer,
} from './http/in-process-exchange.ts';
import type { Fault, FaultPlan, FaultRequest } from './http/faults.ts';
import type { Flow } from './http/flow-headers.ts';
import { inTurn } from './http/in-turn.ts';
import { kubeconfig } from './http/kubeconfig.ts';
import { createListeningServer } from './http/listening-server.ts';
import { readBody } from './http/read-body.ts';
import { parseRequest, type RequestInfo } from './http/request-info.ts';
import { type RequestLog, createRequestLog } from './http/request-log.ts';
import { checkTimeout } from './http/request-timeout.ts';
import { streamWatch } from './http/watch-stream.ts';
import { writeAnswer } from './http/write-answer.ts';
import { answerMetrics } from './metrics/answer-metrics.ts';
import { createRequestMetrics, type Measured } from './metrics/request-metrics.ts';
import { internalError, StatusError, type Status } from './meta/status-error.ts';
import { type After, systemTimer } from './meta/timer.ts';
import { type ApiServerFeatureGate, withFeatureGates } from './resources/feature-gates.ts';
import { startApiServiceRegistration } from './custom-resources/api-service-registration.ts';
import { startCustomResources } from './custom-resources/custom-resources.ts';
import { customResourceDefinitions } from './custom-resources/definition-resource.ts';
import { builtInResources, createRegistry } from './resources/registry.ts';
import type { ResourceDefinition } from './resources/resource-definition.ts';
import { bootstrap } from './rest/bootstrap.ts';
import { startFlowSchemaStatus } from './rest/flow-schema-status.ts';
import { handleResource } from './rest/handlers/handle-resource.ts';
import { writeStatus } from './rest/write-status.ts';
import { resourceQuotas } from './resources/described/resource-quotas.ts';
import type { ServerState } from './rest/server-state.ts';
import { staleView } from './storage/stale-view.ts';
import { type Storage, createStorage } from './storage/storage.ts';

/** What an API server serves, on which address, and to which users. */
export interface ApiServerOptions {
  /** The TCP port on 127.0.0.1. Default 0: a free one. */
  readonly port?: number;
  /** Whether to serve https, with a certificate made at start, or plain http. Default true. */
  readonly tls?: boolean;
  /**
   * Whether to speak HTTP/2 with clients that offer it (ALPN), as the real server does, in addition to
   * HTTP/1.1. A Go client then sends all its requests over one connection, so a fault that cuts a connection
   * hits all of them. Has no effect without `tls`. Default false.
   */
  readonly http2?: boolean;
  /**
   * The storage of the objects. To "restart" a server with its data, pass the storage of the earlier one.
   * Default: a new, empty one.
   */
  readonly storage?: Storage;
  /**
   * Admission plugins to turn off, by name, for example ['StorageObjectInUseProtection']. Default none. An
   * unknown name makes the start throw.
   */
  readonly disableAdmissionPlugins?: readonly string[];
  /**
   * The bearer token of the cluster admin. To restart a server, pass the token of the earlier one; then
   * service account tokens that the earlier server issued are accepted, too. Default: a new random one.
   */
  readonly token?: string;
  /**
   * Further users, each with a bearer token, who may do what roles and bindings allow them. Default none. Two
   * users with the same token make the start throw.
   */
  readonly users?: readonly ApiServerUser[];
  /** The faults that requests meet. Default none. */
  readonly faults?: FaultPlan;
  /**
   * The clock for timestamps (creationTimestamp, deletionTimestamp) and the expiry of tokens, in milliseconds
   * since the epoch; replaceable in tests. Default Date.now.
   */
  readonly now?: () => number;
  /**
   * The timer for everything that takes time: the end and the bookmarks of watches, requests that wait for a
   * later resourceVersion, webhook calls, and faults that delay. Replaceable in tests: a FakeClock has one.
   * Default setTimeout.
   */
  readonly after?: After;
  /**
   * Feature gates to turn off (or on), by kube-apiserver's names. All are on by default. With
   * StatefulSetAutoDeletePVC off, the server drops persistentVolumeClaimRetentionPolicy from sets. With
   * RetroactiveDefaultStorageClass off, it refuses (422) to set the class of an existing claim, as servers
   * before 1.26 do. An unknown name makes the start throw.
   */
  readonly featureGates?: Readonly<Partial<Record<ApiServerFeatureGate, boolean>>>;
  /**
   * The addresses of the services that webhook configurations and conversions name: `namespace/name` to
   * `host:port`. They are needed because nothing routes services here. The certificate at that address must
   * be valid for `name.namespace.svc`. Default none: such a call fails like a call to a service that does not
   * exist.
   */
  readonly services?: ServiceAddresses;
  /** Kinds to serve in addition to the built-in ones, in the same way as custom resources. Default none. */
  readonly resources?: readonly ResourceDefinition[];
}

/** A running API server. */
export interface ApiServer {
  readonly url: string;
  /**
   * A kubeconfig as text (JSON, which is valid YAML) with the server, its CA data and the bearer token of a
   * cluster admin; kubectl can use it.
   */
  readonly kubeconfig: string;
  readonly storage: Storage;
  /** The served requests, newest last, for tests that count calls. Only the latest are kept. */
  readonly requests: RequestLog;
  /**
   * Answers a request of the cluster admin in process, bypassing the network, the faults and the log. A test
   * that needs thousands of objects can create them faster this way. The body is JSON unless `contentType`
   * says otherwise, as it must for a patch.
   *
   * @throws for a watch, which has no single answer
   */
  handle(method: string, path: string, body?: string, contentType?: string): Promise<InProcessAnswer>;
  /**
   * Serves a request in process as one that comes over the network: it must bring its credentials, meets faults, and
   * is logged. That takes a fraction of the CPU time of HTTP.
   *
   * @param onData takes the parts of a successful response as they arrive, for a watch, and then `body` is empty
   * @throws an error with a code, as a client gets it whose connection is refused (ECONNREFUSED), once the server has
   *   stopped, or reset (ECONNRESET); the reason of the request's signal when it aborts
   */
  serve(request: InProcessRequest, onData?: (text: string) => void): Promise<ServedAnswer>;
  /**
   * Drops history up to the current revision, as etcd compaction does: older watches and continue tokens get
   * 410.
   */
  compact(): void;
  /** Cuts all open watches by a connection reset; the server goes on. */
  cutWatches(): void;
  /** Stops listening and destroys all connections. Idempotent. */
  stop(): Promise<void>;
}

const admin: UserInfo = { name: 'admin', uid: 'admin', groups: [privilegedGroup, authenticatedGroup] };

/** Starts a Kubernetes API server in this process. Resolves when it serves. */
export async function startApiServer(options: ApiServerOptions = {}): Promise<ApiServer> {
  const { port = 0, tls = true, http2 = false, faults, now = Date.now, after = systemTimer } = options;
  const storage = options.storage ?? createStorage({ now });
  const token = options.token ?? randomBytes(16).toString('hex');
  const tokenKey = signingKey(token);
  const registry = createRegistry([
    ...inDiscoveryOrder(withFeatureGates(builtInResources, options.featureGates ?? {})),
    ...(options.resources ?? []),
  ]);
  const authorizer = createAuthorizer(storage);
  const webhooks = { registry, services: options.services ?? {}, authorizer, after };
  const state: ServerState = {
    storage,
    registry,
    admission: createAdmission(
      [
        namespaceLifecycle,
        limitRanger,
        taintNodesByCondition,
        priority,
        defaultTolerationSeconds,
        storageObjectInUseProtection,
        defaultStorageClass,
        persistentVolumeClaimResize,
        runtimeClass,
        mutatingAdmissionPolicy({ registry, authorizer }),
        mutatingAdmissionWebhook(webhooks),
        validatingAdmissionPolicy({ registry, authorizer }),
        validatingAdmissionWebhook(webhooks),
        resourceQuota({ now, writeStatus: (quota) => writeStatus(state, resourceQuotas, quota) }),
      ],
      options.disableAdmissionPlugins ?? [],
    ),
    authenticator: createAuthenticator({
      users: [{ ...admin, token }, ...(options.users ?? [])],
      tokenKey,
      storage,
      now,
    }),
    authorizer,
    issueToken: (claims, issuedAt) => issueToken(tokenKey, claims, issuedAt),
    now,
    after,
  };
  await bootstrap(state, admin);
  const customResources = startCustomResources(state, webhooks.services);
  const apiServiceRegistration = startApiServiceRegistration(state);
  const flowSchemaStatus = startFlowSchemaStatus(state);
  const flowControl = createFlowControl(storage);
  const requestMetrics = createRequestMetrics(registry);

  function stopFollowing(): void {
    customResources.stop();
    apiServiceRegistration.stop();
    flowSchemaStatus.stop();
    flowControl.stop();
    state.authorizer.stop();
  }

  const impersonate = createImpersonation(state.authorizer);
  const requests = createRequestLog();
  const certificate = tls ? await serverCertificate() : undefined;
  const watches = new Set<HttpResponse>();

  async function serve(request: HttpRequest, response: HttpResponse): Promise<void> {
    const started = performance.now();
    const info = parseRequest(request.method ?? 'GET', request.url ?? '/');
    const userAgent = request.headers['user-agent'] ?? '';
    const { accept } = request.headers;
    const subject = faultRequest(info, userAgent);
    let user = state.authenticator.authenticateHeader(request.headers.authorization);
    const log = (code: number): void =>
      requests.add({ ...subject, path: info.path, user: user?.name ?? '', code });
    let body: Buffer;
    try {
      body = await readBody(request);
    } catch (error) {
      const status = statusOf(error);
      log(status.code ?? 500);
      await writeAnswer(request, response, statusAnswer(accept, status.code ?? 500, status), {});
      return;
    }
    const chosen = faults?.decide(subject) ?? [];
    if (await applyBefore(chosen, subject, state, response)) {
      log(0);
      return;
    }
    let answer: Answer;
    let retryAfter: number | undefined;
    let flow: Flow | undefined;
    let measured: Measured | undefined;
    try {
      throwStatusFault(chosen);
      if (user === undefined) {
        throw new StatusError(401, 'Unauthorized', 'Unauthorized');
      }
      const access = accessOf(info);
      user = impersonate(user, request, access);
      flow = flowControl.flowOf(user, access);
      const { isAllowed, reason } = state.authorizer.authorize(user, access);
      if (!isAllowed) {
        throw accessForbidden(user, access, reason);
      }
      measured = requestMetrics.begin(info, request.headers['content-type'], started);
      answer = await answerRequest(
        isRead(info) ? staleState(state, chosen) : state,
        info,
        request.headers,
        body,
        user,
      );
    } catch (error) {
      const status = statusOf(error);
      retryAfter = status.details?.retryAfterSeconds;
      const warnings = error instanceof StatusError ? error.warnings : [];
      answer = statusAnswer(accept, status.code ?? 500, status, warnings);
    }
    try {
      if (chosen.some((fault) => fault.kind === 'reset' && fault.when === 'after')) {
        log(0);
        resetConnection(response);
      } else if (answer.kind === 'watch') {
        log(200);
        watches.add(response);
        measured?.opened();
        await streamWatch(response, answer, { faults: chosen, after, flow });
        watches.delete(response);
        measured?.answered(200);
      } else {
        log(answer.code);
        await writeAnswer(request, response, answer, { retryAfter, flow });
        if (user === undefined) {
          // As the real server does: an unauthenticated client must not keep a connection that can carry many
          // requests.
          takeNoMore(response);
        }
        measured?.answered(answer.code);
      }
    } finally {
      measured?.end();
    }
  }

  async function handle(
    method: string,
    path: string,
    body = '',
    contentType = 'application/json',
  ): Promise<InProcessAnswer> {
    const headers = { 'content-type': contentType, 'user-agent': 'in-process' };
    let answer: Answer;
    try {
      answer = await answerRequest(state, parseRequest(method, path), headers, Buffer.from(body), admin);
    } catch (error) {
      const status = statusOf(error);
      answer = jsonAnswer(status.code ?? 500, status);
    }
    switch (answer.kind) {
      case 'json':
        return { code: answer.code, body: answer.json };
      case 'text':
        return { code: answer.code, body: answer.text };
      case 'bytes':
        return { code: answer.code, body: answer.bytes.toString('latin1') };
      case 'watch':
        throw new Error(`${method} ${path} is a watch: open it over the network, at the server's url`);
    }
  }

  function answerRequest(
    view: ServerState,
    info: RequestInfo,
    headers: IncomingHttpHeaders,
    body: Buffer,
    user: UserInfo,
  ): Promise<Answer> {
    checkTimeout(info.query.get('timeout'));
    if (info.kind === 'resource') {
      return handleResource(view, { info, headers, body, user });
    }
    checkService(view.registry, info.method, info.path);
    if (info.path === '/' || info.path === '') {
      return Promise.resolve(answerIndex(view.registry));
    }
    if (info.path === '/metrics') {
      return answerMetrics(storage, registry, requestMetrics);
    }
    return Promise.resolve(
      answerIssuerDiscovery(tokenKey, info.path, url) ??
        answerPath(view.registry, info.path, info.query, headers),
    );
  }

  const listener = (request: HttpRequest, response: HttpResponse): void => {
    serve(request, response).catch((error: unknown) => {
      if (!response.headersSent) {
        response.writeHead(500, { 'Content-Type': 'application/json' });
        response.end(JSON.stringify(statusOf(error)));
      } else {
        response.destroy();
      }
    });
  };
  const server = await createListeningServer(certificate, http2, inTurn(listener));
  const sockets = trackConnections(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: Error) => {
      stopFollowing();
      reject(error);
    });
    server.listen(port, '127.0.0.1', resolve);
  });
  const url = `${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const inProcess = new Set<HttpResponse>();

  async function serveInProcess(
    asked: InProcessRequest,
    onData?: (text: string) => void,
  ): Promise<ServedAnswer> {
    // As over the network, watchers hear of one request before the next is served.
    await new Promise((resolve) => setImmediate(resolve));
    asked.signal?.throwIfAborted();
    if (stopping !== undefined) {
      throw Object.assign(new Error(`connect ECONNREFUSED ${url}`), { code: 'ECONNREFUSED' });
    }
    const { request, response, received } = openExchange(asked, onData);
    inProcess.add(response);
    response.on('close', () => void inProcess.delete(response));
    listener(request, response);
    return received;
  }

  let stopping: Promise<void> | undefined;
  return {
    url,
    kubeconfig: kubeconfig(url, certificate, token),
    storage,
    requests,
    handle,
    serve: serveInProcess,
    compact: () => storage.compact(),
    cutWatches() {
      for (const response of watches) {
        resetConnection(response);
      }
    },
    stop() {
      return (stopping ??= new Promise((resolve) => {
        stopFollowing();
        server.close(() => resolve());
        for (const each of [...sockets, ...inProcess]) {
          each.destroy();
        }
      }));
    },
  };
}

/** Places the custom resource definitions among the built-in kinds, which do not know of them. */
function inDiscoveryOrder(definitions: readonly ResourceDefinition[]): ResourceDefinition[] {
  const next = definitions.findIndex(({ group }) => group === 'scheduling.k8s.io');
  return definitions.toSpliced(next, 0, customResourceDefinitions);
}

function isRead(info: RequestInfo): boolean {
  return info.kind === 'resource' && (info.verb === 'get' || info.verb === 'list' || info.verb === 'watch');
}

function faultRequest(info: RequestInfo, userAgent: string): FaultRequest {
  if (info.kind === 'path') {
    const verb = info.method.toLowerCase() as Lowercase<string>;
    return { verb, resource: '', subresource: '', namespace: '', name: '', query: info.query, userAgent };
  }
  const { verb, resource, subresource, namespace, name, query } = info;
  return { verb, resource, subresource, namespace, name, query, userAgent };
}

/** Applies the faults that come before the request is served. Returns whether the connection was reset. */
async function applyBefore(
  faults: readonly Fault[],
  request: FaultRequest,
  { storage, after }: ServerState,
  response: HttpResponse,
): Promise<boolean> {
  for (const fault of faults) {
    if (fault.kind === 'delay') {
      await new Promise<void>((resolve) => after(fault.milliseconds, resolve));
    } else if (fault.kind === 'compact') {
      storage.compact();
    } else if (fault.kind === 'call') {
      await fault.run(request);
    } else if (fault.kind === 'reset' && fault.when === 'before') {
      resetConnection(response);
      return true;
    }
  }
  return false;
}

/** The state from which a request reads: an earlier one if a fault says so. */
function staleState(state: ServerState, faults: readonly Fault[]): ServerState {
  const lag = faults.find((fault) => fault.kind === 'stale');
  return lag === undefined ? state : { ...state, storage: staleView(state.storage, lag) };
}

function throwStatusFault(faults: readonly Fault[]): void {
  const fault = faults.find((candidate) => candidate.kind === 'status');
  if (fault === undefined) {
    return;
  }
  const { code, reason, message, retryAfterSeconds } = fault;
  throw new StatusError(
    code,
    reason,
    message ?? 'injected fault',
    retryAfterSeconds === undefined ? undefined : { retryAfterSeconds },
  );
}

function statusOf(error: unknown): Status {
  if (error instanceof StatusError) {
    return error.status;
  }
  return internalError(
    `Internal error occurred: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
  ).status;
}
