import { cidrWarnings } from './ip-warnings.ts';
import type { KubeObject } from '../meta/kube-object.ts';
import { dnsSubdomain } from '../meta/names.ts';
import { type Node, validateNode, validateNodeUpdate } from './node-validation.ts';
import { isGivenEmpty } from '../schema/decode.ts';
import type { ResourceDefinition } from './resource-definition.ts';
import { ageColumn, column, nameColumn, since } from './table-columns.ts';

export const nodes: ResourceDefinition = {
  group: '',
  version: 'v1',
  kind: 'Node',
  plural: 'nodes',
  singular: 'node',
  shortNames: ['no'],
  namespaced: false,
  struct: 'core.v1.Node',
  nameRule: dnsSubdomain,
  storageVersionHash: 'XwShjMxG9Fs=',
  hasFieldLabelConversion: true,
  selectableFields: {
    'spec.unschedulable': (node: KubeObject) => String((node as Node).spec.unschedulable ?? false),
  },
  validate: validateNode,
  validateUpdate: (node: Node, old: Node) => [...validateNode(node), ...validateNodeUpdate(node, old)],
  applyDefaults({ spec, status }: Node) {
    // podCIDR is the first of podCIDRs; it is older, from when a node had only one range.
    if (spec.podCIDR !== undefined && spec.podCIDR !== spec.podCIDRs?.[0]) {
      spec.podCIDRs = [spec.podCIDR];
    } else if (spec.podCIDRs?.[0] !== undefined) {
      spec.podCIDR = spec.podCIDRs[0];
    }
    if (
      status.allocatable === undefined &&
      status.capacity !== undefined &&
      !isGivenEmpty(status, 'allocatable')
    ) {
      status.allocatable = { ...status.capacity };
    }
  },
  // The feature (dynamic kubelet configuration) is gone, but its fields still exist.
  prepareForCreate(node: Node) {
    delete node.spec.configSource;
    delete node.status['config'];
  },
  prepareForUpdate(node: Node, old: Node) {
    node.status = old.status;
    delete node.spec.configSource;
  },
  warnings: ({ spec: { externalID = '', podCIDRs = [] } }: Node) => [
    ...(externalID === '' ? [] : ['spec.externalID: this field is deprecated, and is unused by Kubernetes']),
    ...podCIDRs.flatMap((cidr, index) => cidrWarnings(cidr, `spec.podCIDRs[${index}]`)),
  ],
  status: {
    prepareForUpdate(node: Node, old: Node) {
      node.spec = old.spec;
      delete node.status['config'];
    },
    validateUpdate: validateNodeUpdate,
  },
  columns: [
    nameColumn,
    column('Status', 'Whether the node is ready and takes pods'),
    column('Roles', 'The roles of the node'),
    ageColumn,
    column('Version', 'The version of its kubelet'),
    column('Internal-IP', 'Its address inside the cluster', 1),
    column('External-IP', 'Its address outside the cluster', 1),
    column('OS-Image', 'Its operating system', 1),
    column('Kernel-Version', 'Its kernel', 1),
    column('Container-Runtime', 'Its container runtime', 1),
  ],
  cells({ metadata, spec, status }: Node, { now }) {
    const ready = status.conditions?.find((condition) => condition.type === 'Ready');
    const words = [ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady'];
    if (spec.unschedulable === true) {
      words.push('SchedulingDisabled');
    }
    const roles = Object.entries(metadata.labels ?? {}).flatMap(([key, value]) =>
      key.startsWith('node-role.kubernetes.io/')
        ? [key.slice('node-role.kubernetes.io/'.length)]
        : key === 'kubernetes.io/role'
          ? [value]
          : [],
    );
    const address = (type: string): string =>
      status.addresses?.find((candidate) => candidate.type === type)?.address ?? '<none>';
    const info = (field: string): string => status.nodeInfo[field] || '<unknown>';
    return [
      metadata.name ?? '',
      words.join(','),
      roles.length === 0 ? '<none>' : roles.sort().join(','),
      since(metadata.creationTimestamp, now),
      status.nodeInfo['kubeletVersion'] ?? '',
      address('InternalIP'),
      address('ExternalIP'),
      info('osImage'),
      info('kernelVersion'),
      info('containerRuntimeVersion'),
    ];
  },
};
