import type { UrlPath } from '@holdfast/core';
import { backoffDelay } from '../time/backoff.ts';
import { sleep, type Clock } from '../time/clock.ts';
import type { TokenBucket } from '../time/token-bucket.ts';
import { unlessAborted } from '../time/unless-aborted.ts';
import { readError } from './answer.ts';
import type { ApiError } from './api-error.ts';
import type { ClientMetrics } from './client-metrics.ts';
import { askedAgain, type Credentials, type CredentialSource } from './credentials.ts';
import { checkLook, isLookOver, LookTooOld, type Look } from './look.ts';
import { createPlaces } from './places.ts';
import { namespaceOf } from './request-path.ts';
import { TenureOver, type Tenure } from './tenure.ts';
import {
  requestConnections,
  type HttpRequest,
  type HttpResponse,
  type HttpStream,
  type Transport,
} from './transport.ts';

export interface RequestSenderOptions {
  readonly transport: Transport;
  readonly credentials: CredentialSource;
  /** The rate limit for requests other than watches. Default: no limit, and no time spent on it. */
  readonly rateLimit?: TokenBucket;
  /**
   * The rate limit for opening watches and streamed lists. They must not hold up the work: with 1,000
   * namespaces of three resources each, 75 watches end and are reopened each second, and 3,000 at once after
   * a restart of the API server. Default: no limit.
   */
  readonly watchRateLimit?: TokenBucket;
  readonly metrics: ClientMetrics;
  readonly clock: Clock;
  /** Asked right before each write is sent. Default: none, and no write is refused for it. */
  readonly tenure?: Tenure;
  /**
   * The path below which the API is served, for a server behind a gateway; without a slash at the end.
   * Default: none.
   */
  readonly basePath?: string;
  /** Names the client in the API server's log, by convention `program/version (os/arch)`. */
  readonly userAgent: string;
  /** Called with the `Date` of each response, when the response begins. */
  readonly onDate?: (date: string) => void;
  /** How often a response with Retry-After is retried. Default: 10, client-go's figure. */
  readonly retries?: number;
  /** Called before each wait for a Retry-After. */
  readonly onBusy?: (wait: BusyWait) => void;
}

/** The server asked the client to wait. */
export interface BusyWait {
  /** Method and path. */
  readonly request: string;
  readonly code: number;
  /** Time until the next try, in milliseconds. */
  readonly delay: number;
}

/** One request of a client, however many tries it takes. */
export interface ApiRequest {
  /** The verb in metrics: the method, or LIST or WATCH for such a GET. */
  readonly verb: string;
  readonly method: HttpRequest['method'];
  /** Path with query, below the base path. */
  readonly path: UrlPath;
  /** Media types that the caller can read. */
  readonly accept: string;
  readonly body?: { readonly type: string; readonly text: string };
  readonly signal: AbortSignal;
  /** A try that waits longer than this for the next byte fails, in milliseconds. */
  readonly timeout: number;
  /** A try fails if its response is not complete by then, in milliseconds. */
  readonly timeLimit: number;
  /** The look that a read belongs to, or that a write is based on. */
  readonly look?: Look;
  readonly outlivesTenure?: boolean;
  /** Whether to send it again after a response of 429 or 5xx with Retry-After. Default: yes. */
  readonly mayRepeat?: (error: ApiError) => boolean;
}

/** How often credentials with which nothing can be sent are renewed, in milliseconds. */
const unusableInterval = 10_000;

/** How many requests wait in order of arrival for the rate limit. Further ones take turns by namespace. */
const lineLength = 64;

/**
 * Sends a request until it succeeds.
 *
 * @param stream takes the body as it arrives, see {@link HttpStream}.
 * @throws ApiError if the server's last answer is no success; the transport's error if it does not answer;
 *   the signal's reason when aborted; what the authenticator throws; LookTooOld, LookOvertaken or TenureOver
 *   for a write that was not sent.
 */
export type SendRequest = (request: ApiRequest, stream?: HttpStream) => Promise<HttpResponse>;

