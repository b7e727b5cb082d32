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
 * Expressions about an admission request, as k8s.io/apiserver/pkg/admission/plugin/cel compiles them. They
 * can name `object`, `oldObject` and `params` (of any type), `request` and `namespaceObject` (whose fields
 * are known), the policy's own `variables`, and `authorizer`, which answers what a user may do.
 */

export interface AdmissionVariables {
  /** The request without its objects. */
  readonly request: Json;
  readonly object: Json;
  readonly oldObject: Json;
  /** The namespace of the object. Default null: the object has no namespace. */
  readonly namespaceObject?: Json;
  /** The object that the policy binding's paramRef selects. Default null: there is none. */
  readonly params?: Json;
  /** Answers the questions that an expression asks through `authorizer`. */
  readonly authorizer: AccessAuthorizer;
}

/** What one expression must return and may use. */
export interface AdmissionResult extends WantedResult {
  /** Whether the expression may name `authorizer`. Default true. */
  readonly mayAuthorize?: boolean;
  /** Whether the expression may make objects and patches (`Object{}`, `JSONPatch{}`). Default false. */
  readonly mayConstruct?: boolean;
}

/** The values of the variables, in the form that expressions read. */
export type AdmissionValues = Readonly<Record<string, unknown>>;

/** Compiles the expressions of one policy or webhook. */
export interface AdmissionCompiler {
  /** Compiles one expression. Throws a CelFailure with cel-go's error text. */
  compile(text: string, wanted: AdmissionResult): Expression;
  /**
   * Defines `variables.<name>` for the expressions that are compiled afterwards. Its expression is evaluated
   * at most once for a request, when the variable is first read. If the expression does not compile, this
   * throws a CelFailure, but the name is still defined, with type `dyn`.
   */
  define(name: string, text: string): void;
  /** The values of the variables for one request. Reading them is charged to the budget. */
  valuesOf(variables: AdmissionVariables, budget: EvaluationBudget): AdmissionValues;
}

export interface AdmissionNames {
  /** Whether expressions may name `params`. Default false. */
  readonly hasParams?: boolean;
  /** Whether expressions may name `variables`. Default false. */
  readonly hasVariables?: boolean;
}

/** The types that cel-go keeps for a variable. A variable of any other type counts as `dyn`. */
const kept =
  /^(?:(?:bool|bytes|double|int|null|string|uint|google\.protobuf\.\w+|dyn|list|map)(?:[<>, ]+|$))+$/;

/** Creates the compiler for one policy or webhook. */
export function createAdmissionCompiler({
  hasParams = false,
  hasVariables = false,
}: AdmissionNames): AdmissionCompiler {
  const { checked, evaluated, request: requestType } = admissionEnvironment(hasParams);
  const types: Record<string, string> = {};
  const definitions = new Map<string, Expression | CelFailure>();

  type Variant = 'checked' | 'evaluated';
  const environments = new Map<string, Environment>();

  /** The environment with the variables that have been defined so far. */
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
    // An expression that reads the namespace is compiled a second time, because the namespace has a type for
    // the check only.
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
