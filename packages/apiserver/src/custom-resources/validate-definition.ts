import { append } from '../meta/append.ts';
import { type FieldError, forbiddenField, invalid, notSupported, required } from '../meta/field-error.ts';
import { isObject, jsonEqual } from '../meta/json.ts';
import { dns1035Label, dnsSubdomain } from '../meta/names.ts';
import { kindProblems } from '../structural/formats.ts';
import { type SchemaNode, childrenOf } from '../structural/schema-node.ts';
import { ExpressionError, regularExpression } from '../structural/regular-expression.ts';
import {
  type CustomResourceDefinition,
  type CustomResourceNames,
  type CustomResourceScale,
  type CustomResourceVersion,
  type PrinterColumn,
  isTrue,
} from './custom-resource-definition.ts';
import { bundleErrors, conversionErrors } from './validate-conversion.ts';
import { defaultErrors } from './validate-defaults.ts';
import { nestedErrors } from './validate-nested.ts';
import { ruleCompileErrors, ruleFormErrors } from './validate-rules.ts';
import { selectableFieldErrors } from './validate-selectable-fields.ts';

/*
 * Validates a CustomResourceDefinition, as apis/apiextensions/validation of k8s.io/apiextensions-apiserver
 * does.
 */

export function validateDefinition(definition: CustomResourceDefinition): FieldError[] {
  const { metadata, spec } = definition;
  const wanted = `${spec.names.plural}.${spec.group}`;
  return [
    ...(metadata.name === wanted
      ? []
      : [invalid('metadata.name', metadata.name ?? '', 'must be spec.names.plural+"."+spec.group')]),
    ...specErrors(definition, true),
    ...storedVersionErrors(definition),
  ];
}

export function validateDefinitionUpdate(
  definition: CustomResourceDefinition,
  old: CustomResourceDefinition,
): FieldError[] {
  const mayTrustNothing = !isTrue(old, 'Established') || bundleErrors(old.spec.conversion).length > 0;
  const errors = specErrors(definition, mayTrustNothing, old);
  const fixed = (field: string, value: string, before: string): void => {
    if (value !== before) {
      errors.push(invalid(field, value, 'field is immutable'));
    }
  };
  if (isTrue(old, 'Established')) {
    fixed('spec.scope', definition.spec.scope, old.spec.scope);
    fixed('spec.names.kind', definition.spec.names.kind, old.spec.names.kind);
  }
  fixed('spec.group', definition.spec.group, old.spec.group);
  fixed('spec.names.plural', definition.spec.names.plural, old.spec.names.plural);
  return [...errors, ...storedVersionErrors(definition)];
}

function storedVersionErrors({ spec, status }: CustomResourceDefinition): FieldError[] {
  const stored = status.storedVersions ?? [];
  const field = 'status.storedVersions';
  if (stored.length === 0) {
    return [invalid(field, stored, 'must have at least one stored version')];
  }
  const names = (spec.versions ?? []).map(({ name }) => name);
  return [
    ...(spec.versions ?? [])
      .filter(({ storage, name }) => storage && !stored.includes(name))
      .map(({ name }) => invalid(field, stored, `must have the storage version ${name}`)),
    ...stored.flatMap((name, index) =>
      names.includes(name)
        ? []
        : [
            invalid(
              `${field}[${index}]`,
              name,
              `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`,
            ),
          ],
    ),
  ];
}

