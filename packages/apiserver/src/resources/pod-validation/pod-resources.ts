import { type FieldError, forbiddenField, invalid, notSupported } from '../../meta/field-error.ts';
import { isGivenEmpty } from '../../schema/decode.ts';
import { compareQuantities } from '../../schema/quantity.ts';
import { amountsOfContainers, isPodLevelResource } from '../pod-amounts.ts';
import type { PodSpec } from '../pod-spec.ts';
import { isHugePages, validateResourceName } from './resource-names.ts';
import { validateRequirements } from './resources.ts';

/* Validates pod-level resources, which must not be less than those of the containers together. */

export function validatePodResources(
  spec: PodSpec,
  claimNames: ReadonlySet<string>,
  path: string,
): FieldError[] {
  const { resources, os } = spec;
  if (resources === undefined) {
    return [];
  }
  if (os?.name === 'windows') {
    return [forbiddenField(path, 'may not be set for a windows pod')];
  }
  return [
    ...(resources.claims !== undefined || isGivenEmpty(resources, 'claims')
      ? [forbiddenField(`${path}.claims`, 'claims may not be set for Resources at pod-level')]
      : []),
    ...validateRequirements(resources, claimNames, path, validatePodResource),
    ...validateEnough(spec, path),
  ];
}

function validatePodResource(name: string, at: string): FieldError[] {
  const errors = validateResourceName(name, at);
  return errors.length > 0 || isPodLevelResource(name)
    ? errors
    : [notSupported(at, name, ['cpu', 'hugepages-', 'memory'])];
}

function validateEnough(spec: PodSpec, path: string): FieldError[] {
  const { requests = {}, limits = {} } = spec.resources ?? {};
  const isMore = (amount: string, all: string | undefined): boolean =>
    all !== undefined && compareQuantities(amount, all) > 0;
  return [
    ...Object.entries(amountsOfContainers(spec, 'requests')).flatMap(([name, sum]) =>
      isMore(sum, requests[name])
        ? [
            invalid(
              `${path}.requests[${name}]`,
              requests[name],
              `must be greater than or equal to aggregate container requests of ${sum}`,
            ),
          ]
        : [],
    ),
    ...Object.entries(amountsOfContainers(spec, 'limits')).flatMap(([name, sum]) =>
      isHugePages(name) && isMore(sum, limits[name])
        ? [
            invalid(
              `${path}.limits[${name}]`,
              limits[name],
              `must be greater than or equal to aggregate container limits of ${sum}`,
            ),
          ]
        : [],
    ),
    ...(spec.containers ?? []).flatMap(({ resources }, index) =>
      Object.entries(resources.limits ?? {}).flatMap(([name, limit]) =>
        isMore(limit, limits[name])
          ? [
              invalid(
                `${path}.containers[${index}][${name}].limits`,
                limit,
                `must be less than or equal to pod limits of ${limits[name] ?? ''}`,
              ),
            ]
          : [],
      ),
    ),
  ];
}
