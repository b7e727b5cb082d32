import { type FieldError, duplicate, forbiddenField, invalid } from '../meta/field-error.ts';
import { cloneJson, jsonEqual } from '../meta/json.ts';
import { goDiff } from './go-diff.ts';
import type { Pod } from './pod-object.ts';
import { type Container, validatePodSpec } from './pod-spec.ts';
import { qosClassOf } from './quality-of-service.ts';
import type { StatusStrategy } from './resource-definition.ts';

/* What of a pod changes after it was made, and through which subresource. */

/** Puts back all but the spec, which the caller makes. */
function keepOthers(pod: Pod, old: Pod, spec: Pod['spec']): void {
  pod.spec = spec;
  pod.status = old.status;
}

/** pods/ephemeralcontainers: containers for a look inside, which are added and never changed. */
export const ephemeralContainers: StatusStrategy = {
  prepareForUpdate(pod: Pod, old: Pod) {
    const { ephemeralContainers: given } = pod.spec;
    const spec = cloneJson(old.spec);
    keepOthers(pod, old, { ...spec, ...(given === undefined ? undefined : { ephemeralContainers: given }) });
  },
  validateUpdate(pod: Pod, old: Pod) {
    const field = 'spec.ephemeralContainers';
    const given = pod.spec.ephemeralContainers ?? [];
    const errors = validatePodSpec(pod.spec, 'spec');
    const names = new Set(
      [...(pod.spec.initContainers ?? []), ...(pod.spec.containers ?? [])].map(({ name }) => name),
    );
    for (const [index, { name }] of given.entries()) {
      if (names.has(name)) {
        errors.push(duplicate(`${field}[${index}].name`, name));
      }
      names.add(name);
    }
    for (const before of old.spec.ephemeralContainers ?? []) {
      const after = given.find(({ name }) => name === before.name);
      const head = `existing ephemeral containers "${before.name}" may not be`;
      if (after === undefined) {
        errors.push(forbiddenField(field, `${head} removed\n`));
      } else if (!jsonEqual(after, before)) {
        const diff = goDiff(before, after, 'core.v1.EphemeralContainer');
        errors.push(forbiddenField(field, `${head} changed\n${diff}`));
      }
    }
    return errors;
  },
};

/** pods/resize: what containers may use, by name. */
export const resize: StatusStrategy = {
  prepareForUpdate(pod: Pod, old: Pod) {
    const given = pod.spec.containers ?? [];
    const isSame = given.length === (old.spec.containers ?? []).length;
    const spec = cloneJson(old.spec);
    // Which containers there are is judged by what was sent.
    spec.containers = isSame
      ? (spec.containers ?? []).map((container, index) => resized(container, given[index]))
      : given;
    keepOthers(pod, old, spec);
  },
  validateUpdate(pod: Pod, old: Pod) {
    const errors = validatePodSpec(pod.spec, 'spec');
    const { qosClass } = old.status;
    if (qosClass !== undefined && qosClassOf(pod.spec) !== qosClass) {
      errors.push(invalid('spec', qosClass, 'Pod QOS Class may not change as a result of resizing'));
    }
    const before = old.spec.containers ?? [];
    const after = pod.spec.containers ?? [];
    if (before.length !== after.length) {
      return [
        ...errors,
        forbiddenField('spec.containers', 'containers may not be added or removed on resize'),
      ];
    }
    return [
      ...errors,
      ...after.flatMap((container, index) =>
        validateResized(container, before[index], `spec.containers[${index}]`),
      ),
    ];
  },
};

function resized(container: Container, given: Container | undefined): Container {
  if (given?.name !== container.name) {
    return given ?? container;
  }
  const { resources, resizePolicy } = given;
  return { ...container, resources, ...(resizePolicy === undefined ? undefined : { resizePolicy }) };
}

function validateResized(
  { name, resources }: Container,
  before: Container | undefined,
  path: string,
): FieldError[] {
  if (before?.name !== name) {
    return [forbiddenField(`${path}.name`, 'containers may not be renamed or reordered on resize')];
  }
  return (['limits', 'requests'] as const).flatMap((list) => {
    const lost = Object.keys(before.resources[list] ?? {}).some(
      (key) => resources[list]?.[key] === undefined,
    );
    return lost ? [forbiddenField(`${path}.resources.${list}`, `resource ${list} cannot be removed`)] : [];
  });
}
