import { keyOf, type ApiResource, type KubernetesObject, type ObjectRef } from '@holdfast/core';
import { ApiError, type ConnectedClient, type Projected } from '@holdfast/runtime';
import type { Deployment } from '../../src/cluster/deployment.ts';
import type { State } from './history.ts';

/**
 * A client to whom the cluster stands still: it reads a state that was written down, with the fields that are asked for
 * and no others.
 */
export function clientOf(app: string, { objects, running, documents }: State): ConnectedClient {
  const deployed: ReadonlyMap<string, KubernetesObject> = new Map(
    running === undefined ? [] : [[`holdfast-system/${app}`, deploymentOf(app, running)]],
  );
  const all = <T extends KubernetesObject>({ plural }: ApiResource<T>): ReadonlyMap<string, T> =>
    ((plural === 'deployments' ? deployed : objects.get(plural)) ?? new Map()) as ReadonlyMap<string, T>;
  const list: ConnectedClient['list'] = (resource, { namespace, projection } = {}) => {
    const items = [...all(resource).values()]
      .filter(({ metadata }) => namespace === undefined || metadata.namespace === namespace)
      .map((object) => projected(object, projection));
    return Promise.resolve({ metadata: { resourceVersion: '1' }, items });
  };
  const refuse = (): never => {
    throw new Error('a state that was written down is only read');
  };
  return {
    get: (resource, ref, { projection } = {}) => {
      const found = all(resource).get(keyOf(ref));
      return found === undefined
        ? Promise.reject(notFound(resource, ref))
        : Promise.resolve(projected(found, projection));
    },
    list,
    listPages: async function* (resource, options) {
      yield await list(resource, options);
    },
    document: (path) =>
      documents.has(path)
        ? Promise.resolve(documents.get(path))
        : Promise.reject(new ApiError(`GET ${path}`, 404, {})),
    ...{ create: refuse, patch: refuse, delete: refuse, watch: refuse, text: refuse },
    serverTime: () => undefined,
    close: () => Promise.resolve(),
  };
}

function projected<T extends KubernetesObject>(object: T, projection: Projected<T>['projection']): T {
  return projection === undefined ? object : projection.fromJson(object);
}

function notFound({ plural }: ApiResource<KubernetesObject>, { name }: ObjectRef): ApiError {
  return new ApiError(`GET ${plural}/${name}`, 404, {
    code: 404,
    reason: 'NotFound',
    details: { kind: plural, name },
  });
}

/**
 * The options that `explain` goes by, as flags of a Deployment that is ready: the controllers of a story hold no lease.
 */
function deploymentOf(app: string, running: unknown): Deployment {
  const {
    csiAddresses = [],
    featureGates,
    namespaces,
    mode,
    dryRun,
  } = running as {
    readonly csiAddresses?: readonly string[];
    readonly featureGates?: string;
    readonly namespaces?: readonly string[];
    readonly mode?: string;
    readonly dryRun?: boolean;
  };
  const args = [
    '--leader-elect=false',
    ...csiAddresses.map((address) => `--csi-address=${address}`),
    ...(featureGates === undefined ? [] : [`--feature-gates=${featureGates}`]),
    ...(namespaces === undefined ? [] : [`--namespaces=${namespaces.join()}`]),
    ...(dryRun === undefined ? [] : [`--dry-run=${String(dryRun)}`]),
    ...(mode === undefined ? [] : [`--mode=${mode}`]),
  ];
  const labels = { 'app.kubernetes.io/name': app, 'app.kubernetes.io/part-of': 'holdfast' };
  return {
    metadata: { namespace: 'holdfast-system', name: app, uid: app, resourceVersion: '1', labels },
    spec: { template: { spec: { containers: [{ name: app, args }] } } },
    status: { readyReplicas: 1 },
  };
}
