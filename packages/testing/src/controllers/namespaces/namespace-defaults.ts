import {
  configMaps,
  isTerminating,
  keyOf,
  namespaces,
  objectKey,
  type ApiResource,
  type ConfigMap,
  type KubernetesObject,
  type Namespace,
} from '@holdfast/core';
import type { Cache } from '../cache.ts';
import type { Controller, Stage } from '../controller.ts';

/** The objects that every namespace gets by default, and that are created again if they are missing. */

const serviceAccounts: ApiResource<KubernetesObject> = {
  group: '',
  version: 'v1',
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  namespaced: true,
};

/**
 * Stands in for kube-controller-manager's serviceaccount-controller, which creates the service account
 * `default`.
 */
export const defaultServiceAccounts: Controller = {
  name: 'serviceaccount-controller',
  async setUp(stage) {
    const { client } = stage;
    const known = await watchNamespaces(stage);
    const accounts = await stage.watch(serviceAccounts, ({ object }) =>
      object.metadata.name === 'default' ? [object.metadata.namespace ?? ''] : [],
    );
    return async (namespace) => {
      const isThere = accounts.get(keyOf({ namespace, name: 'default' })) !== undefined;
      if (isActive(known, namespace) && !isThere) {
        await client.create(serviceAccounts, { metadata: { namespace, name: 'default' } });
      }
      return undefined;
    };
  },
};

const rootCa = 'kube-root-ca.crt';

/**
 * Stands in for kube-controller-manager's root-ca-certificate-publisher-controller, which creates the config
 * map `kube-root-ca.crt`. The config map holds the certificate authority of the plane's kubeconfig, and is
 * empty over plain http.
 */
export const rootCaPublisher: Controller = {
  name: 'root-ca-certificate-publisher-controller',
  async setUp(stage) {
    const { client } = stage;
    const known = await watchNamespaces(stage);
    const published = await stage.watch(configMaps, ({ object }) =>
      object.metadata.name === rootCa ? [object.metadata.namespace ?? ''] : [],
    );
    const data = { 'ca.crt': client.ca ?? '' };
    return async (namespace) => {
      if (!isActive(known, namespace)) {
        return undefined;
      }
      const found: ConfigMap | undefined = published.get(keyOf({ namespace, name: rootCa }));
      if (found === undefined) {
        await client.create(configMaps, { metadata: { namespace, name: rootCa }, data });
      } else if (found.data?.['ca.crt'] !== data['ca.crt']) {
        await client.update(configMaps, { ...found, data });
      }
      return undefined;
    };
  },
};

function watchNamespaces({ watch }: Stage): Promise<Cache<Namespace>> {
  return watch(namespaces, ({ object }) => [objectKey(object)]);
}

function isActive(known: Cache<Namespace>, name: string): boolean {
  const namespace = known.get(name);
  return namespace !== undefined && !isTerminating(namespace);
}
