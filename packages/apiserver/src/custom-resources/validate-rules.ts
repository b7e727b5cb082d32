import { type FieldError, forbiddenField, invalid, notSupported, required } from '../meta/field-error.ts';
import { type Json, isObject } from '../meta/json.ts';
import { type SchemaNode, type ValidationRule, childrenOf } from '../structural/schema-node.ts';
import { rulePath } from './rule-path.ts';
import { compileRules } from './rules.ts';

/* What a definition is refused for because of its rules in CEL. */

const reasons = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];

/** What can be said of rules without compiling them. */
export function ruleFormErrors(node: SchemaNode, path: string): FieldError[] {
  const errors = (node['x-kubernetes-validations'] ?? []).flatMap((rule, index) =>
    formErrors(rule, node, `${path}.x-kubernetes-validations[${index}]`),
  );
  for (const field of ['allOf', 'anyOf', 'oneOf', 'not']) {
    if (hasRules(node[field])) {
      // Taken by the real server in allOf. Rules that are not evaluated would be worse than a refusal.
      errors.push(forbiddenField(`${path}.${field}`, 'x-kubernetes-validations are not evaluated here'));
    }
  }
  return errors;
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

/** What the compiler says of all rules of a schema. The schema is to be without fault otherwise. */
export function ruleCompileErrors(root: SchemaNode, path: string): FieldError[] {
  return below(root, path, undefined, true);
}

/** @param uncorrelatable the list whose items have no old value, if the node is below one */
function below(
  node: SchemaNode,
  path: string,
  uncorrelatable: string | undefined,
  isRoot: boolean,
): FieldError[] {
  const isMapList = node['x-kubernetes-list-type'] === 'map';
  const children = childrenOf(node, path).flatMap(([at, child]) => {
    const isLost = at.endsWith('.items') && !isMapList;
    const isEmbedded = child['x-kubernetes-embedded-resource'] === true;
    return below(child, at, uncorrelatable ?? (isLost ? path : undefined), isEmbedded);
  });
  return [...children, ...ownErrors(node, path, uncorrelatable, isRoot)];
}

function ownErrors(
  node: SchemaNode,
  path: string,
  uncorrelatable: string | undefined,
  isRoot: boolean,
): FieldError[] {
  const rules = node['x-kubernetes-validations'] ?? [];
  if (rules.length === 0) {
    return [];
  }
  const compiled = compileRules(node, isRoot);
  if (compiled === undefined) {
    const detail = 'the schema does not say enough of the value for rules to be evaluated';
    return [forbiddenField(`${path}.x-kubernetes-validations`, detail)];
  }
  return compiled.rules.flatMap(({ rule, problem, messageProblem, usesOldSelf }, index) => {
    const at = `${path}.x-kubernetes-validations[${index}]`;
    const errors: FieldError[] = [];
    if (problem !== undefined) {
      errors.push(invalid(`${at}.rule`, shownRule(rule), problem));
    }
    if (messageProblem !== undefined) {
      errors.push(invalid(`${at}.messageExpression`, shownRule(rule), messageProblem));
    }
    if (usesOldSelf && uncorrelatable !== undefined) {
      const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelatable}`;
      errors.push(invalid(`${at}.rule`, rule.rule, detail));
    } else if (!usesOldSelf && rule.optionalOldSelf !== undefined) {
      const detail = 'may not be set if oldSelf is not used in rule';
      errors.push(invalid(`${at}.optionalOldSelf`, rule.optionalOldSelf, detail));
    }
    return errors;
  });
}

/** A rule as Go writes its struct. */
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