/**
 * Creates the function that sends a client's requests.
 *
 * Every try takes a token of its rate limit, is counted, and carries fresh credentials. A write's look is
 * judged before each try and again right before it is sent; the tenure of the process is checked right before
 * it is sent.
 *
 * Requests to one namespace never hold all connections, nor all places in line for the rate limit. So even if
 * each of them takes long, or there are hundreds, requests elsewhere proceed. Watches are not part of this.
 *
 * A request of a look that has begun skips the line, see `openLook`. For this reason a request takes its
 * connection only after the line: otherwise those waiting in line would hold the connections that it needs.
 * And the reads of a look do not take turns by namespace, since the look ages between the first and the last
 * of them.
 *
 * Two kinds of response are retried. A 429 or 5xx with Retry-After is retried after that time, at most ten
 * times by default, unless the request forbids it. A 401 is retried once, with freshly read credentials; if
 * those are refused as well, the next ones are read a second later, and ever less often, up to every ten seconds. A
 * request without a response is not retried, since it might have been carried out. If its handshake failed,
 * or the credentials cannot be sent at all, the next request has freshly read ones.
 */
export function createRequestSender(options: RequestSenderOptions): SendRequest {
  const {
    transport,
    credentials,
    rateLimit,
    watchRateLimit,
    metrics,
    clock,
    tenure,
    basePath = '',
    userAgent,
    onDate,
    onBusy,
  } = options;
  const { retries = 10 } = options;
  /** Places of connections. */
  const places = createPlaces(requestConnections);
  /** Places in line for the rate limit, for requests without a look. */
  const line = createPlaces(lineLength);

  const once = async (
    request: ApiRequest,
    { headers, tls }: Credentials,
    stream?: HttpStream,
  ): Promise<HttpResponse> => {
    const { verb, method, path, accept, body, signal, timeout, timeLimit, look } = request;
    const started = clock.now();
    let sent = started;
    const needsTenure = tenure !== undefined && isWrite(request) && request.outlivesTenure !== true;
    try {
      const response = await transport.send(
        {
          method,
          path: `${basePath}${path}`,
          headers: {
            accept,
            'user-agent': userAgent,
            ...headers,
            ...(body === undefined ? {} : { 'content-type': body.type }),
          },
          signal,
          timeout,
          timeLimit,
          ...(body === undefined ? {} : { body: body.text }),
          ...(onDate === undefined ? {} : { onDate }),
          ...(look === undefined && !needsTenure
            ? {}
            : {
                beforeSending: () => {
                  sent = clock.now();
                  judge(request, sent);
                  if (needsTenure) {
                    tenure.check();
                  }
                },
              }),
        },
        tls,
        stream,
      );
      metrics.observe(verb, method, response.status, clock.now() - started);
      if (look !== undefined && !isWrite(request) && !isBusy(response)) {
        // A 404 counts too: the read has seen that the object does not exist.
        look.lookedAt = Math.min(look.lookedAt ?? sent, sent);
      }
      return response;
    } catch (error) {
      if (!(isLookOver(error) || error instanceof TenureOver)) {
        metrics.observe(verb, method, '<error>', clock.now() - started);
      }
      throw error;
    }
  };

  const takeInTurn = async (bucket: TokenBucket, { path, signal, look }: ApiRequest): Promise<void> => {
    if (look !== undefined) {
      await bucket.take(signal);
      return;
    }
    const namespace = namespaceOf(path);
    await line.take(namespace, signal);
    try {
      await bucket.take(signal);
    } finally {
      line.giveBack(namespace);
    }
  };

  const waitForToken = async (bucket: TokenBucket, request: ApiRequest): Promise<void> => {
    const { verb, signal, look } = request;
    const waited = clock.now();
    const { lookedAt } = look ?? {};
    if (look === undefined || lookedAt === undefined) {
      await takeInTurn(bucket, request);
    } else if (!(await bucket.takeAhead(lookedAt + look.maxAge, signal))) {
      if (isWrite(request)) {
        throw new LookTooOld(clock.now() - lookedAt, look.maxAge);
      }
      await takeInTurn(bucket, request);
    }
    metrics.observeRateLimiter(verb, clock.now() - waited);
  };

  /** When the credentials were last renewed because no request could be sent with them. */
  let doubted = -Infinity;

  /** Limited, because an exec plugin runs for each renewal, and every request fails. */
  const renewUnusable = (used: Credentials): void => {
    if (clock.now() - doubted < unusableInterval) {
      return;
    }
    doubted = clock.now();
    try {
      credentials.renew(used);
    } catch {
      // Why the request failed says more than that the kubeconfig cannot be read either.
    }
  };

  /** How many renewals followed a 401, how many of them since a success, and until when none follows. */
  let renewals = 0;
  let inVain = 0;
  let renewable = -Infinity;

  /**
   * Renews credentials that were refused, unless another request has done so since they were asked for, or the last
   * renewal was too short a time ago.
   *
   * @returns whether there might be other credentials to try.
   */
  const renewRefused = ({ used, renewalsBefore }: Attempt): boolean => {
    if (renewalsBefore !== renewals) {
      return true;
    }
    if (clock.now() < renewable) {
      return false;
    }
    // Not only when these are refused as well: until then others might wait, and each of them would renew.
    renewable = clock.now() + backoffDelay(inVain, askedAgain);
    inVain += 1;
    credentials.renew(used);
    renewals += 1;
    return true;
  };

  const noteAccepted = (isRenewed: boolean): void => {
    inVain = 0;
    if (isRenewed) {
      renewable = -Infinity;
    }
  };

  const send = async (request: ApiRequest, stream?: HttpStream): Promise<Attempt> => {
    const renewalsBefore = renewals;
    const used = credentials.fresh() ?? (await unlessAborted(credentials.get(), request.signal));
    try {
      return { used, renewalsBefore, response: await once(request, used, stream) };
    } catch (error) {
      if (isUnusable(error)) {
        renewUnusable(used);
      }
      throw error;
    }
  };

  const sendInPlace = async (request: ApiRequest): Promise<Attempt> => {
    const namespace = namespaceOf(request.path);
    await places.take(namespace, request.signal);
    try {
      return await send(request);
    } finally {
      places.giveBack(namespace);
    }
  };

  /** One try, from its place in line to its response. */
  const attemptOnce = async (request: ApiRequest, stream?: HttpStream): Promise<Attempt> => {
    if (stream !== undefined) {
      if (watchRateLimit !== undefined) {
        const waited = clock.now();
        await watchRateLimit.take(request.signal);
        metrics.observeRateLimiter(request.verb, clock.now() - waited);
      }
      return send(request, stream);
    }
    if (rateLimit !== undefined) {
      await waitForToken(rateLimit, request);
    }
    return sendInPlace(request);
  };

  return async (request, stream) => {
    let isRenewed = false;
    for (let attempt = 0; ; attempt++) {
      judge(request, clock.now());
      const tried = await attemptOnce(request, stream);
      const { response } = tried;
      if (isSuccess(response)) {
        // A watch that ends says only that its credentials were accepted when it began.
        if (stream === undefined || isRenewed) {
          noteAccepted(isRenewed);
        }
        return response;
      }
      const error = readError(request, response);
      if (response.status === 401) {
        // The token might just have been rotated, so try once more with freshly read credentials.
        if (isRenewed || !renewRefused(tried)) {
          throw error;
        }
        isRenewed = true;
      } else if (
        attempt < retries &&
        error.retryAfter !== undefined &&
        isBusy(response) &&
        request.mayRepeat?.(error) !== false
      ) {
        onBusy?.({ request: `${request.method} ${request.path}`, code: error.code, delay: error.retryAfter });
        await sleep(clock, error.retryAfter, request.signal);
      } else {
        throw error;
      }
    }
  };
}