/** @param mayTrustNothing whether the webhook's caBundle may have no certificate */
function specErrors(
  { spec }: CustomResourceDefinition,
  mayTrustNothing: boolean,
  old?: CustomResourceDefinition,
): FieldError[] {
  const errors: FieldError[] = [];
  if (spec.group === '') {
    errors.push(required('spec.group'));
  } else if (dnsSubdomain(spec.group, false).length > 0) {
    errors.push(invalid('spec.group', spec.group, dnsSubdomain(spec.group, false).join(',')));
  } else if (!spec.group.includes('.')) {
    errors.push(invalid('spec.group', spec.group, 'should be a domain with at least one dot'));
  }
  if (spec.scope === '') {
    errors.push(required('spec.scope'));
  } else if (spec.scope !== 'Cluster' && spec.scope !== 'Namespaced') {
    errors.push(notSupported('spec.scope', spec.scope, ['Cluster', 'Namespaced']));
  }
  const versions = spec.versions ?? [];
  for (const [index, { schema }] of versions.entries()) {
    if (schema?.openAPIV3Schema === undefined) {
      errors.push(required(`spec.versions[${index}].schema.openAPIV3Schema`));
    }
  }
  for (const [index, version] of versions.entries()) {
    const problems = dns1035Label(version.name, false);
    if (problems.length > 0) {
      errors.push(invalid(`spec.versions[${index}].name`, version.name, problems.join(',')));
    }
  }
  append(errors, versionErrors(versions, old?.spec.versions ?? []));
  if (new Set(versions.map(({ name }) => name)).size < versions.length) {
    errors.push(invalid('spec.versions', versions, 'must contain unique version names'));
  }
  if (versions.filter(({ storage }) => storage).length !== 1) {
    errors.push(
      invalid('spec.versions', versions, 'must have exactly one version marked as storage version'),
    );
  }
  append(errors, nameErrors(spec.names));
  append(errors, conversionErrors(spec.conversion, mayTrustNothing));
  if (spec.preserveUnknownFields === true) {
    const cure =
      'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead';
    errors.push(invalid('spec.preserveUnknownFields', true, cure));
  }
  return errors;
}

/**
 * A field that is equal in all versions is validated once and reported at the top level, where the real
 * server's internal form of a definition has it.
 */
function versionErrors(
  versions: readonly CustomResourceVersion[],
  oldVersions: readonly CustomResourceVersion[],
): FieldError[] {
  const fields = ['schema', 'subresources', 'additionalPrinterColumns', 'selectableFields'] as const;
  type Shareable = (typeof fields)[number];
  const shared = new Set<Shareable>(
    fields.filter((field) =>
      versions.every((version) => jsonEqual(version[field] ?? null, versions[0]?.[field] ?? null)),
    ),
  );
  const isShared = (field: Shareable): boolean => shared.has(field);
  const pathOf = (field: Shareable, index: number): string => {
    if (!isShared(field)) {
      return `spec.versions[${index}].${field}`;
    }
    return field === 'schema' ? 'spec.validation' : `spec.${field}`;
  };
  const oldRoots = new Map(
    oldVersions.toReversed().map(({ name, schema }) => [name, schema?.openAPIV3Schema]),
  );
  return versions.flatMap((version, index) => {
    const { schema, subresources, additionalPrinterColumns, selectableFields } = version;
    const isFirst = (field: Shareable): boolean => !isShared(field) || index === 0;
    const root = schema?.openAPIV3Schema;
    const oldRoot = oldRoots.get(version.name);
    const isKnown = root !== undefined && oldRoot !== undefined && jsonEqual(root, oldRoot);
    return [
      ...deprecationErrors(version, `spec.versions[${index}].deprecationWarning`),
      ...(root !== undefined && isFirst('schema')
        ? schemaErrors(root, `${pathOf('schema', index)}.openAPIV3Schema`, isKnown)
        : []),
      ...(subresources?.scale !== undefined && isFirst('subresources')
        ? scaleErrors(subresources.scale, `${pathOf('subresources', index)}.scale`)
        : []),
      ...(isFirst('additionalPrinterColumns')
        ? (additionalPrinterColumns ?? []).flatMap((column, at) =>
            columnErrors(column, `${pathOf('additionalPrinterColumns', index)}[${at}]`),
          )
        : []),
      ...(root !== undefined && isFirst('selectableFields')
        ? selectableFieldErrors(selectableFields ?? [], root, pathOf('selectableFields', index))
        : []),
    ];
  });
}

function deprecationErrors(
  { deprecated, deprecationWarning }: CustomResourceVersion,
  path: string,
): FieldError[] {
  if (deprecationWarning === undefined) {
    return [];
  }
  const problems: string[] = [];
  if (deprecated !== true) {
    problems.push('can only be set for deprecated versions');
  } else {
    if (Buffer.byteLength(deprecationWarning) > 256) {
      problems.push('must be <= 256 characters long');
    }
    if (deprecationWarning === '') {
      problems.push('must not be an empty string');
    }
    // What Go prints as it is: letters, marks, numbers, punctuation, symbols and the ASCII space.
    const found = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.exec(deprecationWarning);
    if (found !== null) {
      const at = Buffer.byteLength(deprecationWarning.slice(0, found.index));
      problems.push(
        `must only contain printable UTF-8 characters; non-printable character found at index ${at}`,
      );
    }
  }
  return problems.map((problem) => invalid(path, deprecationWarning, problem));
}

