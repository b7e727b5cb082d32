import { type FieldError, duplicate, invalid, required } from '../../meta/field-error.ts';
import { type JsonObject, withoutFields } from '../../meta/json.ts';
import type { KubeObject } from '../../meta/kube-object.ts';
import { dnsLabel } from '../../meta/names.ts';
import { validateLabels } from '../../meta/object-meta.ts';
import { goValue } from '../go-diff.ts';
import { validateContainerRequirements } from '../pod-validation/resources.ts';
import { validateTolerations } from '../pod-validation/tolerations.ts';
import { repeatedIn } from '../repeated-values.ts';
import { describedResource } from './described-resource.ts';
import { age, text } from './shown.ts';

export interface RuntimeClass extends KubeObject {
  overhead?: { podFixed?: { [resource: string]: string } };
  scheduling?: { nodeSelector?: { [label: string]: string }; tolerations?: JsonObject[] };
  handler: string;
}

/** node.k8s.io/v1 */
export const runtimeClasses = describedResource({
  group: 'node.k8s.io',
  version: 'v1',
  kind: 'RuntimeClass',
  plural: 'runtimeclasses',
  namespaced: false,
  struct: 'node.v1.RuntimeClass',
  takesAnyFinalizer: true,
  allowCreateOnUpdate: true,
  storageVersionHash: 'WQTu1GL3T2Q=',
  allowUnconditionalUpdate: false,
  immutable: ['handler'],
  refusals: ({ handler, overhead, scheduling }: RuntimeClass) => [
    ...(handler === ''
      ? [required('handler')]
      : dnsLabel(handler, false).map((problem) => invalid('handler', handler, problem))),
    ...(overhead === undefined
      ? []
      : validateContainerRequirements({ limits: overhead.podFixed }, new Set(), 'overhead')),
    ...(scheduling === undefined ? [] : validatePlacement(scheduling)),
  ],
  shown: [text<RuntimeClass>('Handler', 'What runs its pods', ({ handler }) => handler), age],
});

function validatePlacement({
  nodeSelector,
  tolerations = [],
}: NonNullable<RuntimeClass['scheduling']>): FieldError[] {
  const repeated = repeatedIn(
    tolerations.map((toleration) => JSON.stringify(withoutFields(toleration, ['tolerationSeconds']))),
  );
  return [
    ...validateLabels(nodeSelector, 'scheduling.nodeSelector'),
    ...validateTolerations(tolerations, 'scheduling.tolerations'),
    ...tolerations.flatMap((toleration, index) =>
      repeated.has(index)
        ? [duplicate(`scheduling.tolerations[${index}]`, goValue(toleration, 'core.v1.Toleration'))]
        : [],
    ),
  ];
}
