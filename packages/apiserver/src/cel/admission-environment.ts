import type { Environment } from '@marcbachmann/cel-js';
import type { SchemaNode } from '../structural/schema-node.ts';
import { newEnvironment } from './environment.ts';
import { type TypedSchema, declareType } from './typed-value.ts';

/*
 * The variables of expressions about an admission request, with the types that
 * k8s.io/apiserver/pkg/admission/plugin/cel/compile.go gives them.
 */

const text: SchemaNode = { type: 'string' };
const any: SchemaNode = { 'x-kubernetes-int-or-string': true };
const list: SchemaNode = { type: 'array', items: text };
const texts: SchemaNode = { type: 'object', additionalProperties: text };
const object = (properties: Record<string, SchemaNode>): SchemaNode => ({ type: 'object', properties });
const kind = object({ group: text, version: text, kind: text });
const resource = object({ group: text, version: text, resource: text });
const requestSchema = object({
  kind,
  resource,
  subResource: text,
  requestKind: kind,
  requestResource: resource,
  requestSubResource: text,
  name: text,
  namespace: text,
  operation: text,
  userInfo: object({
    username: text,
    uid: text,
    groups: list,
    extra: { type: 'object', additionalProperties: list },
  }),
  dryRun: { type: 'boolean' },
  options: any,
});

const time: SchemaNode = { type: 'string', format: 'date-time' };
const integer: SchemaNode = { type: 'integer' };
const namespaceSchema = object({
  metadata: object({
    name: text,
    generateName: text,
    namespace: text,
    labels: texts,
    annotations: texts,
    UID: text,
    creationTimestamp: time,
    deletionGracePeriodSeconds: integer,
    deletionTimestamp: time,
    generation: integer,
    resourceVersion: text,
    finalizers: list,
  }),
  spec: object({ finalizers: list }),
  status: object({
    conditions: {
      type: 'array',
      items: object({ status: text, type: text, lastTransitionTime: time, message: text, reason: text }),
    },
    phase: text,
  }),
});

export interface AdmissionEnvironment {
  /** The environment in which expressions are checked. */
  readonly checked: Environment;
  /**
   * The environment in which expressions are evaluated. Here the namespace is plain JSON, as on the real
   * server: it may be null, and its times are strings, which functions on times do not accept.
   */
  readonly evaluated: Environment;
  readonly request: TypedSchema;
}

const environments = new Map<boolean, AdmissionEnvironment>();

/**
 * The environment with or without `params`. It is made once, because making it takes longer than evaluating
 * most expressions.
 */
export function admissionEnvironment(hasParams: boolean): AdmissionEnvironment {
  let found = environments.get(hasParams);
  if (found === undefined) {
    environments.set(hasParams, (found = newAdmissionEnvironment(hasParams)));
  }
  return found;
}

function newAdmissionEnvironment(hasParams: boolean): AdmissionEnvironment {
  const shared = newEnvironment();
  const declare = (schema: SchemaNode, typeName: string): TypedSchema => {
    const type = declareType(shared, schema, false, { typeName, areFieldsEscaped: false });
    if (type === undefined) {
      throw new Error(`The schema of ${typeName} has no type: give it one that declareType knows`);
    }
    return type;
  };
  const request = declare(requestSchema, 'AdmissionRequest');
  const namespaceObject = declare(namespaceSchema, 'Namespace');
  shared
    .registerVariable('object', 'dyn')
    .registerVariable('oldObject', 'dyn')
    .registerVariable('request', request.name);
  if (hasParams) {
    shared.registerVariable('params', 'dyn');
  }
  return {
    checked: shared.clone().registerVariable('namespaceObject', namespaceObject.name),
    // An expression that passed the check may still mix values of the namespace, which are `dyn` here, with
    // values of other types in one list.
    evaluated: shared
      .clone({ homogeneousAggregateLiterals: false })
      .registerVariable('namespaceObject', 'dyn'),
    request,
  };
}
