import { append } from '../meta/append.ts';
import { type FieldError, invalid, notSupported, required } from '../meta/field-error.ts';
import { jsonEqual } from '../meta/json.ts';
import { dns1035Label, dnsSubdomain } from '../meta/names.ts';
import { kindProblems } from '../structural/formats.ts';
import {
  type CustomResourceDefinition,
  type CustomResourceNames,
  type CustomResourceScale,
  type CustomResourceVersion,
  type PrinterColumn,
  isTrue,
} from './custom-resource-definition.ts';
import { bundleErrors, conversionErrors } from './validate-conversion.ts';
import { schemaErrors } from './validate-schema.ts';
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
