import { request } from 'node:https';
import { connect } from 'node:tls';
import type { ServingCertificate } from '../../src/serving/serving-certificate.ts';
import type { AdmissionResponse } from '../../src/webhook/admission.ts';

export interface CallOptions {
  /** PEM of whom to trust; without it, any certificate is taken. */
  readonly ca?: string;
  /** The name that the certificate must be for. Default: whatever it is for. */
  readonly servername?: string;
  /** The caller's own certificate. Default: it shows none. */
  readonly client?: ServingCertificate;
  readonly contentType?: string;
  readonly method?: string;
}

/** One call of a webhook on a connection of its own; `certificate` is what the server showed, PEM. */
export interface CallResult {
  readonly status: number;
  readonly body: string;
  readonly certificate: string;
}

export function call(
  address: string,
  path: string,
  body: string | Buffer,
  options: CallOptions = {},
): Promise<CallResult> {
  const { ca, servername, client, contentType = 'application/json', method = 'POST' } = options;
  return new Promise((resolve, reject) => {
    let certificate = '';
    const sent = request(
      `https://${address}${path}`,
      {
        method,
        agent: false,
        headers: { 'content-type': contentType },
        ...(client === undefined ? {} : { cert: client.certificate, key: client.key }),
        ...(ca === undefined ? { rejectUnauthorized: false } : { ca }),
        ...(servername === undefined ? { checkServerIdentity: () => undefined } : { servername }),
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => (text += chunk));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text, certificate }));
        response.on('error', reject);
      },
    );
    sent.on('socket', (socket) =>
      socket.on('secureConnect', () => {
        const shown = 'getPeerX509Certificate' in socket ? peerOf(socket) : undefined;
        certificate = shown ?? '';
      }),
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

/**
 * Calls many times on one connection, without waiting for an answer in between, since a handshake takes as much CPU
 * time as many calls. Resolves with the statuses when all are answered.
 */
export function callAhead(
  address: string,
  path: string,
  body: string,
  count: number,
): Promise<readonly number[]> {
  const length = Buffer.byteLength(body);
  const asking = `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${String(length)}\r\n\r\n${body}`;
  return new Promise((resolve, reject) => {
    const socket = connect({ port: Number(address.split(':')[1]), rejectUnauthorized: false });
    let answers = '';
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      answers += chunk;
      const statuses = [...answers.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
      if (statuses.length === count) {
        resolve(statuses);
        socket.end();
      }
    });
    socket.on('error', reject);
    socket.on('close', () =>
      reject(new Error(`not all of ${String(count)} calls were answered: ${answers}`)),
    );
    socket.write(asking.repeat(count));
  });
}

function peerOf(socket: object): string | undefined {
  const { getPeerX509Certificate } = socket as {
    getPeerX509Certificate(): { toString(): string } | undefined;
  };
  return getPeerX509Certificate.call(socket)?.toString();
}

/** The body of a review about a ConfigMap, as the API server sends it. */
export function review(change: object = {}): string {
  return JSON.stringify({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid: 'uid-of-request',
      kind: { group: '', version: 'v1', kind: 'ConfigMap' },
      resource: { group: '', version: 'v1', resource: 'configmaps' },
      name: 'settings',
      namespace: 'shop',
      operation: 'CREATE',
      userInfo: { username: 'jane' },
      object: { metadata: { name: 'settings', namespace: 'shop' } },
      oldObject: null,
      dryRun: false,
      ...change,
    },
  });
}

/** What an answer says, once it is known to be a review. */
export function responseIn({ status, body }: CallResult): AdmissionResponse {
  const { apiVersion, kind, response } = JSON.parse(body) as {
    readonly apiVersion: string;
    readonly kind: string;
    readonly response: AdmissionResponse;
  };
  if (status !== 200 || apiVersion !== 'admission.k8s.io/v1' || kind !== 'AdmissionReview') {
    throw new Error(`no review but ${String(status)} ${body}`);
  }
  return response;
}
