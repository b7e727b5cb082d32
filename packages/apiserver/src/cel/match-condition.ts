import type { Json } from '../meta/json.ts';
import { remembering } from '../schema/remembering.ts';
import type { SchemaNode } from '../structural/schema-node.ts';
import { newEnvironment } from './environment.ts';
import { type Expression, compile } from './expression.ts';
import { CelFailure } from './function-table.ts';
import { type Budget, type TypedSchema, declareType, untypedValue } from './typed-value.ts';

/*
 * Expressions about a request for admission, as k8s.io/apiserver/pkg/admission/plugin/cel compiles them: `object` and `oldObject` of any
 * type, and `request`, whose fields are known. `authorizer` is not there.
 */

/** What a request is, without its objects. */
export interface RequestVariables {
  readonly request: Json;
  readonly object: Json;
  readonly oldObject: Json;
}

export interface RequestExpression {
  /** Throws a CelFailure with a text in cel-go's words. */
  evaluate(variables: RequestVariables): unknown;
}

const text: SchemaNode = { type: 'string' };
const any: SchemaNode = { 'x-kubernetes-int-or-string': true };
const list: SchemaNode = { type: 'array', items: text };
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

/** What evaluations for one request can cost, as for all conditions of a webhook on the real server. */
const budgetOfConditions = 2_500_000;

const compiled = remembering((expression: string): RequestExpression | CelFailure => {
  const environment = newEnvironment();
  const type = declareType(environment, requestSchema, false);
  if (type === undefined) {
    throw new Error('The schema of a request has no type');
  }
  environment.registerVariable('object', 'dyn').registerVariable('oldObject', 'dyn');
  environment.registerVariable('request', type.name);
  try {
    const program = compile(environment, expression, {
      type: 'bool',
      otherwise: (found) => `must evaluate to bool but got ${found}`,
    });
    return { evaluate: (variables) => evaluate(program, type, variables) };
  } catch (error) {
    if (error instanceof CelFailure) {
      return error;
    }
    throw error;
  }
});

/** Throws a CelFailure where the expression is wrong. */
export function requestExpression(expression: string): RequestExpression {
  const result = compiled(expression);
  if (result === undefined || result instanceof CelFailure) {
    throw result ?? new CelFailure(`Not compiled: ${expression}`);
  }
  return result;
}

function evaluate(program: Expression, type: TypedSchema, variables: RequestVariables): unknown {
  let left = budgetOfConditions;
  const budget: Budget = {
    spend() {
      if (--left < 0) {
        throw new CelFailure('operation cancelled: actual cost limit exceeded');
      }
    },
  };
  return program.evaluate({
    request: type.toValue(variables.request, budget),
    object: untypedValue(variables.object, budget),
    oldObject: untypedValue(variables.oldObject, budget),
  });
}
