import { append } from '../meta/append.ts';
import { type FieldError, forbiddenField, invalid, notSupported, required } from '../meta/field-error.ts';
import { isObject } from '../meta/json.ts';
import { ExpressionError, regularExpression } from '../structural/regular-expression.ts';
import { type SchemaNode, childrenOf } from '../structural/schema-node.ts';
import { defaultErrors } from './validate-defaults.ts';
import { nestedErrors } from './validate-nested.ts';
import { ruleCompileErrors, ruleFormErrors } from './validate-rules.ts';

/* Validates the structural schema of a CustomResourceDefinition. */

const schemaTypes = ['array', 'boolean', 'integer', 'number', 'object', 'string'];

/** The fields that no definition may use, and why. */
const unsupported: readonly (readonly [field: string, reason: string])[] = [
  ['id', 'id is not supported'],
  ['additionalItems', 'additionalItems is not supported'],
  ['patternProperties', 'patternProperties is not supported'],
  ['definitions', 'definitions is not supported'],
  ['dependencies', 'dependencies is not supported'],
  ['$ref', '$ref is not supported'],
];

type Level = 'root' | 'field' | 'item';

const whereMissing: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  field: 'must not be empty for specified object fields',
  item: 'must not be empty for specified array items',
};

/**
 * Returns what is wrong with the schema of a version. Defaults and rules are judged only once everything else
 * is valid.
 *
 * @param isKnown whether the stored definition has the same schema
 */
export function schemaErrors(root: SchemaNode, path: string, isKnown: boolean): FieldError[] {
  const errors = nodeErrors(root, path, 'root');
  if (root.default !== undefined) {
    errors.push(forbiddenField(`${path}.default`, 'must not be set in top-level schema'));
  }
  if (root.nullable === true) {
    errors.push(forbiddenField(`${path}.nullable`, 'nullable cannot be true at the root'));
  }
  const metadata = root.properties?.['metadata'];
  if (isObject(metadata) && !isBareMetadata(metadata)) {
    errors.push(
      forbiddenField(
        `${path}.properties[metadata]`,
        'must not specify anything other than name and generateName, but metadata is implicitly specified',
      ),
    );
  }
  if (errors.length === 0) {
    append(errors, defaultErrors(root, path));
  }
  // If the schema is invalid, compiling its rules would only report consequences of that.
  return errors.length === 0 ? ruleCompileErrors(root, path, isKnown) : errors;
}

function isBareMetadata(metadata: SchemaNode): boolean {
  const { properties = {}, description, ...rest } = metadata;
  return (
    (description === undefined || typeof description === 'string') &&
    Object.keys(rest).every((field) => field === 'type') &&
    Object.keys(properties).every((name) => name === 'name' || name === 'generateName')
  );
}

function nodeErrors(node: SchemaNode, path: string, level: Level): FieldError[] {
  const errors: FieldError[] = [];
  const { type = '' } = node;
  const isIntOrString = node['x-kubernetes-int-or-string'] === true;
  const isPreserving = node['x-kubernetes-preserve-unknown-fields'] === true;
  const isEmbedded = node['x-kubernetes-embedded-resource'] === true;
  if (isEmbedded && type !== 'object') {
    const detail = 'must be object if x-kubernetes-embedded-resource is true';
    errors.push(type === '' ? required(`${path}.type`, detail) : invalid(`${path}.type`, type, detail));
  } else if (type === '' && !isIntOrString && !isPreserving) {
    errors.push(required(`${path}.type`, whereMissing[level]));
  }
  if (type !== '' && !schemaTypes.includes(type)) {
    errors.push(notSupported(`${path}.type`, type, schemaTypes));
  }
  if (level === 'root' && type !== '' && type !== 'object') {
    errors.push(invalid(`${path}.type`, type, 'must be object at the root'));
  }
  if (type === 'array' && node.items === undefined) {
    errors.push(required(`${path}.items`, 'must be specified'));
  }
  if (Array.isArray(node.items)) {
    errors.push(forbiddenField(`${path}.items`, 'items must be a schema object and not an array'));
  }
  if (level === 'root' && node.additionalProperties !== undefined) {
    errors.push(forbiddenField(`${path}.additionalProperties`, 'must not be used at the root'));
  }
  if (isEmbedded && node.additionalProperties !== undefined) {
    const detail = 'must not be used if x-kubernetes-embedded-resource is set';
    errors.push(forbiddenField(`${path}.additionalProperties`, detail));
  }
  if ((node.additionalProperties ?? true) !== true && Object.keys(node.properties ?? {}).length > 0) {
    const detail = 'additionalProperties and properties are mutual exclusive';
    errors.push(forbiddenField(`${path}.additionalProperties`, detail));
  }
  if (isEmbedded && !isPreserving && Object.keys(node.properties ?? {}).length === 0) {
    const detail =
      'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields';
    errors.push(required(`${path}.properties`, detail));
  }
  if (node['uniqueItems'] === true) {
    const detail = 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic';
    errors.push(forbiddenField(`${path}.uniqueItems`, detail));
  }
  if (node['x-kubernetes-preserve-unknown-fields'] === false) {
    const detail = 'must be true or undefined';
    errors.push(invalid(`${path}.x-kubernetes-preserve-unknown-fields`, false, detail));
  }
  for (const [field, reason] of unsupported) {
    if (node[field] !== undefined) {
      errors.push(forbiddenField(`${path}.${field}`, reason));
    }
  }
  if (level === 'root' || isEmbedded) {
    append(errors, typeMetaErrors(node, path));
  }
  append(errors, [
    ...extensionErrors(node, path),
    ...patternErrors(node, path),
    ...nestedErrors(node, path, level === 'root'),
    ...ruleFormErrors(node, path),
  ]);
  for (const [at, child] of childrenOf(node, path)) {
    append(errors, nodeErrors(child, at, at.endsWith('.items') ? 'item' : 'field'));
  }
  return errors;
}

