import type { ApiResource, KubernetesObject } from '@holdfast/core';
import type { ApiClient } from './api-client.ts';

/** The kinds that an API server serves, found by aggregated discovery. */
export interface Kinds {
  /**
   * The kinds that can be listed, watched and deleted: each resource once, in the preferred version of its
   * group.
   */
  readonly deletable: readonly ApiResource<KubernetesObject>[];
  /** The resource of an owner reference; undefined if that kind is not served. */
  find(apiVersion: string, kind: string): ApiResource<KubernetesObject> | undefined;
}

interface GroupList {
  readonly items: readonly {
    readonly metadata: { readonly name?: string };
    readonly versions: readonly {
      readonly version: string;
      readonly resources?: readonly {
        readonly resource: string;
        readonly scope: 'Namespaced' | 'Cluster';
        readonly verbs: readonly string[];
        readonly responseKind?: { readonly kind: string };
      }[];
    }[];
  }[];
}

const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

export async function discoverKinds(client: ApiClient): Promise<Kinds> {
  const lists = (await Promise.all([
    client.document('/api', accept),
    client.document('/apis', accept),
  ])) as GroupList[];
  const byKind = new Map<string, ApiResource<KubernetesObject>>();
  const deletable = new Map<string, ApiResource<KubernetesObject>>();
  for (const { metadata, versions } of lists.flatMap(({ items }) => items)) {
    const group = metadata.name ?? '';
    for (const { version, resources = [] } of versions) {
      for (const { resource: plural, scope, verbs, responseKind } of resources) {
        if (responseKind === undefined || responseKind.kind === '') {
          continue;
        }
        const { kind } = responseKind;
        const resource = { group, version, kind, plural, namespaced: scope === 'Namespaced' };
        byKind.set(`${group === '' ? version : `${group}/${version}`} ${kind}`, resource);
        const name = `${group}/${plural}`;
        const isDeletable = ['delete', 'list', 'watch'].every((verb) => verbs.includes(verb));
        if (isDeletable && !deletable.has(name)) {
          deletable.set(name, resource);
        }
      }
    }
  }
  return {
    deletable: [...deletable.values()],
    find: (apiVersion, kind) => byKind.get(`${apiVersion} ${kind}`),
  };
}
