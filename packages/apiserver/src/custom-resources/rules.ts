import { Optional } from '@marcbachmann/cel-js';
import { attempt } from '../cel/attempt.ts';
import { newEnvironment } from '../cel/environment.ts';
import { type Expression, InstantiationFailure, compile } from '../cel/expression.ts';
import { CelFailure } from '../cel/function-table.ts';
import type { Budget } from '../cel/budget.ts';
import { type DeclaredType, declareType } from '../cel/typed-value.ts';
import { type FieldError, duplicate, forbiddenField, invalid, required } from '../meta/field-error.ts';
import { type Json, isObject, jsonEqual } from '../meta/json.ts';
import type { SchemaNode, ValidationRule } from '../structural/schema-node.ts';
import { rulePath } from './rule-path.ts';

/*
 * Evaluates rules in CEL (x-kubernetes-validations), as
 * k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel does. Each rule applies to the value that its
 * schema describes. Rules with `oldSelf` apply only if there is an old value. What was invalid before and did
 * not change is tolerated.
 */

/** One rule, compiled. */
export interface CompiledRule {
  readonly rule: ValidationRule;
  /** The error in the rule itself, in cel-go's words. */
  readonly problem?: string;
  readonly messageProblem?: string;
  readonly usesOldSelf: boolean;
  readonly program?: Expression;
  readonly message?: Expression;
}

interface RuleSet {
  readonly rules: readonly CompiledRule[];
  readonly type: DeclaredType;
}

/** A schema that has rules, itself or below. */
export interface RuledSchema {
  readonly node: SchemaNode;
  readonly own: RuleSet | undefined;
  readonly properties: ReadonlyMap<string, RuledSchema>;
  readonly additional: RuledSchema | undefined;
  readonly items: RuledSchema | undefined;
}

/** Compiles all rules of a schema. Returns undefined if it has none. */
export function compileSchema(node: SchemaNode, isResourceRoot: boolean): RuledSchema | undefined {
  const { properties = {}, additionalProperties, items } = node;
  const child = (schema: SchemaNode): RuledSchema | undefined =>
    compileSchema(schema, schema['x-kubernetes-embedded-resource'] === true);
  const ruled = {
    node,
    own: compileRules(node, isResourceRoot),
    properties: new Map(
      Object.entries(properties).flatMap(([name, schema]) => {
        const below = child(schema);
        return below === undefined ? [] : [[name, below] as const];
      }),
    ),
    additional: isObject(additionalProperties) ? child(additionalProperties) : undefined,
    items: isObject(items) ? child(items) : undefined,
  };
  const isEmpty = ruled.own === undefined && ruled.properties.size === 0;
  return isEmpty && ruled.additional === undefined && ruled.items === undefined ? undefined : ruled;
}

const ruleResult = { types: ['bool'], otherwise: () => 'cel expression must evaluate to a bool' } as const;
const messageResult = {
  types: ['string'],
  otherwise: () => 'messageExpression must evaluate to a string',
} as const;

/** Compiles the rules of one schema node, without those below it. */
export function compileRules(node: SchemaNode, isResourceRoot: boolean): RuleSet | undefined {
  const rules = node['x-kubernetes-validations'] ?? [];
  if (rules.length === 0) {
    return undefined;
  }
  const plain = newEnvironment();
  const type = declareType(plain, node, isResourceRoot);
  if (type === undefined) {
    return undefined;
  }
  plain.registerVariable('self', type.name);
  const optional = plain.clone().registerVariable('oldSelf', `optional<${type.name}>`);
  const transition = plain.clone().registerVariable('oldSelf', type.name);
  return {
    type,
    rules: rules.map((rule) => {
      const environment = rule.optionalOldSelf === true ? optional : transition;
      const program = attempt(() => compile(environment, rule.rule, ruleResult));
      if (program instanceof CelFailure) {
        return { rule, problem: compilationProblem(program, 'compilation', 'program'), usesOldSelf: false };
      }
      const { messageExpression = '' } = rule;
      const message =
        messageExpression === ''
          ? undefined
          : attempt(() => compile(environment, messageExpression, messageResult));
      return {
        rule,
        program,
        usesOldSelf: program.uses('oldSelf'),
        ...(message instanceof CelFailure
          ? {
              messageProblem: compilationProblem(
                message,
                'messageExpression compilation',
                'messageExpression',
              ),
            }
          : message === undefined
            ? undefined
            : { message }),
      };
    }),
  };
}

