import type { UrlPath } from '@holdfast/core';
import { sleep, type Clock } from '../time/clock.ts';
import type { TokenBucket } from '../time/token-bucket.ts';
import { unlessAborted } from '../time/unless-aborted.ts';
import { readError } from './answer.ts';
import type { ApiError } from './api-error.ts';
import type { ClientMetrics } from './client-metrics.ts';
import type { Credentials, CredentialSource } from './credentials.ts';
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
  /** Of requests other than watches. Default: no limit, and no time spent on it. */
  readonly rateLimit?: TokenBucket;
  /**
   * Of watches, streamed lists among them: how many are opened a second, and at once. With 1,000 namespaces of three resources each, 75 end
   * and are opened anew each second, and 3,000 at once after the API server was started anew; they must not stand before the work. Default: no limit.
   */
  readonly watchRateLimit?: TokenBucket;
  readonly metrics: ClientMetrics;
  readonly clock: Clock;
  /** Asked right before each write leaves. Default: none, and no write is refused for it. */
  readonly tenure?: Tenure;
  /** Path below which the API is served, for a server behind a gateway; no slash at the end. Default none. */
  readonly basePath?: string;
  /** Names the client in the API server's log, by convention `program/version (os/arch)`. */
  readonly userAgent: string;
  /** Called with the `Date` of each answer, when the answer begins. Default: nothing is. */
  readonly onDate?: (date: string) => void;
  /** How often an answer with Retry-After is waited out. Default 10, client-go's figure. */
  readonly retries?: number;
  /** Called when an answer with Retry-After is about to be waited out. Default: nothing is. */
  readonly onBusy?: (wait: BusyWait) => void;
}

/** The server asked for patience. */
export interface BusyWait {
  /** Method and path. */
  readonly request: string;
  readonly code: number;
  /** Until the next try, milliseconds. */
  readonly delay: number;
}

/** One request of a client, however many tries it takes. */
export interface ApiRequest {
  /** The verb in metrics: the method, but LIST or WATCH for a GET that is one. */
  readonly verb: string;
  readonly method: HttpRequest['method'];
  /** Path with query, below the base path. */
  readonly path: UrlPath;
  /** Media types that the caller can read. */
  readonly accept: string;
  readonly body?: { readonly type: string; readonly text: string };
  readonly signal: AbortSignal;
  /** A try that waits longer for the next byte fails, milliseconds. */
  readonly timeout: number;
  /** A try whose answer has not come to its end by then fails, milliseconds. */
  readonly timeLimit: number;
  /** What a read belongs to, and a write rests on. */
  readonly look?: Look;
  readonly outlivesTenure?: boolean;
  /** Whether it is sent again after an answer of 429 or 5xx with Retry-After. Default: it is. */
  readonly mayRepeat?: (error: ApiError) => boolean;
}

/** Requests that stand in line for the rate limit, which is first come, first served; further ones come in turn by namespace. */
const lineLength = 64;

/**
 * Sends a request until it is answered with success.
 *
 * @param stream takes the body as it comes, see {@link HttpStream}.
 * @throws ApiError when the server answers without success for the last time; the transport's error when it does not answer;
 *   the signal's reason when aborted; what the authenticator throws; LookTooOld, LookOvertaken or TenureOver for a write that was not sent.
 */
export type SendRequest = (request: ApiRequest, stream?: HttpStream) => Promise<HttpResponse>;

/**
 * Every try takes a token of its rate limit, is counted, and carries credentials that are fresh. A write that rests on a look is
 * judged before each try and right before it leaves; so is the tenure of whoever writes, right before it leaves.
 *
 * Requests to one namespace never hold all connections, nor all places in line for the rate limit: where each of them takes long, or there
 * are hundreds, requests elsewhere go on. Watches are aside. What rests on a look that has begun goes past the line, see `openLook`; so a
 * connection is waited for after the line, or those that stand there would hold what it needs. And the reads of a look do not come in
 * turn by namespace, but one after the other: between the first and the last of them the look grows old.
 *
 * Tried again are: an answer of 429 or 5xx with Retry-After, after that time, at most ten times by default, unless the request says that it must not; an answer of 401,
 * once, with credentials read anew. A request without an answer is not tried again: it might have been carried out.
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
        // Also 404: that there is none was seen.
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

  const send = async (request: ApiRequest, stream?: HttpStream): Promise<Attempt> => {
    const used = credentials.fresh() ?? (await unlessAborted(credentials.get(), request.signal));
    return { used, response: await once(request, used, stream) };
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

  /** One try, from its place in line to its answer. */
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
    let renewed = false;
    for (let attempt = 0; ; attempt++) {
      judge(request, clock.now());
      const { used, response } = await attemptOnce(request, stream);
      if (isSuccess(response)) {
        return response;
      }
      const error = readError(request, response);
      if (response.status === 401 && !renewed) {
        // The token may just have been rotated: one more try, with credentials read anew.
        renewed = true;
        credentials.renew(used);
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
  readonly response: HttpResponse;
}

/** A write whose look has grown too old, or no longer holds, is not sent. A read harms nobody. */
function judge(request: ApiRequest, now: number): void {
  if (request.look !== undefined && isWrite(request)) {
    checkLook(request.look, now);
  }
}

function isWrite({ method }: ApiRequest): boolean {
  return method !== 'GET';
}

/** What an API server says of what was done. 203 and 206 are of proxies, and might be a part. */
function isSuccess({ status }: HttpResponse): boolean {
  return status === 200 || status === 201 || status === 202;
}

function isBusy({ status }: HttpResponse): boolean {
  return status === 429 || status >= 500;
}
