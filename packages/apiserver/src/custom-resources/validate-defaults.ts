import { append } from '../meta/append.ts';
import { type FieldError, invalid } from '../meta/field-error.ts';
import { type Json, isObject } from '../meta/json.ts';
import { pruneObject } from '../structural/prune.ts';
import type { SchemaNode } from '../structural/schema-node.ts';
import { validateValue } from '../structural/validate.ts';
import { type RuledSchema, type Spending, compileSchema, judgeByRules } from './rules.ts';

/*
 * Validates the defaults of a definition, as k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting
 * does: each default must be a valid value of its schema, and satisfy the schema's rules.
 */

/** The schema must be valid apart from its defaults. */
export function defaultErrors(root: SchemaNode, path: string): FieldError[] {
  // Compile the rules once, because a rule applies to the defaults at each level above it.
  const ruled = hasDefault(root) ? compileSchema(root, true) : undefined;
  return errorsBelow(root, ruled, path, { spent: 0 });
}

function hasDefault(node: SchemaNode): boolean {
  return (node.default ?? null) !== null || childrenOf(node).some(([, child]) => hasDefault(child));
}

/** additionalProperties cannot have defaults, because their values do not exist until a client sends them. */
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
    append(
      errors,
      name === undefined
        ? errorsBelow(child, ruled?.items, `${path}.items`, spending)
        : errorsBelow(child, ruled?.properties.get(name), `${path}.properties[${name}]`, spending),
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

/** A default must satisfy the rules both as an unchanged value and as a new one. */
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
