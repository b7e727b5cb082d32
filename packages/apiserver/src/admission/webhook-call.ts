import { request as httpsRequest } from 'node:https';
import { type Json, isObject } from '../meta/json.ts';
import type { After } from '../meta/timer.ts';
import type { WebhookClientConfig } from '../resources/webhook-configuration.ts';

/** The addresses of services, because no cluster network resolves them: `namespace/name` to `host:port`. */
export type ServiceAddresses = Readonly<Record<string, string>>;

/** The call got no usable response. The message is that of Go's HTTP client or of client-go. */
export class CallError extends Error {}

/**
 * Posts a review and returns the body of a successful response. The server's certificate must be valid for
 * the host of the URL, or for the DNS name of the service, and signed by a CA in `caBundle` (or by one that
 * the system trusts, if `caBundle` is empty).
 *
 * @throws CallError in all other cases, after `timeoutSeconds` at the latest
 */
export function postReview(
  { url, service, caBundle }: WebhookClientConfig,
  services: ServiceAddresses,
  timeoutSeconds: number,
  review: string,
  after: After,
): Promise<string> {
  const target = new URL(
    url ??
      `https://${service?.name ?? ''}.${service?.namespace ?? ''}.svc:${service?.port ?? 443}/${(service?.path ?? '').replace(/^\//, '')}`,
  );
  // Go's path.Clean removes repeated slashes.
  target.pathname = target.pathname.replaceAll(/\/{2,}/g, '/');
  target.searchParams.set('timeout', `${timeoutSeconds}s`);
  // Error messages show the URL as Go formats it, which keeps a default port.
  const shown =
    url === undefined ? target.href.replace('.svc/', `.svc:${service?.port ?? 443}/`) : target.href;
  const failed = (problem: string): CallError => new CallError(`Post "${shown}": ${problem}`);
  let host = target.hostname.replace(/^\[|\]$/g, '');
  let port = target.port === '' ? '443' : target.port;
  if (service !== undefined) {
    const address = services[`${service.namespace}/${service.name}`];
    if (address === undefined) {
      return Promise.reject(failed(`service "${service.name}" not found`));
    }
    const colon = address.lastIndexOf(':');
    host = address.slice(0, colon).replace(/^\[|\]$/g, '');
    port = address.slice(colon + 1);
  }
  return new Promise((resolve, reject) => {
    const sent = httpsRequest(
      {
        method: 'POST',
        host,
        port,
        path: target.pathname + target.search,
        agent: false,
        ...(service === undefined ? undefined : { servername: target.hostname }),
        ...(caBundle === undefined || caBundle === ''
          ? undefined
          : {
              ca: Buffer.from(caBundle, 'base64'),
              // Go trusts each certificate of a bundle, even if it is not self-signed.
              allowPartialTrustChain: true,
            }),
        headers: {
          host: target.host,
          accept: 'application/json, */*',
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(review),
          'user-agent': 'kube-apiserver-admission',
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', (error) => reject(failed(problemOf(error))));
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          const code = response.statusCode ?? 0;
          if (code >= 200 && code <= 206) {
            resolve(text);
          } else {
            reject(new CallError(statusProblem(code, text, response.headers['content-type'])));
          }
        });
      },
    );
    const deadline = after(timeoutSeconds * 1000, () => {
      reject(failed('context deadline exceeded'));
      sent.destroy();
    });
    sent.on('close', () => deadline.cancel());
    sent.on('error', (error) => reject(failed(problemOf(error, host, port))));
    sent.end(review);
  });
}

const unknownAuthority = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** Formats a connection failure as Go's net package does. */
function problemOf(error: Error, host = '', port = ''): string {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (unknownAuthority.has(code)) {
    return 'tls: failed to verify certificate: x509: certificate signed by unknown authority';
  }
  switch (code) {
    case 'ECONNREFUSED':
      return `dial tcp ${host}:${port}: connect: connection refused`;
    case 'ENOTFOUND':
      return `dial tcp: lookup ${host}: no such host`;
    case 'ECONNRESET':
      return error.message === 'socket hang up' ? 'EOF' : 'connection reset by peer';
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
    case 'CERT_HAS_EXPIRED':
      return `tls: failed to verify certificate: x509: ${error.message}`;
    default:
      return error.message;
  }
}

const statusTexts: Readonly<Record<number, string>> = {
  400: 'the server rejected our request for an unknown reason',
  401: 'the server has asked for the client to provide credentials',
  404: 'the server could not find the requested resource',
  405: 'the server does not allow this method on the requested resource',
  409: 'the server reported a conflict',
  422: 'the server rejected our request due to an error in our request',
  429: 'the server has received too many requests and has asked us to try again later',
  503: 'the server is currently unable to handle the request',
  504: 'the server was unable to return a response in the time allotted, but may still be processing the request',
};

/**
 * Formats an error response as client-go does: the message of a Status, or else that of
 * NewGenericServerResponse.
 */
function statusProblem(code: number, text: string, contentType = 'text/plain'): string {
  const message = messageOfStatus(text);
  if (message !== undefined) {
    return message;
  }
  const known = statusTexts[code];
  if (known !== undefined) {
    return known;
  }
  return code >= 500
    ? `an error on the server (${JSON.stringify(contentType.startsWith('text/') ? text : 'unknown')}) has prevented the request from succeeding`
    : `the server responded with the status code ${code} but did not return more information`;
}

function messageOfStatus(text: string): string | undefined {
  try {
    const status = JSON.parse(text) as Json;
    return isObject(status) &&
      status['kind'] === 'Status' &&
      status['apiVersion'] === 'v1' &&
      typeof status['message'] === 'string'
      ? status['message']
      : undefined;
  } catch {
    return undefined;
  }
}
