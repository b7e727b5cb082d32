import { type FieldError, forbiddenField, required } from '../meta/field-error.ts';
import { isObject, jsonEqual } from '../meta/json.ts';
import { type SchemaNode, childrenOf } from '../structural/schema-node.ts';
import { combinedSchemas } from './nested-schemas.ts';

/*
 * Validates the schemas inside `allOf`, `anyOf`, `oneOf` and `not`: they may restrict the values of fields that
 * are declared outside of them, and may declare nothing (k8s.io/apiextensions-apiserver/pkg/apiserver/schema).
 */

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';
const isTrue = (value: unknown): boolean => value === true;
const isList = (value: unknown): boolean => Array.isArray(value) && value.length > 0;
const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

const declarations: readonly (readonly [
  field: string,
  declares: (value: unknown) => boolean,
  wanted: string,
])[] = [
  ['type', isText, 'empty'],
  ['additionalProperties', isGiven, 'undefined'],
  ['default', isGiven, 'undefined'],
  ['title', isText, 'empty'],
  ['description', isText, 'empty'],
  ['nullable', isTrue, 'false'],
  ['x-kubernetes-preserve-unknown-fields', isTrue, 'false'],
  ['x-kubernetes-embedded-resource', isTrue, 'false'],
  ['x-kubernetes-int-or-string', isTrue, 'false'],
  ['x-kubernetes-list-map-keys', isList, 'empty'],
  ['x-kubernetes-list-type', isGiven, 'undefined'],
  ['x-kubernetes-map-type', isGiven, 'undefined'],
  ['x-kubernetes-validations', isList, 'empty'],
];

/**
 * The errors of what is nested directly in a declared node.
 *
 * @param isRoot whether all fields must be declared, too, which the real server asks of the root alone
 */
export function nestedErrors(node: SchemaNode, path: string, isRoot: boolean): FieldError[] {
  return combinedSchemas(node, path).flatMap(([at, schema]) => [
    ...restrictionsBelow(schema, at)
      .filter(([below]) => !isIntOrString(node, path, below))
      .flatMap(([below, nested]) => declarationErrors(nested, below)),
    ...(isRoot ? undeclaredErrors(schema, at, node, path) : []),
  ]);
}

function restrictionsBelow(node: SchemaNode, path: string): (readonly [path: string, schema: SchemaNode])[] {
  const below = [
    ...combinedSchemas(node, path),
    ...childrenOf({ ...node, additionalProperties: false }, path),
  ];
  return [[path, node], ...below.flatMap(([at, schema]) => restrictionsBelow(schema, at))];
}

/** `anyOf: [{type: integer}, {type: string}]`, also as the first of `allOf`, may repeat what int-or-string means. */
function isIntOrString(node: SchemaNode, path: string, below: string): boolean {
  const match = /^(\.allOf\[0\])?\.anyOf\[[01]\]$/.exec(below.slice(path.length));
  if (match === null) {
    return false;
  }
  const first = Array.isArray(node['allOf']) ? node['allOf'][0] : undefined;
  const holder = match[1] === undefined ? node : isObject(first) ? first : {};
  return jsonEqual(holder['anyOf'] ?? null, [{ type: 'integer' }, { type: 'string' }]);
}

function declarationErrors(schema: SchemaNode, path: string): FieldError[] {
  const errors = declarations
    .filter(([field, declares]) => declares(schema[field]))
    .map(([field, , wanted]) => forbiddenField(`${path}.${field}`, `must be ${wanted} to be structural`));
  return Object.hasOwn(schema.properties ?? {}, 'metadata')
    ? [...errors, forbiddenField(`${path}.properties[metadata]`, 'must not be specified in a nested context')]
    : errors;
}

/** What is restricted without being declared. */
function undeclaredErrors(
  schema: SchemaNode,
  at: string,
  declared: SchemaNode | undefined,
  path: string,
): FieldError[] {
  if (declared === undefined) {
    return [required(path, `because it is defined in ${at}`)];
  }
  return [
    ...combinedSchemas(schema, at).flatMap(([below, nested]) =>
      undeclaredErrors(nested, below, declared, path),
    ),
    ...(isObject(schema.items)
      ? undeclaredErrors(schema.items, `${at}.items`, declared.items, `${path}.items`)
      : []),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, nested]) => {
      const { properties = {} } = declared;
      const field = Object.hasOwn(properties, name) ? properties[name] : undefined;
      return undeclaredErrors(nested, `${at}.properties[${name}]`, field, `${path}.properties[${name}]`);
    }),
  ];
}
