import { type FieldError, forbiddenField } from '../../meta/field-error.ts';
import type { Pod } from '../pod-object.ts';
import { mirror, validateConfinedAlike, validatePodAnnotations } from './annotations.ts';
import { validatePaddedImage } from './containers.ts';
import { validatePodSpec } from './pod-spec.ts';

/*
 * Validates a whole pod, as validatePodMetadataAndSpec and ValidatePodCreate in pkg/apis/core/validation do.
 */

export function validatePod({ metadata, spec }: Pod): FieldError[] {
  const { name, annotations } = metadata;
  return [
    ...validatePodAnnotations(annotations, spec, 'metadata.annotations'),
    ...validatePodSpec(spec, 'spec', {
      isPod: true,
      podName: name,
      isMirror: annotations?.[mirror] !== undefined,
    }),
    ...((spec.serviceAccountName ?? '') === '' ? validateTokenless(spec.volumes ?? []) : []),
    ...(['containers', 'initContainers'] as const).flatMap((list) =>
      (spec[list] ?? []).flatMap((container, index) =>
        validatePaddedImage(container, `spec.${list}[${index}]`),
      ),
    ),
  ];
}

/** A token volume needs a service account. */
function validateTokenless(volumes: NonNullable<Pod['spec']['volumes']>): FieldError[] {
  return volumes.flatMap(({ projected }, index) =>
    (projected?.sources ?? []).flatMap(({ serviceAccountToken: token }, position) =>
      token === undefined
        ? []
        : [
            forbiddenField(
              `spec.volumes[${index}].projected.sources[${position}].serviceAccountToken`,
              'must not be specified when serviceAccountName is not set',
            ),
          ],
    ),
  );
}

export function validateNewPod(pod: Pod): FieldError[] {
  const { metadata, spec } = pod;
  return [
    ...validatePod(pod),
    ...((spec.ephemeralContainers ?? []).length === 0
      ? []
      : [forbiddenField('spec.ephemeralContainers', 'cannot be set on create')]),
    ...((spec.nodeName ?? '') !== '' && (spec.schedulingGates ?? []).length > 0
      ? [forbiddenField('spec.nodeName', 'cannot be set until all schedulingGates have been cleared')]
      : []),
    ...validateConfinedAlike(metadata.annotations, spec, 'spec'),
  ];
}
