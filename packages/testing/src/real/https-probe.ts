import { get } from 'node:https';

export interface ProbeAnswer {
  readonly status: number;
  readonly body: string;
}

/**
 * One GET on a connection of its own, closed afterwards. `fetch` would do if it could be given a certificate authority.
 *
 * @param ca PEM of the certificate authorities to trust
 * @throws what the connection throws; after 2 seconds without an answer too
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
