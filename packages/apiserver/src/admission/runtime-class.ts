import { isObject, jsonEqual } from '../meta/json.ts';
import { forbidden, internalError } from '../meta/status-error.ts';
import { type RuntimeClass, runtimeClasses } from '../resources/described/classes.ts';
import { groupResource, keyspaceOf } from '../resources/resource-definition.ts';
import type { AdmissionPlugin } from './admission.ts';

/** Pods get the overhead of their runtime class, and go only to nodes that have it. */
export const runtimeClass: AdmissionPlugin = {
  name: 'RuntimeClass',
  mutate({ operation, definition, subresource, object, name, storage }) {
    const spec = object?.['spec'];
    if (operation !== 'CREATE' || subresource !== '' || !isObject(spec)) {
      return;
    }
    if (definition.group !== '' || definition.plural !== 'pods') {
      return;
    }
    const refuse = (problem: string): Error => forbidden(groupResource(definition), name, problem);
    const { runtimeClassName: given } = spec;
    if (given === '') {
      // The real server asks itself for the class of that name.
      throw internalError('resource name may not be empty');
    }
    if (typeof given !== 'string') {
      if (isObject(spec['overhead'])) {
        throw refuse('pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead');
      }
      return;
    }
    const found = storage.get(keyspaceOf(runtimeClasses), '', given)?.object as RuntimeClass | undefined;
    if (found === undefined) {
      throw refuse(`pod rejected: RuntimeClass "${given}" not found`);
    }
    const { overhead, scheduling } = found;
    const fixed = overhead?.podFixed;
    if (isObject(spec['overhead']) && !jsonEqual(spec['overhead'], fixed)) {
      throw refuse("pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
    }
    if (fixed !== undefined) {
      spec['overhead'] = { ...fixed };
    }
    const selected = isObject(spec['nodeSelector']) ? spec['nodeSelector'] : {};
    for (const [label, value] of Object.entries(scheduling?.nodeSelector ?? {})) {
      const before = selected[label];
      if (typeof before === 'string' && before !== value) {
        throw refuse(
          `conflict: runtimeClass.scheduling.nodeSelector.${label} = ${value}; pod.spec.nodeSelector.${label} = ${before}`,
        );
      }
      spec['nodeSelector'] = { ...selected, ...scheduling?.nodeSelector };
    }
    const tolerations = Array.isArray(spec['tolerations']) ? spec['tolerations'] : [];
    const added = (scheduling?.tolerations ?? []).filter(
      (toleration) => !tolerations.some((other) => jsonEqual(other, toleration)),
    );
    if (added.length > 0) {
      spec['tolerations'] = [...tolerations, ...added];
    }
  },
};