function nameErrors({
  plural,
  singular = '',
  kind,
  listKind = '',
  shortNames,
  categories,
}: CustomResourceNames): FieldError[] {
  const errors: FieldError[] = [];
  const label = (field: string, name: string): void => {
    const problems = dns1035Label(name, false);
    if (problems.length > 0) {
      errors.push(invalid(field, name, problems.join(',')));
    }
  };
  const mixedCase = (field: string, name: string): void => {
    const problems = kindProblems(name);
    if (problems.length > 0) {
      const text = `may have mixed case, but should otherwise match: ${problems.join(',')}`;
      errors.push(invalid(field, name, text));
    }
  };
  const named: readonly (readonly [field: string, name: string, check: typeof label])[] = [
    ['spec.names.plural', plural, label],
    ['spec.names.singular', singular, label],
    ['spec.names.kind', kind, mixedCase],
    ['spec.names.listKind', listKind, mixedCase],
  ];
  append(
    errors,
    named.filter(([, name]) => name === '').map(([field]) => required(field)),
  );
  for (const [field, name, check] of named) {
    if (name !== '') {
      check(field, name);
    }
  }
  for (const [index, name] of (shortNames ?? []).entries()) {
    label(`spec.names.shortNames[${index}]`, name);
  }
  if (kind !== '' && kind === listKind) {
    errors.push(invalid('spec.names.listKind', listKind, 'kind and listKind may not be the same'));
  }
  for (const [index, name] of (categories ?? []).entries()) {
    label(`spec.names.categories[${index}]`, name);
  }
  return errors;
}

const columnTypes = ['boolean', 'date', 'integer', 'number', 'string'];
const columnFormats = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];

function columnErrors({ name, type, format = '', jsonPath }: PrinterColumn, field: string): FieldError[] {
  const errors: FieldError[] = [];
  if (name === '') {
    errors.push(required(`${field}.name`));
  }
  if (type === '') {
    errors.push(required(`${field}.type`, `must be one of ${columnTypes.join(',')}`));
  } else if (!columnTypes.includes(type)) {
    errors.push(invalid(`${field}.type`, type, `must be one of ${columnTypes.join(',')}`));
  }
  if (format !== '' && !columnFormats.includes(format)) {
    errors.push(invalid(`${field}.format`, format, `must be one of ${columnFormats.join(',')}`));
  }
  if (jsonPath === '') {
    errors.push(required(`${field}.JSONPath`));
  } else {
    append(errors, pathErrors(jsonPath, `${field}.JSONPath`));
  }
  return errors;
}

/** Whether a table can be printed by the path is not asked here. */
function pathErrors(path: string, field: string): FieldError[] {
  return path.startsWith('.') ? [] : [invalid(field, path, 'must be a simple json path starting with .')];
}

function scaleErrors(scale: CustomResourceScale, field: string): FieldError[] {
  const errors: FieldError[] = [];
  const check = (
    name: keyof CustomResourceScale & string,
    roots: readonly string[],
    detail: string,
  ): void => {
    const path = scale[name];
    if (typeof path !== 'string' || path === '') {
      return;
    }
    const problems = pathErrors(path, `${field}.${name}`);
    append(errors, problems);
    if (problems.length === 0 && !roots.some((root) => path.startsWith(`${root}.`))) {
      errors.push(invalid(`${field}.${name}`, path, detail));
    }
  };
  for (const name of ['specReplicasPath', 'statusReplicasPath'] as const) {
    if (scale[name] === '') {
      errors.push(required(`${field}.${name}`));
    }
  }
  check('specReplicasPath', ['.spec'], 'should be a json path under .spec');
  check('statusReplicasPath', ['.status'], 'should be a json path under .status');
  check('labelSelectorPath', ['.spec', '.status'], 'should be a json path under either .spec or .status');
  return errors;
}

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

function schemaErrors(root: SchemaNode, path: string, isKnown: boolean): FieldError[] {
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
