import { sizeOfSchema } from '../cel/schema-size.ts';
import { type FieldError, forbiddenField, invalid, notSupported, required } from '../meta/field-error.ts';
import { type Json, isObject } from '../meta/json.ts';
import { type SchemaNode, type ValidationRule, childrenOf } from '../structural/schema-node.ts';
import { allBelow, combinedSchemas } from './nested-schemas.ts';
import { rulePath } from './rule-path.ts';
import {
  type Cardinality,
  type RuleCosts,
  cardinalityBelow,
  costForAll,
  newRuleCosts,
} from './rule-costs.ts';
import { compileRules } from './rules.ts';

/* Validates the CEL rules of a definition. */

const reasons = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];

/** The errors that can be found without compiling the rules. */
export function ruleFormErrors(node: SchemaNode, path: string): FieldError[] {
  const nested = combinedSchemas(node, path).flatMap(([at, schema]) => allBelow(schema, at));
  return [[path, node] as const, ...nested].flatMap(([at, schema]) => ownFormErrors(schema, at));
}

function ownFormErrors(node: SchemaNode, path: string): FieldError[] {
  return (node['x-kubernetes-validations'] ?? []).flatMap((rule, index) =>
    formErrors(rule, node, `${path}.x-kubernetes-validations[${index}]`),
  );
}

function formErrors(rule: ValidationRule, node: SchemaNode, at: string): FieldError[] {
  const errors: FieldError[] = [];
  const { message = '', messageExpression = '', fieldPath = '', reason } = rule;
  const isBroken = (text: string): boolean => /[\n\r]/.test(text);
  if (rule.rule.trim() === '') {
    errors.push(required(`${at}.rule`, 'rule is not specified'));
  } else if (message !== '' && message.trim() === '') {
    errors.push(invalid(`${at}.message`, message, 'must be non-empty if specified'));
  } else if (isBroken(message.trim())) {
    errors.push(invalid(`${at}.message`, message, 'must not contain line breaks'));
  } else if (isBroken(rule.rule.trim()) && message.trim() === '') {
    errors.push(required(`${at}.message`, 'message must be specified if rule contains line breaks'));
  }
  if (messageExpression !== '' && messageExpression.trim() === '') {
    errors.push(required(`${at}.messageExpression`, 'messageExpression must be non-empty if specified'));
  }
  if (reason !== undefined && !reasons.includes(reason)) {
    errors.push(notSupported(`${at}.reason`, reason, reasons));
  }
  if (fieldPath !== '' && fieldPath.trim() === '') {
    errors.push(invalid(`${at}.fieldPath`, fieldPath, 'must be non-empty if specified'));
  }
  if (isBroken(fieldPath)) {
    errors.push(invalid(`${at}.fieldPath`, fieldPath, 'must not contain line breaks'));
  }
  if (fieldPath !== '' && rulePath(fieldPath, node) === undefined) {
    errors.push(invalid(`${at}.fieldPath`, fieldPath, 'must be a valid path'));
  }
  return errors;
}

/**
 * The errors of compiling all rules of a schema, and of rules that cost too much. The schema must be valid
 * otherwise.
 *
 * @param isKnown whether the definition had the same schema before; then only the sum of the costs is
 *   limited. Default false.
 */
export function ruleCompileErrors(root: SchemaNode, path: string, isKnown = false): FieldError[] {
  const costs = newRuleCosts(isKnown);
  const errors = below(root, { path, uncorrelatable: undefined, isRoot: true, cardinality: 1, costs });
  return [...errors, ...costs.totalErrors(path)];
}

/** The place of a node in the schema. */
interface Place {
  readonly path: string;
  /** The path of the outermost list around the node whose items cannot be matched with old items. */
  readonly uncorrelatable: string | undefined;
  readonly isRoot: boolean;
  readonly cardinality: Cardinality;
  readonly costs: RuleCosts;
}

function below(node: SchemaNode, place: Place): FieldError[] {
  const isMapList = node['x-kubernetes-list-type'] === 'map';
  const cardinality = cardinalityBelow(node, place.cardinality);
  const children = childrenOf(node, place.path).flatMap(([path, child]) => {
    const isLost = path.endsWith('.items') && !isMapList;
    return below(child, {
      ...place,
      path,
      uncorrelatable: place.uncorrelatable ?? (isLost ? place.path : undefined),
      isRoot: child['x-kubernetes-embedded-resource'] === true,
      cardinality,
    });
  });
  return [...children, ...ownErrors(node, place)];
}

function ownErrors(node: SchemaNode, place: Place): FieldError[] {
  const { path, uncorrelatable, isRoot, cardinality, costs } = place;
  const rules = node['x-kubernetes-validations'] ?? [];
  if (rules.length === 0) {
    return [];
  }
  const compiled = compileRules(node, isRoot);
  const size = sizeOfSchema(node, isRoot);
  if (compiled === undefined || size === undefined) {
    const detail = 'the schema does not say enough of the value for rules to be evaluated';
    return [forbiddenField(`${path}.x-kubernetes-validations`, detail)];
  }
  return compiled.rules.flatMap((each, index) => {
    const { rule, problem, messageProblem, usesOldSelf, program, message } = each;
    const at = `${path}.x-kubernetes-validations[${index}]`;
    const errors: (FieldError | undefined)[] = [];
    if (program !== undefined) {
      const cost = costForAll(program.estimateCost(compiled.type, size), cardinality, size.leastBytes);
      errors.push(costs.add(`${at}.rule`, 'rule', cost));
    }
    if (problem !== undefined) {
      errors.push(invalid(`${at}.rule`, shownRule(rule), problem));
    }
    if (messageProblem !== undefined) {
      errors.push(invalid(`${at}.messageExpression`, shownRule(rule), messageProblem));
    } else if (message !== undefined) {
      const cost = message.estimateCost(compiled.type, size);
      errors.push(costs.add(`${at}.messageExpression`, 'messageExpression', cost));
    }
    if (usesOldSelf && uncorrelatable !== undefined) {
      const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelatable}`;
      errors.push(invalid(`${at}.rule`, rule.rule, detail));
    } else if (!usesOldSelf && rule.optionalOldSelf !== undefined) {
      const detail = 'may not be set if oldSelf is not used in rule';
      errors.push(invalid(`${at}.optionalOldSelf`, rule.optionalOldSelf, detail));
    }
    return errors.filter((error) => error !== undefined);
  });
}

/** Formats a rule like a Go struct. */
function shownRule(rule: ValidationRule): Json {
  return {
    Rule: rule.rule,
    Message: rule.message ?? '',
    MessageExpression: rule.messageExpression ?? '',
    Reason: rule.reason ?? null,
    FieldPath: rule.fieldPath ?? '',
    OptionalOldSelf: rule.optionalOldSelf ?? null,
  };
}

/** Whether a schema has rules anywhere. */
export function hasRules(value: Json | undefined): boolean {
  if (Array.isArray(value)) {
    return value.some(hasRules);
  }
  return isObject(value) && ('x-kubernetes-validations' in value || Object.values(value).some(hasRules));
}
