import { isTerminating, namespaces, type Namespace } from '@holdfast/core';
import type { Controller } from '../controller.ts';
import { discoverKinds } from '../kinds.ts';

/**
 * Stands in for kube-controller-manager's namespace-controller: empties a namespace that is deleted, pods first, and lets it go
 * when nothing is left in it. It knows the kinds that were served when it started, and writes no conditions.
 */
export const namespaceDeletion: Controller = {
  name: 'namespace-controller',
  async setUp({ client, watch }) {
    const known = await watch(namespaces, ({ object }) => [object.metadata.name]);
    const { deletable } = await discoverKinds(client);
    const kinds = deletable.filter(({ namespaced }) => namespaced);
    const contents = await Promise.all(
      kinds.map(async (resource) => ({
        resource,
        cache: await watch(resource, ({ object: { metadata } }) => {
          const { namespace = '' } = metadata;
          const holder = known.get(namespace);
          return holder !== undefined && isTerminating(holder) ? [namespace] : [];
        }),
      })),
    );
    // Pods go first, so that what they use is there as long as they run (KEP-5080).
    const isOfPods = ({ resource }: (typeof contents)[number]): boolean => resource.plural === 'pods';
    const stages = [contents.filter(isOfPods), contents.filter((content) => !isOfPods(content))];

    return async (name) => {
      const namespace = known.get(name);
      if (namespace === undefined || !isTerminating(namespace)) {
        return undefined;
      }
      for (const stage of stages) {
        const left = await Promise.all(
          stage.map(async ({ resource }) => {
            // Live, since a namespace must not go before what its caches have not yet seen.
            const { items } = await client.list(resource, name);
            for (const { metadata } of items.filter((item) => !isTerminating(item))) {
              const { uid } = metadata;
              const ref = { namespace: name, name: metadata.name };
              await client.delete(resource, ref, {
                preconditions: { uid },
                propagationPolicy: 'Background',
              });
            }
            return items.length;
          }),
        );
        // What was deleted at once or goes later is seen by the watches, which bring the namespace back here.
        if (left.some((count) => count > 0)) {
          return undefined;
        }
      }
      const finalizers = (namespace.spec?.finalizers ?? []).filter((finalizer) => finalizer !== 'kubernetes');
      if (finalizers.length < (namespace.spec?.finalizers ?? []).length) {
        const emptied: Namespace = { ...namespace, spec: { ...namespace.spec, finalizers } };
        await client.update(namespaces, emptied, 'finalize');
      }
      return undefined;
    };
  },
};
