import { isTerminating, namespaces, type Namespace } from '@holdfast/core';
import type { Controller } from '../controller.ts';
import { discoverKinds } from '../kinds.ts';

/**
 * Stands in for kube-controller-manager's namespace-controller. It empties a namespace that is being deleted,
 * pods first, and finalizes the namespace when nothing is left in it. It knows only the kinds that were
 * served when it started, and writes no conditions.
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
    // Pods go first, so that what they use exists for as long as they run (KEP-5080).
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
            // Listed live: the caches might not have seen everything yet, and a namespace must not go before
            // its contents.
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
        // The watches see objects that were deleted at once or that go later, and bring the namespace back
        // here.
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
