import { request } from 'node:https';
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
