import {
  type FieldError,
  forbiddenField,
  invalid,
  notSupported,
  required,
  tooLong,
} from '../../meta/field-error.ts';
import type { JsonObject } from '../../meta/json.ts';
import type { KubeObject } from '../../meta/kube-object.ts';
import { dnsLabel, validateDomainPrefixedPath } from '../../meta/names.ts';
import { describedResource } from './described-resource.ts';
import { validateReference } from './ingresses.ts';
import { age, text } from './shown.ts';

interface Parameters extends JsonObject {
  apiGroup?: string;
  kind: string;
  name: string;
  scope?: string;
  namespace?: string;
}

interface IngressClass extends KubeObject {
  spec: {
    controller?: string;
    parameters?: Parameters;
  };
}

const longestController = 250;
const scopes = ['Cluster', 'Namespace'];

/** networking.k8s.io/v1 */
export const ingressClasses = describedResource({
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'IngressClass',
  plural: 'ingressclasses',
  namespaced: false,
  struct: 'networking.v1.IngressClass',
  storageVersionHash: 'l/iqIbDgFyQ=',
  hasGeneration: true,
  applyDefaults({ spec: { parameters } }: IngressClass) {
    if (parameters !== undefined) {
      parameters.scope ??= 'Cluster';
    }
  },
  immutable: ['spec.controller'],
  refusals: ({ spec: { controller = '', parameters } }: IngressClass) => [
    ...(Buffer.byteLength(controller) > longestController
      ? [tooLong('spec.controller', longestController)]
      : []),
    ...validateDomainPrefixedPath(controller, 'spec.controller'),
    ...(parameters === undefined ? [] : validateParameters(parameters)),
  ],
  shown: [
    text<IngressClass>('Controller', 'Who serves its ingresses', ({ spec }) => spec.controller ?? ''),
    text<IngressClass>('Parameters', 'What it is told', ({ spec: { parameters } }) =>
      parameters === undefined
        ? '<none>'
        : `${parameters.kind}${parameters.apiGroup === undefined ? '' : `.${parameters.apiGroup}`}/${parameters.name}`,
    ),
    age,
  ],
});

function validateParameters(parameters: Parameters): FieldError[] {
  const { scope = '', namespace } = parameters;
  const path = 'spec.parameters';
  return [
    ...validateReference(parameters, path),
    ...(scopes.includes(scope) ? [] : [notSupported(`${path}.scope`, scope, scopes)]),
    ...(scope === 'Namespace' && namespace === undefined
      ? [required(`${path}.namespace`, "`parameters.scope` is set to 'Namespace'")]
      : []),
    ...(scope === 'Namespace' && namespace !== undefined
      ? dnsLabel(namespace, false).map((problem) => invalid(`${path}.namespace`, namespace, problem))
      : []),
    ...(scope === 'Cluster' && namespace !== undefined
      ? [forbiddenField(`${path}.namespace`, "`parameters.scope` is set to 'Cluster'")]
      : []),
  ];
}
