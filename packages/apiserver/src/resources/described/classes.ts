import { type FieldError, forbiddenField, invalid, notSupported, required } from '../../meta/field-error.ts';
import { type JsonObject, jsonEqual } from '../../meta/json.ts';
import type { KubeObject } from '../../meta/kube-object.ts';
import { dnsLabel, dnsSubdomain } from '../../meta/names.ts';
import { compareQuantities } from '../../schema/quantity.ts';
import { describedResource } from './described-resource.ts';
import { age, createdAt, text, typed } from './shown.ts';

/* Kinds of a few fields: classes, and the capacity of storage. */

export interface RuntimeClass extends KubeObject {
  overhead?: { podFixed?: { [resource: string]: string } };
  scheduling?: { nodeSelector?: { [label: string]: string }; tolerations?: JsonObject[] };
  handler: string;
}

export const runtimeClasses = describedResource({
  group: 'node.k8s.io',
  version: 'v1',
  kind: 'RuntimeClass',
  plural: 'runtimeclasses',
  namespaced: false,
  struct: 'node.v1.RuntimeClass',
  takesAnyFinalizer: true,
  allowCreateOnUpdate: true,
  storageVersionHash: 'WQTu1GL3T2Q=',
  allowUnconditionalUpdate: false,
  immutable: ['handler'],
  refusals: ({ handler }: RuntimeClass) =>
    handler === '' ? [] : dnsLabel(handler, false).map((problem) => invalid('handler', handler, problem)),
  shown: [text<RuntimeClass>('Handler', 'What runs its pods', ({ handler }) => handler), age],
});

export interface PriorityClass extends KubeObject {
  value: number;
  globalDefault?: boolean;
  preemptionPolicy?: string;
}

const greatestPriority = 1_000_000_000;
const systemPrefix = 'system-';
/** Those that every cluster has. */
export const systemPriorities: Readonly<Record<string, number>> = {
  'system-cluster-critical': 2_000_000_000,
  'system-node-critical': 2_000_001_000,
};
const preemptionPolicies = ['PreemptLowerPriority', 'Never'];

export const priorityClasses = describedResource({
  group: 'scheduling.k8s.io',
  version: 'v1',
  kind: 'PriorityClass',
  plural: 'priorityclasses',
  shortNames: ['pc'],
  namespaced: false,
  struct: 'scheduling.v1.PriorityClass',
  storageVersionHash: '1QwjyaZjj3Y=',
  hasGeneration: true,
  keepsGeneration: true,
  judgedHere: ['scheduling.v1.PriorityClass'],
  applyDefaults(priorityClass: PriorityClass) {
    priorityClass.preemptionPolicy ??= 'PreemptLowerPriority';
  },
  refuseDeletion: (name) =>
    Object.hasOwn(systemPriorities, name)
      ? 'this is a system priority class and cannot be deleted'
      : undefined,
  immutable: ['preemptionPolicy'],
  refusals(priorityClass: PriorityClass, old) {
    const { metadata, value, preemptionPolicy } = priorityClass;
    if (old !== undefined) {
      const isChanged = (old as PriorityClass).value !== value;
      return isChanged ? [forbiddenField('value', 'may not be changed in an update.')] : [];
    }
    const errors = validatePriority(metadata.name ?? '', value);
    if (preemptionPolicy !== undefined && !preemptionPolicies.includes(preemptionPolicy)) {
      errors.push(notSupported('preemptionPolicy', preemptionPolicy, preemptionPolicies));
    }
    return errors;
  },
  shown: [
    typed<PriorityClass>('Value', 'integer', 'The priority of its pods', ({ value }) => value),
    typed<PriorityClass>(
      'Global-Default',
      'boolean',
      'Whether pods without a class have it',
      ({ globalDefault }) => globalDefault === true,
    ),
    age,
    text<PriorityClass>(
      'PreemptionPolicy',
      'Whether its pods drive out others',
      ({ preemptionPolicy }) => preemptionPolicy ?? '',
    ),
  ],
});

function validatePriority(name: string, value: number): FieldError[] {
  if (name.startsWith(systemPrefix)) {
    return systemPriorities[name] === value
      ? []
      : [
          forbiddenField(
            'metadata.name',
            `priority class names with '${systemPrefix}' prefix are reserved for system use only. error: ${
              systemPriorities[name] === undefined
                ? `${name} is not a known system priority class`
                : `value of ${name} PriorityClass must be ${systemPriorities[name]}`
            }`,
          ),
        ];
  }
  return value > greatestPriority
    ? [forbiddenField('value', `maximum allowed value of a user defined priority is ${greatestPriority}`)]
    : [];
}

interface VolumeAttributesClass extends KubeObject {
  driverName: string;
  parameters?: { [key: string]: string };
}

export const volumeAttributesClasses = describedResource({
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'VolumeAttributesClass',
  plural: 'volumeattributesclasses',
  shortNames: ['vac'],
  namespaced: false,
  struct: 'storage.v1.VolumeAttributesClass',
  storageVersionHash: 'tIjydgKBC5w=',
  returnsDeletedObject: true,
  refusals({ driverName, parameters = {} }: VolumeAttributesClass, old) {
    const errors: FieldError[] = [];
    if (Object.keys(parameters).length === 0) {
      errors.push(required('parameters', 'must contain at least one key/value pair'));
    }
    if (old !== undefined) {
      const before = old as VolumeAttributesClass;
      if (driverName !== before.driverName) {
        errors.push(forbiddenField('driverName', 'updates to driverName are forbidden.'));
      }
      if (!jsonEqual(parameters, before.parameters)) {
        errors.push(forbiddenField('parameters', 'updates to parameters are forbidden.'));
      }
    }
    return errors;
  },
  shown: [
    text<VolumeAttributesClass>('DriverName', 'Whose volumes it is for', ({ driverName }) => driverName),
    age,
  ],
});

interface StorageCapacity extends KubeObject {
  storageClassName: string;
  capacity?: string;
  maximumVolumeSize?: string;
}

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
  judgedHere: ['storage.v1.CSIStorageCapacity'],
  refusals: ({ storageClassName, capacity, maximumVolumeSize }: StorageCapacity) => [
    ...dnsSubdomain(storageClassName, false).map((problem) =>
      invalid('storageClassName', storageClassName, problem),
    ),
    ...Object.entries({ capacity, maximumVolumeSize }).flatMap(([field, amount]) =>
      amount !== undefined && compareQuantities(amount, '0') < 0
        ? [invalid(field, amount, 'must be greater than or equal to 0')]
        : [],
    ),
  ],
  shown: [createdAt],
});
