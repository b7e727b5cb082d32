import { append } from '../../meta/append.ts';
import { type FieldError, forbiddenField, invalid, required } from '../../meta/field-error.ts';
import { type Json, jsonEqual, withoutFields } from '../../meta/json.ts';
import { goDiff } from '../go-diff.ts';
import type { Pod } from '../pod-object.ts';
import type { Container, PodSpec } from '../pod-spec.ts';
import { validateAnnotationsKept, validatePodAnnotations } from './annotations.ts';
import { validateMoreNodes } from './gated-placement.ts';
import { validatePod } from './pod.ts';
import { validateTolerations } from './tolerations.ts';

/* Validates updates of a pod (ValidatePodUpdate in pkg/apis/core/validation). */

const mutableFields =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';
const longestDeadline = 2 ** 31 - 1;

export function validatePodUpdate(pod: Pod, old: Pod): FieldError[] {
  const { metadata, spec } = pod;
  const { spec: before } = old;
  const errors = [
    ...validatePod(pod),
    ...validateAnnotationsKept(metadata.annotations, old.metadata.annotations, 'metadata.annotations'),
    ...validatePodAnnotations(metadata.annotations, spec, 'metadata.annotations'),
  ];
  for (const list of ['containers', 'initContainers'] as const) {
    if ((spec[list] ?? []).length !== (before[list] ?? []).length) {
      errors.push(forbiddenField(`spec.${list}`, 'pod updates may not add or remove containers'));
      return errors;
    }
    append(
      errors,
      (spec[list] ?? []).flatMap((each, index) => validateImage(each, `spec.${list}[${index}]`)),
    );
  }
  const ofDeadline = validateDeadline(spec.activeDeadlineSeconds, before.activeDeadlineSeconds);
  append(errors, ofDeadline);
  if (ofDeadline.length > 0 && spec.activeDeadlineSeconds !== undefined) {
    return errors;
  }
  append(errors, [...validateTolerationsKept(spec, before), ...validateGatesKept(spec, before)]);
  if (jsonEqual(spec, before)) {
    return errors;
  }
  const isGated = (before.schedulingGates ?? []).length > 0;
  if (isGated) {
    append(errors, validateMoreNodes(spec, before));
  }
  const fixed = withoutMutable(spec, before, isGated);
  if (!jsonEqual(fixed, before)) {
    errors.push(forbiddenField('spec', `${mutableFields}\n${goDiff(before, fixed, 'core.v1.PodSpec')}`));
  }
  return errors;
}

function validateImage({ image = '' }: Container, path: string): FieldError[] {
  return [
    ...(image === '' ? [required(`${path}.image`)] : []),
    ...(image === image.trim()
      ? []
      : [invalid(`${path}.image`, image, 'must not have leading or trailing whitespace')]),
  ];
}

function validateDeadline(seconds: number | undefined, before: number | undefined): FieldError[] {
  const at = 'spec.activeDeadlineSeconds';
  if (seconds === undefined) {
    return before === undefined
      ? []
      : [invalid(at, null, 'must not update from a positive integer to nil value')];
  }
  if (seconds < 0 || seconds > longestDeadline) {
    return [invalid(at, seconds, `must be between 0 and ${longestDeadline}, inclusive`)];
  }
  return before !== undefined && before < seconds
    ? [invalid(at, seconds, 'must be less than or equal to previous value')]
    : [];
}

function validateTolerationsKept(
  { tolerations = [] }: PodSpec,
  { tolerations: before = [] }: PodSpec,
): FieldError[] {
  const kept = (toleration: (typeof before)[number]): boolean =>
    tolerations.some((other) =>
      jsonEqual(
        withoutFields(toleration, ['tolerationSeconds']),
        withoutFields(other, ['tolerationSeconds']),
      ),
    );
  return before.every(kept)
    ? validateTolerations(tolerations, 'spec.tolerations')
    : [
        forbiddenField(
          'spec.tolerations',
          'existing toleration can not be modified except its tolerationSeconds',
        ),
      ];
}

function validateGatesKept(
  { schedulingGates = [] }: PodSpec,
  { schedulingGates: before = [] }: PodSpec,
): FieldError[] {
  const known = new Set(before.map(({ name }) => name));
  const added = new Map(schedulingGates.map(({ name }, index) => [name, index]));
  return [...added].flatMap(([name, index]) =>
    known.has(name)
      ? []
      : [
          forbiddenField(
            `spec.schedulingGates[${index}].name`,
            `only deletion is allowed, but found new scheduling gate '${name}'`,
          ),
        ],
  );
}

/** The new spec with the old values of all fields that may change, or that are validated above. */
function withoutMutable(next: PodSpec, old: PodSpec, isGated: boolean): PodSpec {
  const fixed: PodSpec = { ...next };
  const restore = (field: string): void => {
    if (old[field] === undefined) {
      Reflect.deleteProperty(fixed, field);
    } else {
      fixed[field] = old[field];
    }
  };
  for (const list of ['containers', 'initContainers'] as const) {
    const containers = fixed[list];
    if (containers !== undefined && containers !== null) {
      fixed[list] = containers.map((container, index) => withImage(container, old[list]?.[index]?.image));
    }
  }
  for (const field of ['activeDeadlineSeconds', 'schedulingGates', 'tolerations']) {
    restore(field);
  }
  if ((old.terminationGracePeriodSeconds ?? 0) < 0 && fixed.terminationGracePeriodSeconds === 1) {
    restore('terminationGracePeriodSeconds');
  }
  if (isGated) {
    restore('nodeSelector');
    restoreNodeAffinity(fixed, old);
  }
  return fixed;
}

function withImage(container: Container, image: string | undefined): Container {
  return image === undefined ? container : { ...container, image };
}

function restoreNodeAffinity(fixed: PodSpec, old: PodSpec): void {
  const before: Json | undefined = old.affinity?.nodeAffinity;
  if (jsonEqual(before, fixed.affinity?.nodeAffinity)) {
    return;
  }
  const { podAffinity, podAntiAffinity } = fixed.affinity ?? {};
  if (old.affinity === undefined && podAffinity === undefined && podAntiAffinity === undefined) {
    delete fixed.affinity;
  } else {
    const others = withoutFields(fixed.affinity ?? {}, ['nodeAffinity']);
    fixed.affinity = before === undefined ? others : { ...others, nodeAffinity: before };
  }
}
