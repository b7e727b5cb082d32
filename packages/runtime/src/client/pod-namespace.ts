import { existsSync, readFileSync } from 'node:fs';

const serviceAccountNamespace = '/var/run/secrets/kubernetes.io/serviceaccount/namespace';

/** Returns the namespace of the pod that this process runs in; undefined outside of a pod. */
export function podNamespace(): string | undefined {
  return existsSync(serviceAccountNamespace)
    ? readFileSync(serviceAccountNamespace, 'utf8').trim()
    : undefined;
}