function compilationProblem(failure: CelFailure, compilation: string, program: string): string {
  const { message } = failure;
  if (failure instanceof InstantiationFailure) {
    return `${program} instantiation failed: ${message}`;
  }
  return message.startsWith('ERROR: ') ? `${compilation} failed: ${message}` : message;
}

/**
 * The real server's limits for one evaluation, and for all evaluations of an object. A step here costs at
 * least one unit there, so an evaluation that exceeds a limit here exceeds it there too. The reverse does not
 * hold: some expressions cost more there.
 */
const evaluationBudget = 1_000_000;
const objectBudget = 10_000_000;

const outOfBudget =
  'validation failed due to running out of cost budget, no further validation rules will be run';
const outOfCalls = 'operation cancelled: actual cost limit exceeded';

/** What evaluations have cost so far. */
export interface Spending {
  spent: number;
}

/** The findings of the rules. */
export interface RuleFindings {
  readonly errors: readonly FieldError[];
  /** Findings about values that did not change. The object is accepted, with warnings. */
  readonly passedOver: readonly FieldError[];
}

/**
 * Evaluates the rules for an object, including the rules about its change if there is an old object.
 *
 * @param options.passesUnchanged whether invalid values that did not change are tolerated. Default true.
 * @param options.spending shared with other evaluations that have the same budget. Default: nothing is spent.
 * @param options.limit for one evaluation. Default: that of the real server.
 */
export function judgeByRules(
  root: RuledSchema,
  object: Json,
  old?: Json,
  {
    passesUnchanged = true,
    spending = { spent: 0 },
    limit = evaluationBudget,
  }: { readonly passesUnchanged?: boolean; readonly spending?: Spending; readonly limit?: number } = {},
): RuleFindings {
  const errors: FieldError[] = [];
  const passedOver: FieldError[] = [];
  let isOver = false;
  judge(root, object, old, '', old !== undefined && passesUnchanged, false);
  return { errors, passedOver };

  function evaluate(program: Expression, variables: Record<string, unknown>, budget: SpentBudget): unknown {
    const before = budget.spent;
    budget.limit = before + limit;
    try {
      const result = program.evaluate(variables, budget);
      // An expression can absorb a failure (`... || true`), but must not absorb a spent budget.
      budget.spend(0);
      return result;
    } finally {
      spending.spent += budget.spent - before;
    }
  }

  function judge(
    schema: RuledSchema,
    value: Json,
    oldValue: Json | undefined,
    path: string,
    isCorrelated: boolean,
    isParentUnchanged: boolean,
  ): void {
    if (value === null || isOver) {
      return;
    }
    const isUnchanged = isCorrelated
      ? oldValue !== undefined && jsonEqual(value, oldValue)
      : isParentUnchanged;
    const below = (
      child: RuledSchema | undefined,
      item: Json | undefined,
      oldItem: Json | undefined,
      at: string,
      isItemCorrelated = isCorrelated,
    ): void => {
      if (child !== undefined && item !== undefined) {
        judge(child, item, oldItem, at, isItemCorrelated, isUnchanged);
      }
    };
    judgeOwn(schema, value, oldValue ?? undefined, path, isUnchanged);
    if (Array.isArray(value)) {
      const keys = schema.node['x-kubernetes-list-type'] === 'map' ? listKeys(schema.node) : undefined;
      const oldItems = keys === undefined ? undefined : byKeys(Array.isArray(oldValue) ? oldValue : [], keys);
      for (const [index, item] of value.entries()) {
        const oldItem = keys === undefined ? undefined : oldItems?.get(keyOf(item, keys));
        below(schema.items, item, oldItem, `${path}[${index}]`, isCorrelated && keys !== undefined);
      }
    } else if (isObject(value)) {
      const oldFields = isObject(oldValue) ? oldValue : {};
      for (const [name, item] of Object.entries(value)) {
        below(schema.additional, item, oldFields[name], `${path}[${name}]`);
        below(schema.properties.get(name), item, oldFields[name], path === '' ? name : `${path}.${name}`);
      }
    }
  }

  function judgeOwn(
    { node, own }: RuledSchema,
    value: Json,
    oldValue: Json | undefined,
    path: string,
    isUnchanged: boolean,
  ): void {
    if (own === undefined) {
      return;
    }
    const field = path === '' ? '<nil>' : path;
    const say = (detail: string): void => {
      errors.push(invalid(field, node.type ?? '', detail));
    };
    const budget = new SpentBudget();
    const values = attempt(() => {
      const self = own.type.toValue(value, budget);
      return { self, oldSelf: oldValue === undefined ? undefined : own.type.toValue(oldValue, budget, self) };
    });
    for (const { rule, program, problem, message, usesOldSelf } of own.rules) {
      const isOptional = rule.optionalOldSelf === true;
      if (program === undefined) {
        // New definitions with such a rule are refused, but an older server may have stored this one.
        say(`rule compile error: ${problem ?? ''}`);
        continue;
      }
      if (usesOldSelf && oldValue === undefined && !isOptional) {
        continue;
      }
      if (spending.spent > objectBudget) {
        isOver = true;
        say(outOfBudget);
        return;
      }
      if (values instanceof CelFailure) {
        say(`${values.message} evaluating rule: ${shownRule(rule)}`);
        continue;
      }
      const { self } = values;
      const oldSelf = isOptional ? Optional.of(values.oldSelf) : values.oldSelf;
      const variables = oldSelf === undefined ? { self } : { self, oldSelf };
      const result = attempt(() => evaluate(program, variables, budget));
      if (result instanceof CelFailure) {
        say(failureDetail(result.message, rule));
        if (result.message === outOfCalls) {
          isOver = true;
          return;
        }
        continue;
      }
      if (result === true) {
        continue;
      }
      const detail = message === undefined ? undefined : attempt(() => evaluate(message, variables, budget));
      const error = findingOf(rule, node, value, path, usableMessage(detail) ?? shownMessage(rule));
      (usesOldSelf || !isUnchanged ? errors : passedOver).push(error);
    }
  }
}

