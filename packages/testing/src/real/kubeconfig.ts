/**
 * Returns a kubeconfig with one cluster, one user with a bearer token, and a context of both. It is JSON,
 * which is valid YAML.
 */
export function tokenKubeconfig(server: string, ca: string, token: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name: 'holdfast',
        cluster: { server, 'certificate-authority-data': Buffer.from(ca).toString('base64') },
      },
    ],
    users: [{ name: 'admin', user: { token } }],
    contexts: [{ name: 'holdfast', context: { cluster: 'holdfast', user: 'admin' } }],
    'current-context': 'holdfast',
  });
}
