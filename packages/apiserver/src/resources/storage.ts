import { append } from '../meta/append.ts';
import {
  type FieldError,
  duplicate,
  forbiddenField,
  invalid,
  notSupported,
  required,
} from '../meta/field-error.ts';
import { type JsonObject, jsonEqual, withoutFields } from '../meta/json.ts';
import type { KubeObject } from '../meta/kube-object.ts';
import { dnsSubdomain, qualifiedNameProblems } from '../meta/names.ts';
import { resetMetadata, validateImmutable } from '../meta/object-meta.ts';
import { goValue } from './go-diff.ts';
import { keyWarnings } from './node-labels.ts';
import { notNegative } from './numbers.ts';
import { repeatedIn } from './repeated-values.ts';
import type { ResourceDefinition } from './resource-definition.ts';
import { ageColumn, column, nameColumn, since } from './table-columns.ts';

/* storage.k8s.io/v1 */

interface StorageClass extends KubeObject {
  provisioner: string;
  parameters?: { [key: string]: string };
  reclaimPolicy?: string;
  allowVolumeExpansion?: boolean;
  volumeBindingMode?: string;
  allowedTopologies?: { matchLabelExpressions?: { key: string; values: string[] | null }[] }[];
}

export const storageClasses: ResourceDefinition = {
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'StorageClass',
  plural: 'storageclasses',
  singular: 'storageclass',
  shortNames: ['sc'],
  namespaced: false,
  struct: 'storage.v1.StorageClass',
  nameRule: dnsSubdomain,
  storageVersionHash: 'K+m6uJwbjGY=',
  returnsDeletedObject: true,
  applyDefaults(storageClass: StorageClass) {
    storageClass.reclaimPolicy ??= 'Delete';
    storageClass.volumeBindingMode ??= 'Immediate';
  },
  validate: validateStorageClass,
  validateUpdate(storageClass: StorageClass, old: StorageClass) {
    const errors = validateStorageClass(storageClass);
    for (const field of ['parameters', 'provisioner', 'reclaimPolicy', 'volumeBindingMode'] as const) {
      append(errors, validateImmutable(storageClass[field], old[field], field));
    }
    return errors;
  },
  warnings: ({ allowedTopologies = [] }: StorageClass) =>
    allowedTopologies.flatMap(({ matchLabelExpressions = [] }, index) =>
      matchLabelExpressions.flatMap(({ key }, position) =>
        keyWarnings(key, `allowedTopologies[${index}].matchLabelExpressions[${position}].key`),
      ),
    ),
  columns: [
    nameColumn,
    column('Provisioner', 'Who makes the volumes'),
    column('ReclaimPolicy', 'What happens to a volume after its claim'),
    column('VolumeBindingMode', 'When a volume is made and bound'),
    column('AllowVolumeExpansion', 'Whether claims may grow'),
    ageColumn,
  ],
  cells(storageClass: StorageClass, { now }) {
    const { metadata } = storageClass;
    const isDefault = ['storageclass.kubernetes.io/', 'storageclass.beta.kubernetes.io/'].some(
      (prefix) => metadata.annotations?.[`${prefix}is-default-class`] === 'true',
    );
    return [
      `${metadata.name ?? ''}${isDefault ? ' (default)' : ''}`,
      storageClass.provisioner,
      storageClass.reclaimPolicy ?? '',
      storageClass.volumeBindingMode ?? '',
      storageClass.allowVolumeExpansion ?? false,
      since(metadata.creationTimestamp, now),
    ];
  },
};

