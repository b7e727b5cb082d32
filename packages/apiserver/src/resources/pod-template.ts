import { type FieldError, forbiddenField } from '../meta/field-error.ts';
import type { JsonObject } from '../meta/json.ts';
import type { ObjectMeta } from '../meta/kube-object.ts';
import { validateAnnotations, validateLabels } from '../meta/object-meta.ts';
import type { PodSpec } from './pod-spec.ts';
import { validateConfinedAlike, validatePodAnnotations } from './pod-validation/annotations.ts';
import { validatePodSpec } from './pod-validation/pod-spec.ts';

/** The template from which a controller makes pods. */
export interface PodTemplate extends JsonObject {
  metadata: ObjectMeta;
  spec: PodSpec;
}

/**
 * Validates a template, as ValidatePodTemplateSpec does. Errors name labels and annotations as fields of the
 * template itself.
 *
 * @param path of the template
 */
export function validatePodTemplate({ metadata, spec }: PodTemplate, path: string): FieldError[] {
  const { labels, annotations } = metadata;
  return [
    ...validateLabels(labels, `${path}.labels`),
    ...validateAnnotations(annotations, `${path}.annotations`),
    ...validatePodAnnotations(annotations, spec, `${path}.annotations`),
    ...validatePodSpec(spec, `${path}.spec`, { isPod: false }),
    ...validateConfinedAlike(annotations, spec, `${path}.spec`),
    ...((spec.ephemeralContainers ?? []).length > 0
      ? [
          forbiddenField(
            `${path}.spec.ephemeralContainers`,
            'ephemeral containers not allowed in pod template',
          ),
        ]
      : []),
  ];
}
