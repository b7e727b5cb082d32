import {
  type FieldError,
  duplicate,
  forbiddenField,
  invalid,
  notSupported,
  required,
} from '../meta/field-error.ts';
import { type JsonObject, jsonEqual } from '../meta/json.ts';
import type { KubeObject } from '../meta/kube-object.ts';
import { dnsSubdomain, labelValueProblems, qualifiedNameProblems } from '../meta/names.ts';
import { compareQuantities } from '../schema/quantity.ts';
import { validateNetwork } from './addresses.ts';
import { goValue } from './go-diff.ts';
import { cidrWarnings } from './ip-warnings.ts';
import type { ResourceDefinition } from './resource-definition.ts';
import { ageColumn, column, nameColumn, since } from './table-columns.ts';

interface Node extends KubeObject {
  spec: {
    unschedulable?: boolean;
    taints?: { key: string; value?: string; effect: string }[];
    providerID?: string;
    podCIDR?: string;
    podCIDRs?: string[];
    externalID?: string;
    configSource?: JsonObject;
  };
  status: {
    conditions?: { type: string; status: string }[];
    addresses?: { type: string; address: string }[];
    nodeInfo: { [field: string]: string };
    allocatable?: { [resource: string]: string };
    capacity?: { [resource: string]: string };
  } & JsonObject;
}

export const nodes: ResourceDefinition = {
  group: '',
  version: 'v1',
  kind: 'Node',
  plural: 'nodes',
  singular: 'node',
  shortNames: ['no'],
  namespaced: false,
  struct: 'core.v1.Node',
  validation: 'usual mistakes',
  nameRule: dnsSubdomain,
  storageVersionHash: 'XwShjMxG9Fs=',
  hasFieldLabelConversion: true,
  selectableFields: {
    'spec.unschedulable': (node: KubeObject) => String((node as Node).spec.unschedulable ?? false),
  },
  validate: validateNode,
  validateUpdate: (node: Node, old: Node) => [...validateNode(node), ...changedOnce(node, old)],
  applyDefaults({ spec, status }: Node) {
    // podCIDR is the first of podCIDRs; it is older, from when a node had only one range.
    if (spec.podCIDR !== undefined && spec.podCIDR !== spec.podCIDRs?.[0]) {
      spec.podCIDRs = [spec.podCIDR];
    } else if (spec.podCIDRs?.[0] !== undefined) {
      spec.podCIDR = spec.podCIDRs[0];
    }
    if (status.allocatable === undefined && status.capacity !== undefined) {
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
    validateUpdate: validateNodeStatus,
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

const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

function validateNode({ spec }: Node): FieldError[] {
  const { taints = [], podCIDRs = [] } = spec;
  const known = new Set<string>();
  const errors = taints.flatMap((taint, index) => {
    // The real server says metadata, where taints used to be.
    const at = `metadata.taints[${index}]`;
    const { key, value = '', effect } = taint;
    const pair = `${key}:${effect}`;
    const isKnown = known.has(pair);
    known.add(pair);
    return [
      ...qualifiedNameProblems(key).map((problem) => invalid(`${at}.key`, key, problem)),
      ...labelValueProblems(value).map((problem) => invalid(`${at}.value`, value, problem)),
      ...(effect === '' ? [required(`${at}.effect`)] : []),
      ...(effect !== '' && !effects.includes(effect) ? [notSupported(`${at}.effect`, effect, effects)] : []),
      ...(isKnown ? [duplicateTaint(at, taint)] : []),
    ];
  });
  errors.push(...podCIDRs.flatMap((range, index) => validateNetwork(range, `spec.podCIDRs[${index}]`)));
  const families = podCIDRs.map((range) => range.includes(':'));
  if (new Set(families).size < families.length && errors.length === 0) {
    const problem = 'may specify no more than one CIDR for each IP family';
    errors.push(invalid('spec.podCIDRs', [...podCIDRs], problem));
  }
  return errors;
}

/** Fields that may be set once, by other components than the kubelet. */
function changedOnce({ spec }: Node, old: Node): FieldError[] {
  const { podCIDRs = [], providerID = '' } = old.spec;
  const refuse = (path: string, name: string): FieldError =>
    forbiddenField(path, `node updates may not change ${name} except from "" to valid`);
  return [
    ...(podCIDRs.length > 0 && !jsonEqual(spec.podCIDRs ?? [], podCIDRs)
      ? [refuse('spec.podCIDRs', 'podCIDR')]
      : []),
    ...(providerID !== '' && spec.providerID !== providerID ? [refuse('spec.providerID', 'providerID')] : []),
  ];
}

function validateNodeStatus({ status }: Node): FieldError[] {
  const { addresses = [] } = status;
  const amounts = (['capacity', 'allocatable'] as const).flatMap((field) =>
    Object.entries(status[field] ?? {})
      .filter(([, amount]) => compareQuantities(amount, '0') < 0)
      .map(([resource, amount]) =>
        invalid(`status.${field}.${resource}`, amount, 'must be greater than or equal to 0'),
      ),
  );
  const repeated = addresses.flatMap((address, index) =>
    addresses.slice(0, index).some((other) => jsonEqual(other, address))
      ? [duplicate(`status.addresses[${index}]`, goValue(address, 'core.v1.NodeAddress'))]
      : [],
  );
  return [...amounts, ...repeated];
}

function duplicateTaint(at: string, taint: JsonObject): FieldError {
  const { message, ...error } = duplicate(at, goValue(taint, 'core.v1.Taint'));
  return { ...error, message: `${message}: taints must be unique by key and effect pair` };
}
