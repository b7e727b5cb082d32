import { apiVersionOf, collectionPath, objectPath, type KubernetesObject } from '@holdfast/core';
import type { EmbeddedControlPlane } from '../embedded-control-plane.ts';
import type { Cluster } from './scenario.ts';

/** Acts as the cluster admin. It calls the API server in process, so that it takes the run no time. */
export function createCluster({ apiServer }: EmbeddedControlPlane): Cluster {
  const call = async (
    method: string,
    path: string,
    body?: object,
    contentType?: string,
  ): Promise<KubernetesObject | undefined> => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const answer = await apiServer.handle(method, path, text, contentType);
    if (answer.code === 404 && method === 'GET') {
      return undefined;
    }
    if (answer.code >= 300) {
      const { message } = JSON.parse(answer.body) as { readonly message?: string };
      throw new Error(`${method} ${path}: ${String(answer.code)} ${message ?? answer.body}`);
    }
    return JSON.parse(answer.body) as KubernetesObject;
  };

  return {
    create: async (resource, draft, namespace) => {
      const body = { apiVersion: apiVersionOf(resource), kind: resource.kind, ...draft };
      return (await call('POST', collectionPath(resource, namespace), body)) as KubernetesObject;
    },
    find: async <T extends KubernetesObject>(
      ...[resource, ref]: Parameters<typeof objectPath>
    ): Promise<T | undefined> => (await call('GET', objectPath(resource, ref))) as T | undefined,
    merge: async (resource, ref, patch, subresource) => {
      await call('PATCH', objectPath(resource, ref, subresource), patch, 'application/merge-patch+json');
    },
    delete: async (resource, ref, options = {}) => {
      const body = { kind: 'DeleteOptions', apiVersion: 'v1', ...options };
      await call('DELETE', objectPath(resource, ref), body);
    },
    bind: async ({ namespace = '', name }, node) => {
      await call('POST', `/api/v1/namespaces/${namespace}/pods/${name}/binding`, {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { name },
        target: { kind: 'Node', name: node },
      });
    },
  };
}