interface Attempt {
  readonly used: Credentials;
  /** How many renewals there had been when its credentials were asked for. */
  readonly renewalsBefore: number;
  readonly response: HttpResponse;
}

/** Refuses a write whose look is too old or no longer holds. A read does no harm. */
function judge(request: ApiRequest, now: number): void {
  if (request.look !== undefined && isWrite(request)) {
    checkLook(request.look, now);
  }
}

function isWrite({ method }: ApiRequest): boolean {
  return method !== 'GET';
}

/**
 * Returns whether the API server carried out the request. 203 and 206 come from proxies, and might be
 * partial.
 */
function isSuccess({ status }: HttpResponse): boolean {
  return status === 200 || status === 201 || status === 202;
}

/**
 * Returns whether the credentials might be why there is no response: server and client do not trust each
 * other, or the credentials are no certificates, no key, or no text for a header. No 401 would ever come then.
 */
function isUnusable(error: unknown): boolean {
  const code = (error as { readonly code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' && credentialTrouble.test(code);
}

/** Codes of OpenSSL, node:tls and X.509, and those for an argument of the wrong form. */
const credentialTrouble =
  /^(ERR_(SSL|TLS|OSSL|CRYPTO|INVALID_ARG)_|UND_ERR_INVALID_ARG|UNABLE_TO_|CERT_|SELF_SIGNED_|DEPTH_ZERO_|INVALID_(CA|PURPOSE)|PATH_LENGTH_|HOSTNAME_)/;

function isBusy({ status }: HttpResponse): boolean {
  return status === 429 || status >= 500;
}
