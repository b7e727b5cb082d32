import { type FieldError, invalid } from '../meta/field-error.ts';
import { type Json, isObject } from '../meta/json.ts';
import { pruneObject } from '../structural/prune.ts';
import type { SchemaNode } from '../structural/schema-node.ts';
import { validateValue } from '../structural/validate.ts';
import { type RuledSchema, type Spending, compileSchema, judgeByRules } from './rules.ts';

/*
 * What a definition is refused for because of its defaults, as k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting has it: each must be a value
 * of its schema, also by its rules.
 */

/** The schema is to be without fault otherwise. */
export function defaultErrors(root: SchemaNode, path: string): FieldError[] {
  // Once for all: a rule is below as many defaults as it is deep.
  const ruled = hasDefault(root) ? compileSchema(root, true) : undefined;
  return errorsBelow(root, ruled, path, { spent: 0 });
}

function hasDefault(node: SchemaNode): boolean {
  return (node.default ?? null) !== null || childrenOf(node).some(([, child]) => hasDefault(child));
}

/** There are no defaults within additionalProperties, whose values are not there until somebody sends them. */
function childrenOf({
  items,
  properties = {},
}: SchemaNode): (readonly [name: string | undefined, SchemaNode])[] {
  return [
    ...(isObject(items) ? [[undefined, items] as const] : []),
    ...Object.entries(properties).map(([name, child]) => [name, child] as const),
  ];
}

function errorsBelow(
  node: SchemaNode,
  ruled: RuledSchema | undefined,
  path: string,
  spending: Spending,
): FieldError[] {
  const errors = ownErrors(node, ruled, path, spending);
  for (const [name, child] of childrenOf(node)) {
    errors.push(
      ...(name === undefined
        ? errorsBelow(child, ruled?.items, `${path}.items`, spending)
        : errorsBelow(child, ruled?.properties.get(name), `${path}.properties[${name}]`, spending)),
    );
  }
  return errors;
}

function ownErrors(
  node: SchemaNode,
  ruled: RuledSchema | undefined,
  path: string,
  spending: Spending,
): FieldError[] {
  const { default: value = null } = node;
  if (value === null) {
    return [];
  }
  const at = `${path}.default`;
  const isPruned = pruneObject({ value }, { properties: { value: node } }).unknownFields.length > 0;
  const unknown = isPruned ? [invalid(at, value, 'must not have unknown fields')] : [];
  const wrong = validateValue(value, node, '');
  const found = wrong.length > 0 || ruled === undefined ? wrong : ruleErrors(ruled, value, spending);
  return [...unknown, ...found.map((error) => ({ ...error, field: pathBelow(at, error.field) }))];
}

/** The default is to be fine as a value that does not change, and as one that is new. */
function ruleErrors(ruled: RuledSchema, value: Json, spending: Spending): readonly FieldError[] {
  const unchanged = judgeByRules(ruled, value, value, { passesUnchanged: false, spending }).errors;
  return unchanged.length > 0 ? unchanged : judgeByRules(ruled, value, undefined, { spending }).errors;
}

function pathBelow(path: string, field: string): string {
  if (field === '<nil>') {
    return path;
  }
  return `${path}${field.startsWith('[') ? '' : '.'}${field}`;
}
