import { type FieldError, invalid } from '../meta/field-error.ts';
import { goPrint, goTypeOf } from '../meta/go-print.ts';
import { type Json, isObject } from '../meta/json.ts';
import type { KubeObject } from '../meta/kube-object.ts';
import type { ResourceDefinition } from '../resources/resource-definition.ts';
import type { CustomResourceScale } from './custom-resource-definition.ts';

const pathOf = (path: string): readonly string[] => path.replace(/^\./, '').split('.');

/** Returns where a version's objects have what its `scale` subresource shows. */
export function scalePaths(scale: CustomResourceScale): NonNullable<ResourceDefinition['scale']> {
  const { specReplicasPath, statusReplicasPath, labelSelectorPath } = scale;
  return {
    specReplicas: pathOf(specReplicasPath),
    statusReplicas: pathOf(statusReplicasPath),
    ...(labelSelectorPath === undefined ? undefined : { selector: pathOf(labelSelectorPath) }),
    isSpecRequired: true,
  };
}

const greatestReplicas = 2 ** 31 - 1;

/** Returns what is wrong with the number of replicas in an object's spec or status. */
export function replicaErrors(
  object: KubeObject,
  scale: CustomResourceScale | undefined,
  part: 'spec' | 'status',
): FieldError[] {
  if (scale === undefined) {
    return [];
  }
  const field = part === 'spec' ? scale.specReplicasPath : scale.statusReplicasPath;
  let value: Json | undefined = object;
  for (const step of pathOf(field)) {
    if (value === undefined || value === null) {
      return [];
    }
    if (!isObject(value)) {
      return [invalid(field, 0, accessorProblem(field, value, 'map[string]interface{}'))];
    }
    value = value[step];
  }
  if (value === undefined) {
    return [];
  }
  if (typeof value !== 'number' || !Number.isInteger(value)) {
    return [invalid(field, 0, accessorProblem(field, value, 'int64'))];
  }
  if (value < 0) {
    return [invalid(field, value, 'should be a non-negative integer')];
  }
  return value > greatestReplicas
    ? [invalid(field, value, `should be less than or equal to ${greatestReplicas}`)]
    : [];
}

function accessorProblem(field: string, value: Json, wanted: string): string {
  return `${field} accessor error: ${goPrint(value)} is of the type ${goTypeOf(value)}, expected ${wanted}`;
}
