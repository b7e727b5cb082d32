import type { Environment } from '@marcbachmann/cel-js';
import type { Json } from '../meta/json.ts';
import { admissionEnvironment } from './admission-environment.ts';
import { attempt } from './attempt.ts';
import { type AccessAuthorizer, authorizerType } from './authorizer-functions.ts';
import { compileConstructing } from './constructed-values.ts';
import type { EvaluationBudget } from './evaluation-budget.ts';
import { type Expression, type WantedResult, compile } from './expression.ts';
import { CelFailure } from './function-table.ts';
import { LazyVariables } from './lazy-variables.ts';
import { untypedValue } from './typed-value.ts';

/*
 * Expressions about a request for admission, as k8s.io/apiserver/pkg/admission/plugin/cel compiles them: `object`, `oldObject` and `params`
 * of any type, `request` and `namespaceObject`, whose fields are known, and `variables` of a policy's own, and `authorizer`, which says what
 * somebody may do.
 */

export interface AdmissionVariables {
  /** What a request is, without its objects. */
  readonly request: Json;
  readonly object: Json;
  readonly oldObject: Json;
  /** The namespace of the object; default null: none. */
  readonly namespaceObject?: Json;
  /** What the binding of a policy refers to; default null: nothing. */
  readonly params?: Json;
  /** What `authorizer` asks. */
  readonly authorizer: AccessAuthorizer;
}

/** Of one expression. */
export interface AdmissionResult extends WantedResult {
  /** Whether there is `authorizer`. Default true. */
  readonly mayAuthorize?: boolean;
  /** Whether it may make objects and patches: `Object{}`, `JSONPatch{}`. Default false. */
  readonly mayConstruct?: boolean;
}

/** The variables as an expression reads them. */
export type AdmissionValues = Readonly<Record<string, unknown>>;

/** Compiles the expressions of one policy or webhook. */
export interface AdmissionCompiler {
  /** Throws a CelFailure with a text in cel-go's words. */
  compile(text: string, wanted: AdmissionResult): Expression;
  /**
   * Gives a name to an expression, which is evaluated where a later one reads `variables.<name>`, once for a request. One that is wrong
   * has its name all the same, for a value of any type; throws a CelFailure then.
   */
  define(name: string, text: string): void;
  /** The values for one request. What reading them costs goes to the budget. */
  valuesOf(variables: AdmissionVariables, budget: EvaluationBudget): AdmissionValues;
}

export interface AdmissionNames {
  /** Whether there is `params`. Default false. */
  readonly hasParams?: boolean;
  /** Whether there is `variables`. Default false. */
  readonly hasVariables?: boolean;
}

/** The names and types that cel-go keeps of a variable's type; any other is one that nothing is known of. */
const kept =
  /^(?:(?:bool|bytes|double|int|null|string|uint|google\.protobuf\.\w+|dyn|list|map)(?:[<>, ]+|$))+$/;

/** A compiler for one policy or webhook. */
export function createAdmissionCompiler({
  hasParams = false,
  hasVariables = false,
}: AdmissionNames): AdmissionCompiler {
  const { checked, evaluated, request: requestType } = admissionEnvironment(hasParams);
  const types: Record<string, string> = {};
  const definitions = new Map<string, Expression | CelFailure>();

  type Variant = 'checked' | 'evaluated';
  const environments = new Map<string, Environment>();

  /** With the variables up to now. */
  function environmentFor(variant: Variant, mayAuthorize: boolean): Environment {
    const key = `${variant} ${mayAuthorize}`;
    let environment = environments.get(key);
    if (environment === undefined) {
      environment = { checked, evaluated }[variant].clone();
      if (hasVariables) {
        environment
          .registerType('Variables', { ctor: LazyVariables, fields: { ...types } })
          .registerVariable('variables', 'Variables');
      }
      if (mayAuthorize) {
        environment.registerVariable('authorizer', authorizerType);
      }
      environments.set(key, environment);
    }
    return environment;
  }

  function compileWith(
    source: string,
    { mayAuthorize = true, mayConstruct = false, ...wanted }: AdmissionResult,
  ): Expression {
    const compileIn = mayConstruct ? compileConstructing : compile;
    const expression = compileIn(environmentFor('checked', mayAuthorize), source, wanted);
    // Twice where it makes a difference.
    return expression.uses('namespaceObject')
      ? {
          ...compileIn(environmentFor('evaluated', mayAuthorize), source, { otherwise: wanted.otherwise }),
          type: expression.type,
        }
      : expression;
  }

  return {
    compile: compileWith,
    define(name, source) {
      const expression = attempt(() => compileWith(source, { otherwise: (type) => type }));
      const type = expression instanceof CelFailure ? 'dyn' : expression.type;
      types[name] = kept.test(type) ? type : 'dyn';
      definitions.set(name, expression);
      environments.clear();
      if (expression instanceof CelFailure) {
        throw expression;
      }
    },
    valuesOf(variables, budget) {
      const { request, object: current, oldObject, authorizer } = variables;
      const { namespaceObject = null, params = null } = variables;
      const values: Record<string, unknown> = {
        request: requestType.toValue(request, budget),
        object: untypedValue(current, budget),
        oldObject: untypedValue(oldObject, budget),
        namespaceObject: untypedValue(namespaceObject, budget),
        authorizer,
        ...(hasParams ? { params: untypedValue(params, budget) } : undefined),
      };
      if (hasVariables) {
        values['variables'] = new LazyVariables(definitions, values, budget);
      }
      return values;
    },
  };
}