class SpentBudget implements Budget {
  spent = 0;
  limit = Infinity;

  spend(count = 1): void {
    this.spent += count;
    if (this.spent > this.limit) {
      throw new CelFailure(outOfCalls);
    }
  }
}

function failureDetail(problem: string, rule: ValidationRule): string {
  if (problem === outOfCalls) {
    return `'${problem}': no further validation rules will be run due to call cost exceeds limit for rule: ${shownRule(rule)}`;
  }
  return problem.startsWith('no such overload')
    ? `'${problem}': call arguments did not match a supported operator, function or macro signature for rule: ${shownRule(rule)}`
    : `${problem} evaluating rule: ${shownRule(rule)}`;
}

const longestMessage = 5120;

/** Ignores a messageExpression that fails, or that returns an empty text, several lines or too many bytes. */
function usableMessage(result: unknown): string | undefined {
  const text = typeof result === 'string' ? result.trim() : '';
  return text === '' || text.includes('\n') || Buffer.byteLength(text) > longestMessage ? undefined : text;
}

function findingOf(
  rule: ValidationRule,
  node: SchemaNode,
  value: Json,
  path: string,
  detail: string,
): FieldError {
  const below = rule.fieldPath === undefined ? '' : (rulePath(rule.fieldPath, node) ?? '');
  const separator = path === '' || below === '' ? '' : '.';
  const field = path === '' && below === '' ? '<nil>' : `${path}${separator}${below}`;
  const isShown = node.type !== 'object' && node.type !== 'array';
  switch (rule.reason) {
    case 'FieldValueForbidden':
      return forbiddenField(field, detail);
    case 'FieldValueRequired':
      return required(field, detail);
    case 'FieldValueDuplicate':
      return isShown
        ? duplicate(field, value)
        : { field, reason: 'FieldValueDuplicate', message: 'Duplicate value' };
    default:
      return isShown
        ? invalid(field, value, detail)
        : { field, reason: 'FieldValueInvalid', message: `Invalid value: ${detail}` };
  }
}

function shownRule({ rule, message = '' }: ValidationRule): string {
  return (message === '' ? rule : message).trim();
}

function shownMessage(rule: ValidationRule): string {
  const { message = '' } = rule;
  return message === '' ? `failed rule: ${shownRule(rule)}` : message.trim();
}

function listKeys(node: SchemaNode): readonly string[] {
  return node['x-kubernetes-list-map-keys'] ?? [];
}

/** The items by their keys. If several items have the same keys, the first one counts. */
function byKeys(items: readonly Json[], keys: readonly string[]): ReadonlyMap<string, Json> {
  return new Map(items.toReversed().map((item) => [keyOf(item, keys), item] as const));
}

/** The values of the keys are scalars. */
function keyOf(item: Json, keys: readonly string[]): string {
  return isObject(item) ? JSON.stringify(keys.map((key) => item[key] ?? null)) : '';
}
