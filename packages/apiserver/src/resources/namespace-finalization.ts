import type { SubresourceAction } from './resource-definition.ts';

/** namespaces/finalize: the only way to remove finalizers from a namespace's spec. */
export const namespaceFinalization: SubresourceAction = {
  name: 'finalize',
  kind: 'Namespace',
  verbs: ['update'],
  keepsStatus: true,
  struct: 'core.v1.Namespace',
  async serve(body, server) {
    const object = await server.replace(body, (namespace, old) => {
      namespace['status'] = old['status'];
    });
    return { kind: 'updated', object };
  },
};
