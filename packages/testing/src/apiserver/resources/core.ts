import { type FieldError, invalid, required, tooLong } from '../meta/field-error.ts';
import { type Json, type JsonObject, jsonEqual } from '../meta/json.ts';
import type { KubeObject } from '../meta/kube-object.ts';
import { dnsLabel, dnsSubdomain } from '../meta/names.ts';
import { validateImmutable } from '../meta/object-meta.ts';
import type { ResourceDefinition } from './resource-definition.ts';
import { isGivenEmpty } from '../schema/decode.ts';
import { ageColumn, column, nameColumn, since } from './table-columns.ts';
import { cidrWarnings } from './ip-warnings.ts';
import { keyPairProblem } from './key-pair.ts';

/* The small kinds of core/v1. */

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
  storageVersionHash: 'Q3oi5N2YM8M=',
  hasFieldLabelConversion: true,
  selectableFields: {
    name: (namespace: KubeObject) => namespace.metadata.name ?? '',
    'status.phase': (namespace: KubeObject) => (namespace as Namespace).status.phase ?? '',
  },
  actions: [{ name: 'finalize', kind: 'Namespace', verbs: ['update'], struct: 'core.v1.Namespace' }],

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

interface Node extends KubeObject {
  spec: {
    unschedulable?: boolean;
    taints?: { key: string; value?: string; effect: string }[];
    providerID?: string;
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
  nameRule: dnsSubdomain,
  storageVersionHash: 'XwShjMxG9Fs=',
  hasFieldLabelConversion: true,
  selectableFields: {
    'spec.unschedulable': (node: KubeObject) => String((node as Node).spec.unschedulable ?? false),
  },
  applyDefaults({ status }: Node) {
    if (status.allocatable === undefined && status.capacity !== undefined) {
      status.allocatable = { ...status.capacity };
    }
  },
  // The feature of dynamic configuration is gone, its fields are not.
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
    },
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

interface Secret extends KubeObject {
  data?: { [key: string]: string };
  stringData?: { [key: string]: string };
  type?: string;
  immutable?: boolean;
}

const tlsType = 'kubernetes.io/tls';
const tlsKeys = ['tls.crt', 'tls.key'];

export const secrets: ResourceDefinition = {
  group: '',
  version: 'v1',
  kind: 'Secret',
  plural: 'secrets',
  singular: 'secret',
  namespaced: true,
  struct: 'core.v1.Secret',
  nameRule: dnsSubdomain,
  storageVersionHash: 'S6u1pOWzb84=',
  hasFieldLabelConversion: true,
  selectableFields: { type: (secret: KubeObject) => (secret as Secret).type ?? '' },
  applyDefaults(secret: Secret) {
    secret.type ??= 'Opaque';
    if (secret.stringData !== undefined) {
      secret.data = { ...secret.data };
      for (const [key, value] of Object.entries(secret.stringData)) {
        secret.data[key] = Buffer.from(value).toString('base64');
      }
      delete secret.stringData;
    }
  },
  validate: validateSecret,
  validateUpdate(secret: Secret, old: Secret) {
    const errors = [...validateImmutable(secret.type, old.type, 'type')];
    if (old.immutable === true) {
      if (secret.immutable !== true) {
        errors.push(forbidImmutable('immutable'));
      }
      errors.push(...validateSealed(secret, old.data, 'data'));
    }
    return [...errors, ...validateSecret(secret)];
  },
  warnings({ type, data }: Secret) {
    if (type !== tlsType) {
      return [];
    }
    const [certificate, key] = tlsKeys.map((name) =>
      Buffer.from(data?.[name] ?? '', 'base64').toString('latin1'),
    );
    const problem = keyPairProblem(certificate ?? '', key ?? '');
    return problem === undefined ? [] : [problem];
  },
  columns: [
    nameColumn,
    column('Type', 'What the secret is for'),
    column('Data', 'Number of entries'),
    ageColumn,
  ],
  cells: ({ metadata, data, type }: Secret, { now }) => [
    metadata.name ?? '',
    type ?? '',
    Object.keys(data ?? {}).length,
    since(metadata.creationTimestamp, now),
  ],
};

function forbidImmutable(field: string): { field: string; reason: 'FieldValueForbidden'; message: string } {
  return {
    field,
    reason: 'FieldValueForbidden',
    message: 'Forbidden: field is immutable when `immutable` is set',
  };
}

/** What is stored has no empty maps, so that giving one is a change, unless stringData has filled it. */
function validateSealed<Field extends string>(
  object: { readonly [F in Field]?: Json },
  old: Json | undefined,
  field: Field,
): FieldError[] {
  const { [field]: value } = object;
  const isEmpty = value === undefined && isGivenEmpty(object, field);
  const isSame = !isEmpty && jsonEqual(value, old);
  return isSame ? [] : [forbidImmutable(field)];
}

interface ConfigMap extends KubeObject {
  data?: { [key: string]: string };
  binaryData?: { [key: string]: string };
  immutable?: boolean;
}

export const configMaps: ResourceDefinition = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  singular: 'configmap',
  shortNames: ['cm'],
  namespaced: true,
  struct: 'core.v1.ConfigMap',
  nameRule: dnsSubdomain,
  storageVersionHash: 'qFsyl6wFWjQ=',
  validate: validateConfigMap,
  validateUpdate(map: ConfigMap, old: ConfigMap) {
    const errors = validateConfigMap(map);
    if (old.immutable === true) {
      if (map.immutable !== true) {
        errors.push(forbidImmutable('immutable'));
      }
      // An absent data is defaulted to an empty one, so that the two are the same.
      if (!jsonEqual(map.data, old.data)) {
        errors.push(forbidImmutable('data'));
      }
      errors.push(...validateSealed(map, old.binaryData, 'binaryData'));
    }
    return errors;
  },
  columns: [nameColumn, column('Data', 'Number of entries'), ageColumn],
  cells: ({ metadata, data, binaryData }: ConfigMap, { now }) => [
    metadata.name ?? '',
    Object.keys(data ?? {}).length + Object.keys(binaryData ?? {}).length,
    since(metadata.creationTimestamp, now),
  ],
};

