import { isTrue } from '../http/request-info.ts';
import { type FieldError, forbiddenField, invalidObject, notSupported } from '../meta/field-error.ts';
import type { KubeObject } from '../meta/kube-object.ts';
import { badRequest } from '../meta/status-error.ts';
import type { ResourceDefinition } from '../resources/resource-definition.ts';
import { parseFieldSelector, type FieldRequirement } from '../selectors/field-selector.ts';
import { parseLabelSelector } from '../selectors/label-selector.ts';

/** The ListOptions of a list or watch, validated. */
export interface ListOptions {
  readonly resourceVersion: string;
  readonly resourceVersionMatch: string;
  readonly limit: number;
  readonly continueToken: string;
  readonly timeoutSeconds: number | undefined;
  readonly allowWatchBookmarks: boolean;
  readonly sendInitialEvents: boolean | undefined;
  /** Undefined if everything is selected. Judges the stored form. */
  readonly selects: ((object: KubeObject) => boolean) | undefined;
}

export function parseListOptions(
  query: URLSearchParams,
  definition: ResourceDefinition,
  name: string,
  isWatch: boolean,
): ListOptions {
  const sendInitialEvents = query.has('sendInitialEvents')
    ? isTrue(query.get('sendInitialEvents'))
    : undefined;
  const options = {
    resourceVersion: query.get('resourceVersion') ?? '',
    resourceVersionMatch: query.get('resourceVersionMatch') ?? '',
    limit: Math.max(0, integer(query, 'limit') ?? 0),
    continueToken: query.get('continue') ?? '',
    timeoutSeconds: integer(query, 'timeoutSeconds'),
    allowWatchBookmarks: isTrue(query.get('allowWatchBookmarks')),
    sendInitialEvents,
    selects: selector(query, definition, name),
  };
  const errors = isWatch ? watchErrors(options) : listErrors(options);
  if (errors.length > 0) {
    throw invalidObject({ group: 'meta.k8s.io', name: 'ListOptions' }, '', errors);
  }
  return options;
}

export function integer(query: URLSearchParams, field: string): number | undefined {
  const text = query.get(field);
  if (text === null || text === '') {
    return undefined;
  }
  if (!/^[+-]?\d+$/.test(text)) {
    throw badRequest(`strconv.ParseInt: parsing "${text}": invalid syntax`);
  }
  return Number(text);
}

type RawOptions = Pick<
  ListOptions,
  'resourceVersion' | 'resourceVersionMatch' | 'continueToken' | 'sendInitialEvents'
>;

function listErrors({
  resourceVersion,
  resourceVersionMatch: match,
  continueToken,
  sendInitialEvents,
}: RawOptions): FieldError[] {
  const errors: FieldError[] = [];
  const field = 'resourceVersionMatch';
  if (sendInitialEvents !== undefined) {
    errors.push(forbiddenField('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
  }
  if (match !== '') {
    if (resourceVersion === '') {
      errors.push(
        forbiddenField(field, 'resourceVersionMatch is forbidden unless resourceVersion is provided'),
      );
    }
    if (continueToken !== '') {
      errors.push(forbiddenField(field, 'resourceVersionMatch is forbidden when continue is provided'));
    }
    if (match !== 'Exact' && match !== 'NotOlderThan') {
      errors.push(notSupported(field, match, ['Exact', 'NotOlderThan', '']));
    }
    if (match === 'Exact' && resourceVersion === '0') {
      errors.push(forbiddenField(field, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
    }
  }
  return errors;
}

function watchErrors({
  resourceVersionMatch: match,
  continueToken,
  sendInitialEvents,
}: RawOptions): FieldError[] {
  const errors: FieldError[] = [];
  const field = 'resourceVersionMatch';
  if (sendInitialEvents !== undefined) {
    if (match !== 'NotOlderThan') {
      errors.push(
        forbiddenField(field, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'),
      );
    }
    if (match !== '' && match !== 'NotOlderThan') {
      errors.push(notSupported(field, match, ['NotOlderThan']));
    }
  } else if (match !== '') {
    errors.push(
      forbiddenField(
        field,
        'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
      ),
    );
  }
  if (continueToken !== '') {
    errors.push(forbiddenField(field, 'resourceVersionMatch is forbidden when continue is provided'));
  }
  return errors;
}

function selector(
  query: URLSearchParams,
  definition: ResourceDefinition,
  name: string,
): ((object: KubeObject) => boolean) | undefined {
  const labelText = query.get('labelSelector') ?? '';
  const fieldText = query.get('fieldSelector') ?? '';
  if (labelText === '' && fieldText === '' && name === '') {
    return undefined;
  }
  const labels = labelText === '' ? undefined : parseLabelSelector(labelText);
  const checks = parseFieldSelector(fieldText).map((requirement) => fieldCheck(definition, requirement));
  return (object) =>
    (name === '' || object.metadata.name === name) &&
    (labels === undefined || labels(object.metadata.labels)) &&
    checks.every((check) => check(object));
}

function fieldCheck(
  definition: ResourceDefinition,
  { field, operator, value }: FieldRequirement,
): (object: KubeObject) => boolean {
  const read = fieldReader(definition, field);
  return operator === '=' ? (object) => read(object) === value : (object) => read(object) !== value;
}

function fieldReader(definition: ResourceDefinition, field: string): (object: KubeObject) => string {
  if (field === 'metadata.name') {
    return (object) => object.metadata.name ?? '';
  }
  if (
    field === 'metadata.namespace' &&
    (definition.namespaced || definition.hasFieldLabelConversion !== true)
  ) {
    return (object) => object.metadata.namespace ?? '';
  }
  const read = definition.selectableFields?.[field];
  if (read !== undefined) {
    return read;
  }
  throw badRequest(
    definition.hasFieldLabelConversion === true
      ? `field label not supported: ${field}`
      : `"${field}" is not a known field selector: only "metadata.name", "metadata.namespace"`,
  );
}
