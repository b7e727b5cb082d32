import { type FieldError, forbiddenField, notSupported, required } from '../../meta/field-error.ts';
import type { KubeObject } from '../../meta/kube-object.ts';
import { describedResource } from './described-resource.ts';
import { age, text, typed } from './shown.ts';

export interface PriorityClass extends KubeObject {
  value: number;
  globalDefault?: boolean;
  preemptionPolicy?: string;
}

const greatestPriority = 1_000_000_000;
const systemPrefix = 'system-';
/** The classes that every cluster has. */
export const systemPriorities: Readonly<Record<string, number>> = {
  'system-cluster-critical': 2_000_000_000,
  'system-node-critical': 2_000_001_000,
};
const preemptionPolicies = ['PreemptLowerPriority', 'Never'];

/** scheduling.k8s.io/v1 */
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
    const errors = validatePriority(metadata.name ?? '', priorityClass);
    if (preemptionPolicy === '') {
      errors.push(required('preemptionPolicy'));
    } else if (preemptionPolicy !== undefined && !preemptionPolicies.includes(preemptionPolicy)) {
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

function validatePriority(name: string, { value, globalDefault = false }: PriorityClass): FieldError[] {
  if (!name.startsWith(systemPrefix)) {
    return value > greatestPriority
      ? [forbiddenField('value', `maximum allowed value of a user defined priority is ${greatestPriority}`)]
      : [];
  }
  const wanted = systemPriorities[name];
  const problem =
    wanted === undefined
      ? `${name} is not a known system priority class`
      : wanted !== value
        ? `value of ${name} PriorityClass must be ${wanted}`
        : globalDefault
          ? `globalDefault of ${name} PriorityClass must be false`
          : undefined;
  return problem === undefined
    ? []
    : [
        forbiddenField(
          'metadata.name',
          `priority class names with '${systemPrefix}' prefix are reserved for system use only. error: ${problem}`,
        ),
      ];
}
