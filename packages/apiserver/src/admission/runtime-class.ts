import { type JsonObject, isObject, jsonEqual } from '../meta/json.ts';
import { forbidden, internalError } from '../meta/status-error.ts';
import { type RuntimeClass, runtimeClasses } from '../resources/described/runtime-classes.ts';
import { groupResource, keyspaceOf } from '../resources/resource-definition.ts';
import { isGivenEmpty } from '../schema/decode.ts';
import type { Storage } from '../storage/storage.ts';
import type { AdmissionPlugin, AdmissionRequest } from './admission.ts';

/** Gives pods the overhead of their RuntimeClass, and restricts them to nodes that support it. */
export const runtimeClass: AdmissionPlugin = {
  name: 'RuntimeClass',
  mutate(request) {
    const spec = specOfNewPod(request);
    if (spec === undefined) {
      return;
    }
    const { definition, name, storage } = request;
    const refuse = (problem: string): Error => forbidden(groupResource(definition), name, problem);
    const { runtimeClassName: given } = spec;
    if (given === '') {
      // The real server sends a GET request for the class to itself, which fails with this error for an empty
      // name.
      throw internalError('resource name may not be empty');
    }
    if (typeof given !== 'string') {
      return;
    }
    const found = classNamed(given, storage);
    if (found === undefined) {
      throw refuse(`pod rejected: RuntimeClass "${given}" not found`);
    }
    const { overhead, scheduling } = found;
    const fixed = overhead?.podFixed;
    if (fixed !== undefined) {
      if (isObject(spec['overhead']) && !jsonEqual(spec['overhead'], fixed)) {
        throw refuse("pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
      }
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
  validate(request) {
    const spec = specOfNewPod(request);
    if (spec === undefined || !(isObject(spec['overhead']) || isGivenEmpty(spec, 'overhead'))) {
      return;
    }
    const { definition, name, storage } = request;
    const { runtimeClassName: given } = spec;
    const found = typeof given === 'string' ? classNamed(given, storage) : undefined;
    if (found?.overhead?.podFixed === undefined) {
      const problem = 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead';
      throw forbidden(groupResource(definition), name, problem);
    }
  },
};

function specOfNewPod({
  operation,
  definition,
  subresource,
  object,
}: AdmissionRequest): JsonObject | undefined {
  const spec = object?.['spec'];
  const isOfPods = definition.group === '' && definition.plural === 'pods' && subresource === '';
  return operation === 'CREATE' && isOfPods && isObject(spec) ? spec : undefined;
}

function classNamed(name: string, storage: Storage): RuntimeClass | undefined {
  return storage.get(keyspaceOf(runtimeClasses), '', name)?.object as RuntimeClass | undefined;
}
