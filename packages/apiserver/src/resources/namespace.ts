import { invalid } from '../meta/field-error.ts';
import type { JsonObject } from '../meta/json.ts';
import type { KubeObject } from '../meta/kube-object.ts';
import { dnsLabel } from '../meta/names.ts';
import { namespaceFinalization } from './namespace-finalization.ts';
import type { ResourceDefinition } from './resource-definition.ts';
import { ageColumn, column, nameColumn, since } from './table-columns.ts';

interface Namespace extends KubeObject {
  spec: { finalizers?: string[] };
  status: { phase?: string } & JsonObject;
}

export const namespaces: ResourceDefinition = {
  group: '',
  version: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  singular: 'namespace',
  shortNames: ['ns'],
  namespaced: false,
  verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
  struct: 'core.v1.Namespace',
  nameRule: dnsLabel,
  isDeletedByUid: true,
  returnsDeletedObject: true,
  storageVersionHash: 'Q3oi5N2YM8M=',
  hasFieldLabelConversion: true,
  selectableFields: {
    name: (namespace: KubeObject) => namespace.metadata.name ?? '',
    'status.phase': (namespace: KubeObject) => (namespace as Namespace).status.phase ?? '',
  },
  actions: [namespaceFinalization],

  applyDefaults(namespace: Namespace) {
    namespace.status.phase ??= 'Active';
    const { name } = namespace.metadata;
    if (name !== undefined) {
      namespace.metadata.labels = { ...namespace.metadata.labels, 'kubernetes.io/metadata.name': name };
    }
  },
  prepareForCreate(namespace: Namespace) {
    namespace.status = { phase: 'Active' };
    const { name } = namespace.metadata;
    if (name !== undefined) {
      namespace.metadata.labels = { ...namespace.metadata.labels, 'kubernetes.io/metadata.name': name };
    }
    const finalizers = namespace.spec.finalizers ?? [];
    if (!finalizers.includes('kubernetes')) {
      namespace.spec.finalizers = [...finalizers, 'kubernetes'];
    }
  },
  prepareForUpdate(namespace: Namespace, old: Namespace) {
    namespace.spec = old.spec;
    namespace.status = old.status;
  },
  status: {
    prepareForUpdate(namespace: Namespace, old: Namespace) {
      namespace.spec = old.spec;
    },
    validateUpdate({ metadata: { deletionTimestamp }, status: { phase = '' } }: Namespace) {
      const [only, is] = deletionTimestamp === undefined ? ['Active', ''] : ['Terminating', 'not '];
      return phase === only
        ? []
        : [invalid('status.Phase', phase, `may only be '${only}' if \`deletionTimestamp\` is ${is}empty`)];
    },
  },
  isHeld: (namespace: Namespace) => (namespace.spec.finalizers ?? []).length > 0,
  markTerminating(namespace: Namespace) {
    namespace.status = { ...namespace.status, phase: 'Terminating' };
  },

  columns: [nameColumn, column('Status', 'The phase of the namespace'), ageColumn],
  cells: ({ metadata, status }: Namespace, { now }) => [
    metadata.name ?? '',
    status.phase ?? '',
    since(metadata.creationTimestamp, now),
  ],
};
