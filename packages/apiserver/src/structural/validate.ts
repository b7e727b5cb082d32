import { append } from '../meta/append.ts';
import {
  type FieldError,
  duplicate,
  invalid,
  notSupported,
  required,
  tooLong,
  tooMany,
  typeInvalid,
} from '../meta/field-error.ts';
import { type Json, type JsonObject, isObject, jsonEqual } from '../meta/json.ts';
import type { ObjectMeta } from '../meta/kube-object.ts';
import { pathSegment } from '../meta/names.ts';
import { validateObjectMeta } from '../meta/object-meta.ts';
import { hasFormat, kindProblems } from './formats.ts';
import { regularExpression } from './regular-expression.ts';
import { type SchemaNode, schemaOfField } from './schema-node.ts';

/*
 * Validates a value by a schema, with the messages of k8s.io/kube-openapi/pkg/validation, which validates
 * custom resources. A general JSON schema validator has other messages and other rules: here null counts as
 * absent unless the schema is nullable, integers may be 64 bits wide, and formats are Kubernetes' own.
 */

/** Returns what is wrong with a value at a path; the empty path is the object itself. */
export function validateValue(value: Json, node: SchemaNode, path: string): FieldError[] {
  const name = path === '' ? '<nil>' : path.replace(/^\./, '');
  const problem = (text: string): FieldError => invalid(name, shown(value), `${inBody(path)} ${text}`);
  const types = typesOf(node);
  if (value === null) {
    const isAllowed = types.length === 0 || node.nullable === true;
    return [...(isAllowed ? [] : [wrongType(name, path, types, 'null')]), ...enumErrors(value, node, name)];
  }
  const given = typeOf(value);
  // Enumerations and the limits of numbers are checked regardless of the declared type.
  const errors = enumErrors(value, node, name);
  if (typeof value === 'number') {
    append(errors, [...rangeErrors(value, node, path), ...numberProblems(value, node).map(problem)]);
  }
  if (types.length > 0 && !types.includes(given) && !(given === 'integer' && types.includes('number'))) {
    return [wrongTypeOrFormat(name, path, types, given, node), ...errors];
  }
  if (typeof value === 'string') {
    append(errors, stringErrors(value, node, path, name));
  } else if (Array.isArray(value)) {
    append(errors, listErrors(value, node, path, name));
  } else if (isObject(value)) {
    append(errors, objectErrors(value, node, path, name));
  }
  append(errors, combinationErrors(value, node, path));
  return errors;
}

function inBody(path: string): string {
  return `${path} in body`;
}

/** What a message shows for a value: Go prints null as the empty string here. */
function shown(value: Json): Json {
  return value ?? '';
}

function typesOf(node: SchemaNode): readonly string[] {
  if (node['x-kubernetes-int-or-string'] === true) {
    return ['integer', 'string'];
  }
  return node.type === undefined || node.type === '' ? [] : [node.type];
}

function typeOf(value: Exclude<Json, null>): string {
  switch (typeof value) {
    case 'number':
      return Number.isInteger(value) ? 'integer' : 'number';
    case 'object':
      return Array.isArray(value) ? 'array' : 'object';
    default:
      return typeof value;
  }
}

function wrongType(name: string, path: string, types: readonly string[], given: string): FieldError {
  return typeInvalid(name, given, `${inBody(path)} must be of type ${types.join(',')}: "${given}"`);
}

/** A fraction in place of a sized integer counts as a wrong format, with Go's names of both types. */
function wrongTypeOrFormat(
  name: string,
  path: string,
  types: readonly string[],
  given: string,
  { format = '' }: SchemaNode,
): FieldError {
  return given === 'number' && types.includes('integer') && format !== ''
    ? wrongType(name, path, [format], 'float64')
    : wrongType(name, path, types, given);
}

/**
 * Errors for a number that is not an integer, or too large for its format. Only the message names the path.
 */
function rangeErrors(value: number, node: SchemaNode, path: string): FieldError[] {
  const { format = '' } = node;
  const isInRange =
    Number.isInteger(value) && (format !== 'int32' || (value >= -(2 ** 31) && value < 2 ** 31));
  if (node.type !== 'integer' || isInRange) {
    return [];
  }
  const wanted = format === '' ? 'integer (default format)' : `integer with format ${format}`;
  return [invalid('<nil>', '', `Checked value must be of type ${wanted} in ${path}`)];
}

function enumErrors(value: Json, { enum: allowed }: SchemaNode, name: string): FieldError[] {
  if (allowed === undefined || allowed.some((each) => jsonEqual(each, value))) {
    return [];
  }
  const listed = allowed.map((each) => (typeof each === 'string' ? each : JSON.stringify(each)));
  return [notSupported(name, value, listed)];
}

function numberOf(node: SchemaNode, field: string): number | undefined {
  const value = node[field];
  return typeof value === 'number' ? value : undefined;
}