function validateStorageClass(storageClass: StorageClass): FieldError[] {
  const errors: FieldError[] = [];
  const { provisioner, allowedTopologies = [] } = storageClass;
  if (provisioner === '') {
    errors.push(required('provisioner'));
  } else {
    const name = provisioner.toLowerCase();
    append(
      errors,
      qualifiedNameProblems(name).map((problem) => invalid('provisioner', name, problem)),
    );
  }
  for (const [index, { matchLabelExpressions = [] }] of allowedTopologies.entries()) {
    const at = `allowedTopologies[${index}].matchLabelExpressions`;
    const keys = new Set<string>();
    for (const [position, { key, values }] of matchLabelExpressions.entries()) {
      append(errors, validateTopology(key, values ?? [], `${at}[${position}]`));
      if (keys.has(key)) {
        errors.push(duplicate(`${at}[${position}].key`, key));
      }
      keys.add(key);
    }
  }
  const policies = ['Delete', 'Retain'];
  const { reclaimPolicy = '' } = storageClass;
  if (reclaimPolicy !== '' && !policies.includes(reclaimPolicy)) {
    errors.push(notSupported('reclaimPolicy', reclaimPolicy, policies));
  }
  const modes = ['Immediate', 'WaitForFirstConsumer'];
  if (!modes.includes(storageClass.volumeBindingMode ?? '')) {
    errors.push(notSupported('volumeBindingMode', storageClass.volumeBindingMode, modes));
  }
  return errors;
}

function validateTopology(key: string, values: readonly string[], at: string): FieldError[] {
  const repeated = repeatedIn(values);
  return [
    ...(values.length === 0 ? [required(`${at}.values`)] : []),
    ...values.flatMap((value, index) =>
      repeated.has(index) ? [duplicate(`${at}.values[${index}]`, value)] : [],
    ),
    ...qualifiedNameProblems(key).map((problem) => invalid(`${at}.key`, key, problem)),
  ];
}

interface VolumeAttachment extends KubeObject {
  spec: {
    attacher: string;
    source: { persistentVolumeName?: string; inlineVolumeSpec?: JsonObject };
    nodeName: string;
  } & JsonObject;
  status: { attached: boolean } & JsonObject;
}

export const volumeAttachments: ResourceDefinition = {
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'VolumeAttachment',
  plural: 'volumeattachments',
  singular: 'volumeattachment',
  namespaced: false,
  struct: 'storage.v1.VolumeAttachment',
  nameRule: dnsSubdomain,
  storageVersionHash: 'tJx/ezt6UDU=',
  allowUnconditionalUpdate: false,
  returnsDeletedObject: true,
  prepareForCreate(attachment: VolumeAttachment) {
    attachment.status = { attached: false };
  },
  validate: validateAttachment,
  prepareForUpdate(attachment: VolumeAttachment, old: VolumeAttachment) {
    attachment.status = old.status;
  },
  validateUpdate(attachment: VolumeAttachment, old: VolumeAttachment) {
    const { spec } = attachment;
    const errors = validateAttachment(attachment);
    if (!jsonEqual(spec, old.spec)) {
      errors.push(invalid('spec', goValue(spec, 'storage.v1.VolumeAttachmentSpec'), 'field is immutable'));
    }
    return errors;
  },
  status: {
    prepareForUpdate(attachment: VolumeAttachment, old: VolumeAttachment) {
      attachment.spec = old.spec;
      attachment.metadata = resetMetadata(attachment.metadata, old.metadata);
    },
    keptMetadata: 'all',
  },
  columns: [
    nameColumn,
    { ...column('Attacher', 'The driver that attaches'), format: 'name' },
    column('PV', 'The volume'),
    column('Node', 'The node'),
    { ...column('Attached', 'Whether it is attached'), type: 'boolean' },
    ageColumn,
  ],
  cells: ({ metadata, spec, status }: VolumeAttachment, { now }) => [
    metadata.name ?? '',
    spec.attacher,
    spec.source.persistentVolumeName ?? '',
    spec.nodeName,
    status.attached,
    since(metadata.creationTimestamp, now),
  ],
};

function validateAttachment({ spec }: VolumeAttachment): FieldError[] {
  const errors: FieldError[] = [];
  if (spec.attacher === '') {
    errors.push(required('spec.attacher'));
  }
  const hasName = (spec.source.persistentVolumeName ?? '') !== '';
  if (!hasName && spec.source.inlineVolumeSpec === undefined) {
    errors.push(
      required('spec.source', 'must specify exactly one of inlineVolumeSpec and persistentVolumeName'),
    );
  } else if (hasName && spec.source.inlineVolumeSpec !== undefined) {
    errors.push(
      forbiddenField('spec.source', 'must specify exactly one of inlineVolumeSpec and persistentVolumeName'),
    );
  }
  append(
    errors,
    dnsSubdomain(spec.nodeName, false).map((problem) => invalid('spec.nodeName', spec.nodeName, problem)),
  );
  return errors;
}

