import { get } from 'node:https';

export interface ProbeAnswer {
  readonly status: number;
  readonly body: string;
}

/**
 * Sends one GET on a new connection, which is closed afterwards. `fetch` cannot be given a certificate
 * authority, so it cannot do this.
 *
 * @param ca PEM of the certificate authorities to trust
 * @throws the error of the connection; also if no answer comes within 2 seconds
 */
export function probeHttps(url: string, token: string, ca: string): Promise<ProbeAnswer> {
  return new Promise((resolve, reject) => {
    const request = get(
      url,
      { ca, agent: false, timeout: 2_000, headers: { authorization: `Bearer ${token}` } },
      (response) => {
        let body = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => (body += chunk));
        response.once('error', reject);
        response.once('end', () => resolve({ status: response.statusCode ?? 0, body }));
      },
    );
    request.once('timeout', () => request.destroy(new Error(`no answer from ${url} in 2 s`)));
    request.once('error', reject);
  });
}