/** The types of apiVersion, kind and metadata where they are those of an object. */
function typeMetaErrors({ properties = {} }: SchemaNode, path: string): FieldError[] {
  const wanted = { kind: 'string', apiVersion: 'string', metadata: 'object' };
  return Object.entries(wanted).flatMap(([name, type]) => {
    const found = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return found === undefined || found.type === type
      ? []
      : [invalid(`${path}.properties[${name}].type`, found.type ?? '', `must be ${type}`)];
  });
}

function patternErrors({ pattern }: SchemaNode, path: string): FieldError[] {
  if (typeof pattern !== 'string') {
    return [];
  }
  try {
    regularExpression(pattern);
    return [];
  } catch (error) {
    if (!(error instanceof ExpressionError)) {
      throw error;
    }
    const detail = `must be a valid regular expression, but isn't: ${error.message}`;
    return [invalid(`${path}.pattern`, pattern, detail)];
  }
}

function extensionErrors(node: SchemaNode, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const { type = '' } = node;
  const needs = (wanted: string, extension: string): void => {
    if (type !== wanted) {
      const detail = `must be ${wanted} if ${extension} is specified`;
      errors.push(type === '' ? required(`${path}.type`, detail) : invalid(`${path}.type`, type, detail));
    }
  };
  const mapType = node['x-kubernetes-map-type'];
  if (mapType !== undefined) {
    needs('object', 'x-kubernetes-map-type');
    if (mapType !== 'atomic' && mapType !== 'granular') {
      errors.push(notSupported(`${path}.x-kubernetes-map-type`, mapType, ['atomic', 'granular']));
    }
  }
  const listType = node['x-kubernetes-list-type'];
  const keys = node['x-kubernetes-list-map-keys'] ?? [];
  if (listType !== undefined) {
    needs('array', 'x-kubernetes-list-type');
    if (!['atomic', 'set', 'map'].includes(listType)) {
      errors.push(notSupported(`${path}.x-kubernetes-list-type`, listType, ['atomic', 'set', 'map']));
    }
  }
  if (keys.length > 0 && listType !== 'map') {
    const detail = 'must be map if x-kubernetes-list-map-keys is non-empty';
    const field = `${path}.x-kubernetes-list-type`;
    errors.push(listType === undefined ? required(field, detail) : invalid(field, listType, detail));
  }
  if (listType === 'set' || listType === 'map') {
    append(errors, itemErrors(node, listType, path));
  }
  if (listType === 'map') {
    append(errors, mapListErrors(node, keys, path));
  }
  return errors;
}

function itemErrors({ type, items }: SchemaNode, listType: 'set' | 'map', path: string): FieldError[] {
  if (!isObject(items)) {
    return [];
  }
  const errors: FieldError[] = [];
  if (items.nullable === true) {
    const detail = `cannot be nullable when x-kubernetes-list-type is ${listType}`;
    errors.push(forbiddenField(`${path}.items.nullable`, detail));
  }
  if (listType === 'set' && type === 'array') {
    const { 'x-kubernetes-list-type': ofLists, 'x-kubernetes-map-type': ofMaps } = items;
    const detail = 'must be atomic as item of a list with x-kubernetes-list-type=set';
    if (items.type === 'array' && (ofLists ?? 'atomic') !== 'atomic') {
      errors.push(invalid(`${path}.items.x-kubernetes-list-type`, ofLists, detail));
    }
    if (items.type === 'object' && ofMaps !== 'atomic') {
      // The real server shows the type of lists here.
      errors.push(invalid(`${path}.items.x-kubernetes-map-type`, ofLists, detail));
    }
  }
  return errors;
}

function mapListErrors({ items }: SchemaNode, keys: readonly string[], path: string): FieldError[] {
  const field = `${path}.x-kubernetes-list-map-keys`;
  if (keys.length === 0) {
    return [required(field, 'must not be empty if x-kubernetes-list-type is map')];
  }
  if (!isObject(items)) {
    return [required(`${path}.items`, 'must have a schema if x-kubernetes-list-type is map')];
  }
  const errors: FieldError[] = [];
  if (items.type !== 'object') {
    const detail = "must be object if parent array's x-kubernetes-list-type is map";
    return [invalid(`${path}.items.type`, items.type ?? '', detail)];
  }
  for (const key of keys) {
    const property = items.properties?.[key];
    const at = `${path}.items.properties[${key}]`;
    if (property === undefined) {
      errors.push(invalid(field, [...keys], 'entries must all be names of item properties'));
      continue;
    }
    if (property.type === 'array' || property.type === 'object') {
      const detail = "must be a scalar type if parent array's x-kubernetes-list-type is map";
      errors.push(invalid(`${at}.type`, items.type ?? '', detail));
    }
    if (property.default === undefined && !(items.required ?? []).includes(key)) {
      const detail =
        'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property';
      errors.push(required(`${at}.default`, detail));
    }
    if (property.nullable === true) {
      const detail = 'this property is in x-kubernetes-list-map-keys, so it cannot be nullable';
      errors.push(forbiddenField(`${at}.nullable`, detail));
    }
  }
  if (new Set(keys).size < keys.length) {
    errors.push(invalid(field, [...keys], 'must not contain duplicate entries'));
  }
  return errors;
}
