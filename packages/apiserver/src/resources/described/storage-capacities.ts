import { invalid } from '../../meta/field-error.ts';
import type { KubeObject, LabelSelector } from '../../meta/kube-object.ts';
import { dnsSubdomain } from '../../meta/names.ts';
import { compareQuantities } from '../../schema/quantity.ts';
import { validateLabelSelector } from '../../selectors/label-selector-validation.ts';
import { describedResource } from './described-resource.ts';
import { createdAt } from './shown.ts';

interface StorageCapacity extends KubeObject {
  storageClassName: string;
  nodeTopology?: LabelSelector;
  capacity?: string;
}

/** storage.k8s.io/v1 */
export const csiStorageCapacities = describedResource({
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'CSIStorageCapacity',
  plural: 'csistoragecapacities',
  listKind: 'CSIStorageCapacityList',
  namespaced: true,
  struct: 'storage.v1.CSIStorageCapacity',
  storageVersionHash: 'xeVl+2Ly1kE=',
  allowUnconditionalUpdate: false,
  immutable: ['nodeTopology', 'storageClassName'],
  refusals: ({ nodeTopology, storageClassName, capacity }: StorageCapacity) => [
    ...validateLabelSelector(nodeTopology, 'nodeTopology'),
    ...dnsSubdomain(storageClassName, false).map((problem) =>
      invalid('storageClassName', storageClassName, problem),
    ),
    ...(capacity !== undefined && compareQuantities(capacity, '0') < 0
      ? [invalid('capacity', capacity, 'must be greater than or equal to 0')]
      : []),
  ],
  shown: [createdAt],
});