function numberProblems(value: number, node: SchemaNode): string[] {
  const problems: string[] = [];
  const [minimum, maximum, factor] = ['minimum', 'maximum', 'multipleOf'].map((field) =>
    numberOf(node, field),
  );
  if (factor !== undefined && !Number.isInteger(Number((value / factor).toPrecision(15)))) {
    problems.push(`should be a multiple of ${factor}`);
  }
  if (maximum !== undefined && (node['exclusiveMaximum'] === true ? value >= maximum : value > maximum)) {
    problems.push(`should be less than ${node['exclusiveMaximum'] === true ? '' : 'or equal to '}${maximum}`);
  }
  if (minimum !== undefined && (node['exclusiveMinimum'] === true ? value <= minimum : value < minimum)) {
    problems.push(
      `should be greater than ${node['exclusiveMinimum'] === true ? '' : 'or equal to '}${minimum}`,
    );
  }
  return problems;
}

function stringErrors(value: string, node: SchemaNode, path: string, name: string): FieldError[] {
  const errors: FieldError[] = [];
  const [minimum, maximum] = ['minLength', 'maxLength'].map((field) => numberOf(node, field));
  // Go counts runes, which are code points.
  const length = Array.from(value).length;
  if (maximum !== undefined && length > maximum) {
    errors.push(tooLong(name, maximum));
  }
  if (minimum !== undefined && length < minimum) {
    errors.push(invalid(name, value, `${inBody(path)} should be at least ${minimum} chars long`));
  }
  const { pattern } = node;
  if (typeof pattern === 'string' && pattern !== '' && !regularExpression(pattern).test(value)) {
    errors.push(invalid(name, value, `${inBody(path)} should match '${pattern}'`));
  }
  const { format = '' } = node;
  if (!hasFormat(format, value)) {
    errors.push(
      typeInvalid(name, value, `${inBody(path)} must be of type ${format}: ${JSON.stringify(value)}`),
    );
  }
  return errors;
}

function listErrors(value: readonly Json[], node: SchemaNode, path: string, name: string): FieldError[] {
  const errors: FieldError[] = [];
  const [minimum, maximum] = ['minItems', 'maxItems'].map((field) => numberOf(node, field));
  if (isObject(node.items)) {
    const { items } = node;
    append(
      errors,
      value.flatMap((item, index) => validateValue(item, items, `${path}[${index}]`)),
    );
  }
  if (minimum !== undefined && value.length < minimum) {
    errors.push(invalid(name, value.length, `${inBody(path)} should have at least ${minimum} items`));
  }
  if (maximum !== undefined && value.length > maximum) {
    errors.push(tooMany(name, value.length, maximum));
  }
  return errors;
}

function objectErrors(value: JsonObject, node: SchemaNode, path: string, name: string): FieldError[] {
  const errors: FieldError[] = [];
  const [minimum, maximum] = ['minProperties', 'maxProperties'].map((field) => numberOf(node, field));
  const names = Object.keys(value).filter((field) => value[field] !== undefined);
  if (minimum !== undefined && names.length < minimum) {
    errors.push(invalid(name, names.length, `${inBody(path)} should have at least ${minimum} properties`));
  }
  if (maximum !== undefined && names.length > maximum) {
    errors.push(tooMany(name, names.length, maximum));
  }
  for (const field of names) {
    const child = schemaOfField(node, field);
    const item = value[field];
    if (child !== undefined && item !== undefined) {
      append(errors, validateValue(item, child, path === '' ? field : `${path}.${field}`));
    }
  }
  for (const field of node.required ?? []) {
    if (value[field] === undefined) {
      errors.push(required(path === '' ? field : `${path}.${field}`));
    }
  }
  return errors;
}

function schemasOf(node: SchemaNode, field: string): readonly SchemaNode[] {
  const schemas = node[field];
  return Array.isArray(schemas) ? schemas.filter(isObject) : [];
}

function combinationErrors(value: Json, node: SchemaNode, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const judge = (field: string): readonly (readonly FieldError[])[] =>
    schemasOf(node, field).map((schema) => validateValue(value, schema, path));
  // Only the message names the path.
  const composite = (text: string): FieldError => invalid('<nil>', '', `"${path}" must ${text}`);
  const any = judge('anyOf');
  if (any.length > 0 && !any.some(isFine)) {
    append(errors, [composite('validate at least one schema (anyOf)'), ...fewest(any)]);
  }
  const one = judge('oneOf');
  const valid = one.filter(isFine).length;
  if (one.length > 0 && valid !== 1) {
    const found = valid === 0 ? 'Found none valid' : `Found ${valid} valid alternatives`;
    errors.push(composite(`validate one and only one schema (oneOf). ${found}`));
    append(errors, valid === 0 ? fewest(one) : []);
  }
  const all = judge('allOf');
  const failed = all.filter((each) => !isFine(each));
  if (failed.length > 0) {
    const none = failed.length === all.length ? '. None validated' : '';
    append(errors, [...failed.flat(), composite(`validate all the schemas (allOf)${none}`)]);
  }
  const { not } = node;
  if (isObject(not) && isFine(validateValue(value, not, path))) {
    errors.push(composite('not validate the schema (not)'));
  }
  return errors;
}

