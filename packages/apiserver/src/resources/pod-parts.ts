import { type FieldError, forbiddenField } from '../meta/field-error.ts';
import { cloneJson, jsonEqual, withoutFields } from '../meta/json.ts';
import { dropGatedFields } from './gated-fields.ts';
import { goDiff } from './go-diff.ts';
import type { Pod } from './pod-object.ts';
import { withResizedContainers } from './pod-resize.ts';
import type { PodSpec } from './pod-spec.ts';
import { mirror, validateAnnotationsKept } from './pod-validation/annotations.ts';
import { validatePodResize } from './pod-validation/pod-resize.ts';
import { validatePod } from './pod-validation/pod.ts';
import type { StatusStrategy } from './resource-definition.ts';

/* The parts of a pod that change after its creation, each through a subresource. */

/** Restores everything except the spec, which the caller provides. */
function keepOthers(pod: Pod, old: Pod, spec: Pod['spec']): void {
  pod.spec = spec;
  pod.status = old.status;
  dropGatedFields(pod, 'core.v1.Pod');
}

/** pods/ephemeralcontainers: containers for debugging, which can be added but never changed. */
export const ephemeralContainers: StatusStrategy = {
  prepareForUpdate(pod: Pod, old: Pod) {
    const { ephemeralContainers: given } = pod.spec;
    const spec = withoutFields(cloneJson(old.spec), ['ephemeralContainers']) as PodSpec;
    keepOthers(pod, old, { ...spec, ...(given === undefined ? undefined : { ephemeralContainers: given }) });
  },
  validateUpdate(pod: Pod, old: Pod) {
    const field = 'spec.ephemeralContainers';
    const before = old.metadata.annotations;
    if (before?.[mirror] !== undefined) {
      return [forbiddenField('[]', 'static pods do not support ephemeral containers')];
    }
    const given = pod.spec.ephemeralContainers ?? [];
    const errors: FieldError[] = [
      ...validatePod(pod),
      ...validateAnnotationsKept(pod.metadata.annotations, before, 'metadata.annotations'),
    ];
    for (const container of old.spec.ephemeralContainers ?? []) {
      const after = given.findLast(({ name }) => name === container.name);
      const head = `existing ephemeral containers "${container.name}" may not be`;
      if (after === undefined) {
        errors.push(forbiddenField(field, `${head} removed\n`));
      } else if (!jsonEqual(after, container)) {
        const diff = goDiff(container, after, 'core.v1.EphemeralContainer');
        errors.push(forbiddenField(field, `${head} changed\n${diff}`));
      }
    }
    return errors;
  },
};

/** pods/resize: the requests and limits of containers, and of the pod as a whole. */
export const resize: StatusStrategy = {
  prepareForUpdate(pod: Pod, old: Pod) {
    keepOthers(pod, old, withResizedContainers(pod.spec, cloneJson(old.spec)));
  },
  validateUpdate: validatePodResize,
};