/**
 * A status write keeps all metadata except the resourceVersion that it was based on and the managedFields.
 */
interface CsiNode extends KubeObject {
  spec: {
    drivers:
      | { name: string; nodeID: string; topologyKeys: string[] | null; allocatable?: { count?: number } }[]
      | null;
  };
}

function validateCsiNode({ spec }: CsiNode): FieldError[] {
  return (spec.drivers ?? []).flatMap(({ name, nodeID, topologyKeys, allocatable = {} }, index) => {
    const at = `spec.drivers[${index}]`;
    const keys = topologyKeys ?? [];
    const repeated = repeatedIn(keys);
    return [
      ...(name === '' ? [required(`${at}.name`)] : []),
      ...(name === ''
        ? []
        : dnsSubdomain(name.toLowerCase(), false).map((problem) => invalid(`${at}.name`, name, problem))),
      ...(nodeID === '' ? [required(`${at}.nodeID`)] : []),
      ...notNegative(allocatable, `${at}.allocatable`, ['count']),
      // The real server's error does not say which key it is.
      ...keys.flatMap((key, position) => [
        ...qualifiedNameProblems(key).map((problem) => invalid(at, key, problem)),
        ...(repeated.has(position) ? [duplicate(at, key)] : []),
      ]),
    ];
  });
}

/** Only the allocatable count of an existing driver may change. */
function changedDrivers({ spec }: CsiNode, old: CsiNode): FieldError[] {
  const shown = (driver: JsonObject): JsonObject =>
    goValue(withoutFields(driver, ['allocatable']), 'storage.v1.CSINodeDriver');
  return (old.spec.drivers ?? []).flatMap((before) =>
    (spec.drivers ?? [])
      .filter(({ name }) => name === before.name)
      .flatMap((driver) => validateImmutable(shown(driver), shown(before), 'spec.drivers')),
  );
}

export const csiNodes: ResourceDefinition = {
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'CSINode',
  plural: 'csinodes',
  singular: 'csinode',
  namespaced: false,
  struct: 'storage.v1.CSINode',
  nameRule: dnsSubdomain,
  storageVersionHash: 'Pe62DkZtjuo=',
  validate: validateCsiNode,
  validateUpdate: (node: CsiNode, old: CsiNode) => [...validateCsiNode(node), ...changedDrivers(node, old)],
  allowUnconditionalUpdate: false,
  returnsDeletedObject: true,
  columns: [nameColumn, { ...column('Drivers', 'Number of drivers'), type: 'integer' }, ageColumn],
  cells: ({ metadata, spec }: CsiNode, { now }) => [
    metadata.name ?? '',
    (spec.drivers ?? []).length,
    since(metadata.creationTimestamp, now),
  ],
};

interface CsiDriver extends KubeObject {
  spec: {
    attachRequired?: boolean;
    podInfoOnMount?: boolean;
    volumeLifecycleModes?: string[];
    storageCapacity?: boolean;
    fsGroupPolicy?: string;
    tokenRequests?: { audience: string; expirationSeconds?: number }[];
    requiresRepublish?: boolean;
    seLinuxMount?: boolean;
    serviceAccountTokenInSecrets?: boolean;
  };
}