function isFine(errors: readonly FieldError[]): boolean {
  return errors.length === 0;
}

function fewest(alternatives: readonly (readonly FieldError[])[]): readonly FieldError[] {
  return alternatives.toSorted((a, b) => a.length - b.length)[0] ?? [];
}

/** Finds duplicate items in lists of type set and map. */
export function validateListTypes(value: Json, node: SchemaNode, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (Array.isArray(value)) {
    const keys = listKeys(node);
    const seen = new Map<string, number>();
    for (const [index, item] of value.entries()) {
      if (keys !== undefined) {
        const key = keyOf(item, keys, node.items);
        const text = JSON.stringify(key);
        const times = seen.get(text) ?? 0;
        seen.set(text, times + 1);
        if (times === 1) {
          errors.push(duplicate(`${path}[${index}]`, key));
        }
      }
      if (isObject(node.items)) {
        append(errors, validateListTypes(item, node.items, `${path}[${index}]`));
      }
    }
  } else if (isObject(value)) {
    for (const [field, item] of Object.entries(value)) {
      const child = schemaOfField(node, field);
      if (child !== undefined && item !== undefined) {
        const isNamed = Object.hasOwn(node.properties ?? {}, field);
        const at = isNamed ? (path === '' ? field : `${path}.${field}`) : `${path}[${field}]`;
        append(errors, validateListTypes(item, child, at));
      }
    }
  }
  return errors;
}

/** Returns the keys of a list of type map; none for type set, whose items are themselves the keys. */
function listKeys(node: SchemaNode): readonly string[] | undefined {
  switch (node['x-kubernetes-list-type']) {
    case 'map':
      return node['x-kubernetes-list-map-keys'] ?? [];
    case 'set':
      return [];
    default:
      return undefined;
  }
}

function keyOf(item: Json, keys: readonly string[], schema: SchemaNode | undefined): Json {
  if (keys.length === 0) {
    return item;
  }
  const source = isObject(item) ? item : {};
  const key: JsonObject = {};
  for (const name of [...keys].sort()) {
    const value = source[name] ?? schema?.properties?.[name]?.default;
    if (value !== undefined) {
      key[name] = value;
    }
  }
  return key;
}

/** Finds embedded resources without a kind or a version. */
export function validateEmbedded(value: Json, node: SchemaNode, path: string): FieldError[] {
  if (Array.isArray(value)) {
    const { items } = node;
    return isObject(items)
      ? value.flatMap((item, index) => validateEmbedded(item, items, `${path}[${index}]`))
      : [];
  }
  if (!isObject(value)) {
    return [];
  }
  const errors = node['x-kubernetes-embedded-resource'] === true ? embeddedErrors(value, path) : [];
  for (const [field, item] of Object.entries(value)) {
    const child = schemaOfField(node, field);
    if (child !== undefined && item !== undefined) {
      const isNamed = Object.hasOwn(node.properties ?? {}, field);
      const at = isNamed ? `${path === '' ? '' : `${path}.`}${field}` : `${path}[${field}]`;
      append(errors, validateEmbedded(item, child, at));
    }
  }
  return errors;
}

function embeddedErrors(value: JsonObject, path: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const field of ['apiVersion', 'kind']) {
    const given = value[field];
    if (given === undefined) {
      errors.push(required(`${path}.${field}`));
    } else if (typeof given !== 'string') {
      errors.push(invalid(`${path}.${field}`, given, 'must be a string'));
    } else if (given === '') {
      errors.push(invalid(`${path}.${field}`, given, 'must not be empty'));
    } else if (field === 'kind' && kindProblems(given).length > 0) {
      const problems = kindProblems(given).join(',');
      errors.push(
        invalid(`${path}.kind`, given, `may have mixed case, but should otherwise match: ${problems}`),
      );
    } else if (field === 'apiVersion' && given.split('/').length > 2) {
      errors.push(invalid(`${path}.apiVersion`, given, `unexpected GroupVersion string: ${given}`));
    }
  }
  if (isObject(value['metadata'])) {
    // The types of its fields were checked when the object was decoded. A name is not needed.
    const metadata = value['metadata'] as ObjectMeta;
    const named = { ...metadata, name: metadata.name ?? 'unnamed' };
    const found = validateObjectMeta(named, (metadata.namespace ?? '') !== '', pathSegment);
    append(
      errors,
      found.map((error) => ({ ...error, field: `${path}.${error.field}` })),
    );
  }
  return errors;
}
