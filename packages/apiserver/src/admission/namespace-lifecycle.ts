import { forbidden, notFound } from '../meta/status-error.ts';
import { groupResource, isNamespace } from '../resources/resource-definition.ts';
import type { AdmissionPlugin } from './admission.ts';

const immortal = new Set(['default', 'kube-system', 'kube-public']);

/**
 * Refuses to create objects in a namespace that does not exist or is terminating, and to delete the three
 * immortal namespaces.
 */
export const namespaceLifecycle: AdmissionPlugin = {
  name: 'NamespaceLifecycle',
  mutate({ operation, definition, subresource, namespace, name, storage }) {
    const resource = groupResource(definition);
    if (operation === 'DELETE' && isNamespace(definition) && immortal.has(name)) {
      throw forbidden(resource, name, 'this namespace may not be deleted');
    }
    if (!definition.namespaced || operation === 'DELETE' || isReview(definition.group)) {
      return;
    }
    const entry = storage.get('namespaces', '', namespace);
    if (entry === undefined) {
      throw notFound({ group: '', name: 'namespaces' }, namespace);
    }
    if (operation !== 'CREATE' || subresource !== '') {
      return;
    }
    const phase = entry.object['status'];
    const isTerminating =
      entry.object.metadata.deletionTimestamp !== undefined ||
      (typeof phase === 'object' &&
        phase !== null &&
        !Array.isArray(phase) &&
        phase['phase'] === 'Terminating');
    if (isTerminating) {
      throw forbidden(
        resource,
        name,
        `unable to create new content in namespace ${namespace} because it is being terminated`,
        [
          {
            reason: 'NamespaceTerminating',
            message: `namespace ${namespace} is being terminated`,
            field: 'metadata.namespace',
          },
        ],
      );
    }
  },
};

function isReview(group: string): boolean {
  return group === 'authorization.k8s.io';
}
