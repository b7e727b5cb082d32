import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { loadAll } from 'js-yaml';
import { type ApiServer, startApiServer } from '../src/server.ts';
import { type Client, clientOf, mergePatch } from './client.ts';

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly subjects?: readonly object[];
}

const namespace = 'holdfast-system';
// The deployment is left out: nothing here runs pods.
const files = ['namespace.yaml', 'service-account.yaml', 'role.yaml'];
const manifests = files.flatMap((file) =>
  loadAll(readFileSync(new URL(`../../../deploy/pvc-protection/${file}`, import.meta.url), 'utf8')),
) as readonly Manifest[];

/** As kustomize applies it: the manifests leave the namespace of their service account to it. */
function inNamespace(manifest: Manifest): Manifest {
  return manifest.subjects === undefined
    ? manifest
    : { ...manifest, subjects: manifest.subjects.map((subject) => ({ ...subject, namespace })) };
}

function collectionOf({ apiVersion, kind }: Manifest): string {
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const scope = ['Namespace', 'ClusterRole', 'ClusterRoleBinding'].includes(kind)
    ? ''
    : `/namespaces/${namespace}`;
  return `${root}${scope}/${kind.toLowerCase()}s`;
}

describe('permissions of deploy/pvc-protection', () => {
  let server: ApiServer;
  let controller: Client;

  beforeAll(async () => {
    server = await startApiServer({ tls: false });
    const admin = clientOf(server);
    for (const manifest of manifests.map(inNamespace)) {
      const path = collectionOf(manifest);
      expect((await admin.send('POST', `${path}?dryRun=All&fieldValidation=Strict`, manifest)).code).toBe(
        201,
      );
      expect((await admin.send('POST', `${path}?fieldValidation=Strict`, manifest)).code).toBe(201);
    }
    const claim = {
      metadata: { name: 'c' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    };
    await admin.send('POST', '/api/v1/namespaces/default/persistentvolumeclaims', claim);
    const account = `/api/v1/namespaces/${namespace}/serviceaccounts/pvc-protection/token`;
    const { body } = await admin.send('POST', account, {});
    controller = clientOf(server, (body.status as { token: string }).token);
  });
  afterAll(() => server.stop());

  const claim = '/api/v1/namespaces/default/persistentvolumeclaims/c';
  const leases = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
  const lease = { metadata: { name: 'holdfast-pvc-protection' }, spec: { holderIdentity: 'a' } };
  const finalizers = { metadata: { finalizers: [] } };

  test.each<[string, string, string, object | undefined, number]>([
    ['all pods', 'GET', '/api/v1/pods', undefined, 200],
    ['all claims', 'GET', '/api/v1/persistentvolumeclaims', undefined, 200],
    ['volume attachments', 'GET', '/apis/storage.k8s.io/v1/volumeattachments', undefined, 200],
    ['finalizers of a claim', 'PATCH', claim, finalizers, 200],
    ['a lease of its own', 'POST', leases, lease, 201],
    ['its lease', 'PATCH', `${leases}/holdfast-pvc-protection`, { spec: { holderIdentity: 'b' } }, 200],
    ['its own name', 'POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {}, 201],
    ['what is served', 'GET', '/apis', undefined, 200],
    ['the status of a claim', 'PATCH', `${claim}/status`, {}, 403],
    ['a claim’s deletion', 'DELETE', claim, undefined, 403],
    ['a claim as a whole', 'PUT', claim, {}, 403],
    ['secrets', 'GET', '/api/v1/secrets', undefined, 403],
    ['secrets beside it', 'GET', `/api/v1/namespaces/${namespace}/secrets`, undefined, 403],
    ['another lease', 'PATCH', `${leases}/other`, {}, 403],
    ['a lease elsewhere', 'POST', '/apis/coordination.k8s.io/v1/namespaces/default/leases', lease, 403],
    ['roles', 'GET', '/apis/rbac.authorization.k8s.io/v1/clusterroles', undefined, 403],
  ])('%s: %s %s', async (_, method, path, body, expected) => {
    const type = method === 'PATCH' ? mergePatch : undefined;
    expect((await controller.send(method, path, body, type)).code).toBe(expected);
  });
});
