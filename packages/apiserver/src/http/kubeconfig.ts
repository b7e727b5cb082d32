import type { JsonObject } from '../meta/json.ts';
import type { ServerCertificate } from './certificate.ts';

/**
 * Returns a kubeconfig with one cluster, one user with a token, and one context. It is JSON, which is valid
 * YAML.
 */
export function kubeconfig(url: string, certificate: ServerCertificate | undefined, token: string): string {
  const cluster: JsonObject = { server: url };
  if (certificate !== undefined) {
    cluster['certificate-authority-data'] = Buffer.from(certificate.certificate).toString('base64');
  }
  const name = 'holdfast';
  return JSON.stringify(
    {
      kind: 'Config',
      apiVersion: 'v1',
      clusters: [{ name, cluster }],
      users: [{ name, user: { token } }],
      contexts: [{ name, context: { cluster: name, user: name, namespace: 'default' } }],
      'current-context': name,
    },
    null,
    2,
  );
}