export const csiDrivers: ResourceDefinition = {
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'CSIDriver',
  plural: 'csidrivers',
  singular: 'csidriver',
  namespaced: false,
  struct: 'storage.v1.CSIDriver',
  nameRule: dnsSubdomain,
  storageVersionHash: 'hL6j/rwBV5w=',
  allowUnconditionalUpdate: false,
  returnsDeletedObject: true,
  applyDefaults({ spec }: CsiDriver) {
    spec.attachRequired ??= true;
    spec.podInfoOnMount ??= false;
    spec.storageCapacity ??= false;
    spec.fsGroupPolicy ??= 'ReadWriteOnceWithFSType';
    spec.volumeLifecycleModes ??= ['Persistent'];
    spec.requiresRepublish ??= false;
    spec.seLinuxMount ??= false;
  },
  validate: validateDriver,
  validateUpdate: (driver: CsiDriver, old: CsiDriver) => [
    ...validateDriver(driver),
    ...validateImmutable(driver.spec.attachRequired, old.spec.attachRequired, 'spec.attachedRequired'),
    ...validateImmutable(
      driver.spec.volumeLifecycleModes,
      old.spec.volumeLifecycleModes,
      'spec.volumeLifecycleModes',
    ),
  ],
  prepareForUpdate({ metadata, spec }: CsiDriver, old: CsiDriver) {
    // New objects have no generation.
    if (!jsonEqual(spec, old.spec)) {
      metadata.generation = (old.metadata.generation ?? 0) + 1;
    }
  },
  warnings({ spec }: CsiDriver, old: CsiDriver | undefined) {
    const { tokenRequests = [], serviceAccountTokenInSecrets } = spec;
    const isChanged = !jsonEqual(tokenRequests, old?.spec.tokenRequests);
    return tokenRequests.length > 0 && isChanged && serviceAccountTokenInSecrets === undefined
      ? [
          'spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes',
        ]
      : [];
  },
  columns: [
    nameColumn,
    { ...column('AttachRequired', 'Whether volumes are attached to nodes'), type: 'boolean' },
    { ...column('PodInfoOnMount', 'Whether mounting needs the pod'), type: 'boolean' },
    { ...column('StorageCapacity', 'Whether scheduling looks at capacity'), type: 'boolean' },
    column('TokenRequests', 'Tokens the driver asks for'),
    { ...column('RequiresRepublish', 'Whether volumes are published again and again'), type: 'boolean' },
    column('Modes', 'Kinds of volumes the driver has'),
    ageColumn,
  ],
  cells: ({ metadata, spec }: CsiDriver, { now }) => [
    metadata.name ?? '',
    spec.attachRequired ?? true,
    spec.podInfoOnMount ?? false,
    spec.storageCapacity ?? false,
    (spec.tokenRequests ?? []).map(({ audience }) => audience).join(',') || '<unset>',
    spec.requiresRepublish ?? false,
    (spec.volumeLifecycleModes ?? []).join(',') || '<none>',
    since(metadata.creationTimestamp, now),
  ],
};

const fsGroupPolicies = ['File', 'None', 'ReadWriteOnceWithFSType'];
const lifecycleModes = ['Persistent', 'Ephemeral'];
const shortestToken = 600;
const longestToken = 2 ** 32;

function validateDriver({ spec }: CsiDriver): FieldError[] {
  const errors: FieldError[] = [];
  const { fsGroupPolicy = '', tokenRequests = [], volumeLifecycleModes = [] } = spec;
  if (!fsGroupPolicies.includes(fsGroupPolicy)) {
    errors.push(notSupported('spec.fsGroupPolicy', fsGroupPolicy, fsGroupPolicies));
  }
  const audiences = new Set<string>();
  for (const [index, { audience, expirationSeconds = shortestToken }] of tokenRequests.entries()) {
    const path = `spec.tokenRequests[${index}]`;
    if (audiences.has(audience)) {
      errors.push(duplicate(`${path}.audience`, audience));
    } else if (expirationSeconds < shortestToken) {
      const problem = 'may not specify a duration less than 10 minutes';
      errors.push(invalid(`${path}.expirationSeconds`, expirationSeconds, problem));
    } else if (expirationSeconds > longestToken) {
      const problem = 'may not specify a duration larger than 2^32 seconds';
      errors.push(invalid(`${path}.expirationSeconds`, expirationSeconds, problem));
    }
    audiences.add(audience);
  }
  for (const mode of volumeLifecycleModes) {
    if (!lifecycleModes.includes(mode)) {
      errors.push(notSupported('spec.volumeLifecycleModes', mode, lifecycleModes));
    }
  }
  if (spec.serviceAccountTokenInSecrets !== undefined && tokenRequests.length === 0) {
    errors.push(
      invalid(
        'spec.serviceAccountTokenInSecrets',
        spec.serviceAccountTokenInSecrets,
        'serviceAccountTokenInSecrets is set but no tokenRequests are specified',
      ),
    );
  }
  return errors;
}