/** Of the values of a config map or a secret together, in bytes. */
const dataLimit = 1024 * 1024;

function sizeOf(values: Readonly<Record<string, string>> | undefined, encoding: 'utf8' | 'base64'): number {
  return Object.values(values ?? {}).reduce((sum, value) => sum + Buffer.byteLength(value, encoding), 0);
}

function validateSecret({ data, type }: Secret): FieldError[] {
  const errors = sizeOf(data, 'base64') > dataLimit ? [tooLong('data', dataLimit)] : [];
  const missing = type === tlsType ? tlsKeys.filter((key) => data?.[key] === undefined) : [];
  return [...errors, ...missing.map((key) => required(`data[${key}]`))];
}

function validateConfigMap({ data, binaryData }: ConfigMap): FieldError[] {
  const errors: FieldError[] = [];
  for (const key of Object.keys(data ?? {})) {
    if (!/^[-._a-zA-Z0-9]+$/.test(key) || key.length > 253) {
      errors.push(
        invalid(
          `data[${key}]`,
          key,
          "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
        ),
      );
    }
    if (binaryData?.[key] !== undefined) {
      errors.push(invalid(`data[${key}]`, key, 'duplicate of key present in binaryData'));
    }
  }
  // The real server names no field there.
  if (sizeOf(data, 'utf8') + sizeOf(binaryData, 'base64') > dataLimit) {
    errors.push(tooLong('[]', dataLimit));
  }
  return errors;
}

const enforceMountable = 'kubernetes.io/enforce-mountable-secrets';

export const serviceAccounts: ResourceDefinition = {
  group: '',
  version: 'v1',
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  singular: 'serviceaccount',
  shortNames: ['sa'],
  namespaced: true,
  struct: 'core.v1.ServiceAccount',
  nameRule: dnsSubdomain,
  storageVersionHash: 'pbx9ZvyFpBE=',
  actions: [
    {
      name: 'token',
      group: 'authentication.k8s.io',
      version: 'v1',
      kind: 'TokenRequest',
      verbs: ['create'],
      struct: 'authentication.v1.TokenRequest',
    },
  ],
  returnsDeletedObject: true,
  warnings: ({ metadata }, old) =>
    metadata.annotations?.[enforceMountable] === undefined ||
    old?.metadata.annotations?.[enforceMountable] !== undefined
      ? []
      : [
          `metadata.annotations[${enforceMountable}]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets`,
        ],
  columns: [nameColumn, ageColumn],
  cells: ({ metadata }, { now }) => [metadata.name ?? '', since(metadata.creationTimestamp, now)],
};

interface Lease extends KubeObject {
  spec: { holderIdentity?: string; leaseDurationSeconds?: number; leaseTransitions?: number } & JsonObject;
}

export const leases: ResourceDefinition = {
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
  singular: 'lease',
  namespaced: true,
  struct: 'coordination.v1.Lease',
  nameRule: dnsSubdomain,
  takesAnyFinalizer: true,
  storageVersionHash: 'gqkMMb/YqFM=',
  allowUnconditionalUpdate: false,
  allowCreateOnUpdate: true,
  validate: validateLease,
  validateUpdate: validateLease,
  columns: [nameColumn, column('Holder', 'Who holds the lease'), ageColumn],
  cells: ({ metadata, spec }: Lease, { now }) => [
    metadata.name ?? '',
    spec.holderIdentity ?? '',
    since(metadata.creationTimestamp, now),
  ],
};

function validateLease({ spec }: Lease): FieldError[] {
  const errors: FieldError[] = [];
  const { leaseDurationSeconds, leaseTransitions } = spec;
  if (leaseDurationSeconds !== undefined && leaseDurationSeconds <= 0) {
    errors.push(invalid('spec.leaseDurationSeconds', leaseDurationSeconds, 'must be greater than 0'));
  }
  if (leaseTransitions !== undefined && leaseTransitions < 0) {
    errors.push(invalid('spec.leaseTransitions', leaseTransitions, 'must be greater than or equal to 0'));
  }
  return errors;
}

interface ControllerRevision extends KubeObject {
  revision: number;
}

export const controllerRevisions: ResourceDefinition = {
  group: 'apps',
  version: 'v1',
  kind: 'ControllerRevision',
  plural: 'controllerrevisions',
  singular: 'controllerrevision',
  namespaced: true,
  struct: 'apps.v1.ControllerRevision',
  nameRule: dnsSubdomain,
  storageVersionHash: '85nkx63pcBU=',
  validateUpdate: (revision, old) => validateImmutable(revision['data'], old['data'], 'data'),
  columns: [
    nameColumn,
    column('Controller', 'Whose revision it is'),
    column('Revision', 'Its number'),
    ageColumn,
  ],
  cells({ metadata, revision }: ControllerRevision, { now }) {
    const controller = metadata.ownerReferences?.find((reference) => reference.controller === true);
    const group =
      controller?.apiVersion.includes('/') === true ? `.${controller.apiVersion.split('/')[0] ?? ''}` : '';
    return [
      metadata.name ?? '',
      controller === undefined ? '<none>' : `${controller.kind.toLowerCase()}${group}/${controller.name}`,
      revision,
      since(metadata.creationTimestamp, now),
    ];
  },
};
