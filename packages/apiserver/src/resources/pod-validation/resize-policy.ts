import { type FieldError, duplicate, invalid, notSupported, required } from '../../meta/field-error.ts';
import type { JsonObject } from '../../meta/json.ts';

/* Validates whether a container restarts when its resources change. */

export interface ResizePolicy extends JsonObject {
  resourceName: string;
  restartPolicy: string;
}

const resources = ['cpu', 'memory'];
const policies = ['NotRequired', 'RestartContainer'];

/** @param podPolicy the restart policy of the pod */
export function validateResizePolicies(
  given: readonly ResizePolicy[],
  podPolicy: string,
  path: string,
): FieldError[] {
  const names = new Set<string>();
  const oneOf = (value: string, values: readonly string[]): FieldError[] => {
    if (values.includes(value)) {
      return [];
    }
    return [value === '' ? required(path) : notSupported(path, value, values)];
  };
  return given.flatMap(({ resourceName, restartPolicy }, index) => {
    const isKnown = names.has(resourceName);
    names.add(resourceName);
    return [
      ...(isKnown ? [duplicate(`${path}[${index}]`, resourceName)] : []),
      ...oneOf(resourceName, resources),
      ...oneOf(restartPolicy, policies),
      ...(podPolicy === 'Never' && restartPolicy !== 'NotRequired'
        ? [invalid(path, restartPolicy, "must be 'NotRequired' when pod `restartPolicy` is 'Never'")]
        : []),
    ];
  });
}

/** For init containers that run to completion, which must not require a restart. */
export function validateOnceOnlyResize(given: readonly ResizePolicy[], path: string): FieldError[] {
  return given.flatMap(({ restartPolicy }, index) =>
    restartPolicy === 'RestartContainer'
      ? [
          invalid(
            `${path}[${index}].restartPolicy`,
            restartPolicy,
            "must not be set to 'RestartContainer' for non-sidecar initContainers",
          ),
        ]
      : [],
  );
}
