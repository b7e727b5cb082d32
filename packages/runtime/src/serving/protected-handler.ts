import { createHash } from 'node:crypto';
import { subjectAccessReviews, tokenReviews } from '@holdfast/core';
import type { IncomingMessage } from 'node:http';
import type { Logger } from 'pino';
import { createSecretValues } from '../logging/secret-values.ts';
import type { ApiClient } from '../client/api-client.ts';
import { ApiError } from '../client/api-error.ts';
import type { Clock } from '../time/clock.ts';
import type { HttpHandler } from './http-server.ts';

export interface ProtectionOptions {
  readonly client: ApiClient;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Whether one bearer token permits one request. */
type Verdict = { readonly code: 200 } | { readonly code: 401 | 403 | 429 | 500; readonly message: string };

/** How long a response of the API server is reused, in milliseconds. */
const cacheTime = 60_000;
/** Limits on the cached responses and on simultaneous questions: strangers can send any number of tokens. */
const cacheSize = 1024;
const questionLimit = 8;
/** The API server must answer within this many milliseconds. */
const timeout = 10_000;

/**
 * Wraps handlers so that they serve only requests whose bearer token the API server knows (TokenReview) and
 * allows to get the path (SubjectAccessReview on a nonResourceURL), like controller-runtime's
 * WithAuthenticationAndAuthorization. Results are cached for a minute. The response is 401 without a valid
 * token, 403 without permission, and 429 if strangers ask faster than the API server should be asked.
 *
 * The app needs `create` on `tokenreviews.authentication.k8s.io` and
 * `subjectaccessreviews.authorization.k8s.io`, which ClusterRole `system:auth-delegator` grants.
 */
export function createProtection({
  client,
  clock,
  logger,
}: ProtectionOptions): (handler: HttpHandler) => HttpHandler {
  const cache = new Map<string, { readonly until: number; readonly verdict: Verdict }>();
  const asking = new Map<string, Promise<Verdict>>();

  const ask = async (token: string, verb: string, path: string): Promise<Verdict> => {
    const signal = AbortSignal.timeout(timeout);
    const { status: who } = await client.create(tokenReviews, undefined, { spec: { token } }, { signal });
    if (who?.authenticated !== true || who.user === undefined) {
      return { code: 401, message: 'Unauthorized' };
    }
    const { username: user, uid, groups, extra } = who.user;
    const spec = { user, uid, groups, extra, nonResourceAttributes: { path, verb } };
    const { status } = await client.create(subjectAccessReviews, undefined, { spec }, { signal });
    return status?.allowed === true
      ? { code: 200 }
      : { code: 403, message: `Authorization denied for user ${user ?? ''}` };
  };

  const remember = (key: string, verdict: Verdict): Verdict => {
    cache.delete(key);
    cache.set(key, { until: clock.now() + cacheTime, verdict });
    if (cache.size > cacheSize) {
      for (const eldest of cache.keys()) {
        cache.delete(eldest);
        break;
      }
    }
    return verdict;
  };

  const judge = async (request: IncomingMessage): Promise<Verdict> => {
    const token = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    if (token === undefined) {
      return { code: 401, message: 'Unauthorized' };
    }
    const verb = (request.method ?? '').toLowerCase();
    const path = (request.url ?? '/').split('?', 1)[0] ?? '/';
    // The hash is the key, so that tokens stay in memory no longer than needed.
    const key = createHash('sha256').update(`${verb} ${path} ${token}`).digest('base64');
    const known = cache.get(key);
    if (known !== undefined && clock.now() < known.until) {
      return known.verdict;
    }
    let answer = asking.get(key);
    if (answer === undefined) {
      if (asking.size >= questionLimit) {
        return { code: 429, message: 'Too many requests' };
      }
      answer = ask(token, verb, path)
        .then(
          (verdict) => remember(key, verdict),
          (error: unknown): Verdict => {
            logger.error({ err: withoutToken(error, token), path }, 'Authentication failed');
            return { code: 500, message: 'Authentication failed' };
          },
        )
        .finally(() => asking.delete(key));
      asking.set(key, answer);
    }
    return answer;
  };

  return (handler) => async (request, response) => {
    const verdict = await judge(request);
    if (verdict.code === 200) {
      await handler(request, response);
      return;
    }
    response
      .writeHead(verdict.code, { 'content-type': 'text/plain; charset=utf-8' })
      .end(`${verdict.message}\n`);
  };
}

/**
 * Redacts the token in an error, since the API server might repeat what it is asked about. The token is
 * redacted only here: strangers choose it, and one that is a word, such as `NotFound`, must not be replaced
 * in other responses or in the log.
 */
function withoutToken(error: unknown, token: string): unknown {
  if (!(error instanceof ApiError)) {
    return error;
  }
  const values = createSecretValues();
  values.add(token);
  const { request, code, status } = error;
  const { reason = '', message = '' } = status;
  return new ApiError(request, code, { reason: values.redact(reason), message: values.redact(message) });
}
