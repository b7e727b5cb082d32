import { existsSync, readFileSync } from 'node:fs';

const serviceAccountNamespace = '/var/run/secrets/kubernetes.io/serviceaccount/namespace';

/** The namespace of the pod that this process runs in; undefined outside of one. */
export function podNamespace(): string | undefined {
  return existsSync(serviceAccountNamespace)
    ? readFileSync(serviceAccountNamespace, 'utf8').trim()
    : undefined;
}
