import { type JsonObject, isObject } from '../meta/json.ts';
import type { KubeObject } from '../meta/kube-object.ts';
import { forbidden } from '../meta/status-error.ts';
import { type PriorityClass, priorityClasses } from '../resources/described/priority-classes.ts';
import { groupResource, keyspaceOf } from '../resources/resource-definition.ts';
import type { Storage } from '../storage/storage.ts';
import type { AdmissionPlugin, AdmissionRequest } from './admission.ts';

/**
 * Sets the priority of a new pod from the class that it names, or else from the default class. Updates keep
 * the priority.
 */
export const priority: AdmissionPlugin = {
  name: 'Priority',
  mutate(request) {
    const { operation, definition, subresource, object, oldObject } = request;
    if (subresource !== '' || object === undefined) {
      return;
    }
    if (definition.group !== '' || definition.plural !== 'pods') {
      return;
    }
    const spec = object['spec'];
    if (!isObject(spec)) {
      return;
    }
    if (operation === 'CREATE') {
      prioritize(spec, request);
    } else if (operation === 'UPDATE' && isObject(oldObject?.['spec'])) {
      const { priority: before, preemptionPolicy } = oldObject['spec'];
      if (before !== undefined) {
        spec['priority'] ??= before;
      }
      if (preemptionPolicy !== undefined) {
        spec['preemptionPolicy'] ??= preemptionPolicy;
      }
    }
  },
};

function prioritize(spec: JsonObject, { definition, name, storage }: AdmissionRequest): void {
  const refuse = (problem: string): Error => forbidden(groupResource(definition), name, problem);
  const given = typeof spec['priorityClassName'] === 'string' ? spec['priorityClassName'] : '';
  const found = given === '' ? defaultClass(storage) : classNamed(storage, given);
  if (given !== '' && found === undefined) {
    throw refuse(`no PriorityClass with name ${given} was found`);
  }
  if (found !== undefined) {
    spec['priorityClassName'] = found.metadata.name ?? '';
  }
  const { value = 0, preemptionPolicy = 'PreemptLowerPriority' } = found ?? {};
  const computed = 'priority admission controller computed';
  const { priority: number, preemptionPolicy: policy } = spec;
  if (typeof number === 'number' && number !== value) {
    throw refuse(
      `the integer value of priority (${number}) must not be provided in pod spec; ${computed} ${value} from the given PriorityClass name`,
    );
  }
  if (typeof policy === 'string' && policy !== preemptionPolicy) {
    throw refuse(
      `the string value of PreemptionPolicy (${policy}) must not be provided in pod spec; ${computed} ${preemptionPolicy} from the given PriorityClass name`,
    );
  }
  spec['priority'] = value;
  spec['preemptionPolicy'] = preemptionPolicy;
}

function classNamed(storage: Storage, name: string): PriorityClass | undefined {
  return storage.get(keyspaceOf(priorityClasses), '', name)?.object as PriorityClass | undefined;
}

/** Of several default classes, the one with the lowest value. */
function defaultClass(storage: Storage): PriorityClass | undefined {
  return storage
    .list(keyspaceOf(priorityClasses))
    .map(({ object }): KubeObject => object)
    .filter((object): object is PriorityClass => object['globalDefault'] === true)
    .toSorted((a, b) => a.value - b.value)[0];
}
