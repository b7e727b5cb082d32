import { append } from '../meta/append.ts';
import { type FieldError, forbiddenField, invalid, notSupported, required } from '../meta/field-error.ts';
import { type JsonObject, jsonEqual } from '../meta/json.ts';
import type { LabelSelector, ObjectMeta } from '../meta/kube-object.ts';
import { dnsLabel, dnsSubdomain } from '../meta/names.ts';
import { validateAnnotations, validateLabels } from '../meta/object-meta.ts';
import { validateLabelSelector } from '../selectors/label-selector-validation.ts';
import { compareQuantities, isFractional } from '../schema/quantity.ts';

/*
 * The spec of a claim: in the claim itself, in a StatefulSet's claim templates, and in generic ephemeral
 * volumes.
 */

interface DataSource extends JsonObject {
  apiGroup?: string | null;
  kind: string;
  name: string;
}

export interface VolumeClaimSpec extends JsonObject {
  accessModes?: string[];
  selector?: LabelSelector;
  resources: { requests?: { [resource: string]: string }; limits?: { [resource: string]: string } };
  volumeName?: string;
  storageClassName?: string;
  volumeMode?: string;
  dataSource?: DataSource;
  dataSourceRef?: DataSource & { namespace?: string };
  volumeAttributesClassName?: string;
}

export const accessModes = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];
const volumeModes = ['Block', 'Filesystem'];

export function applyClaimSpecDefaults(spec: VolumeClaimSpec): void {
  spec.volumeMode ??= 'Filesystem';
}

export function validateClaimSpec(spec: VolumeClaimSpec, path: string): FieldError[] {
  return [
    ...validateAccessModes(spec.accessModes ?? [], `${path}.accessModes`),
    ...validateLabelSelector(spec.selector, `${path}.selector`),
    ...validateStorage(spec.resources.requests?.['storage'], `${path}.resources[storage]`),
    ...validateClass(spec.storageClassName, `${path}.storageClassName`),
    ...(spec.volumeMode === undefined || volumeModes.includes(spec.volumeMode)
      ? []
      : [notSupported(`${path}.volumeMode`, spec.volumeMode, volumeModes)]),
    ...validateSources(spec, path),
    ...validateClass(spec.volumeAttributesClassName, `${path}.volumeAttributesClassName`),
  ];
}

function validateAccessModes(modes: readonly string[], at: string): FieldError[] {
  const known = modes.filter((mode) => accessModes.includes(mode));
  return [
    ...(modes.length === 0 ? [required(at, 'at least 1 access mode is required')] : []),
    ...modes.flatMap((mode) => (accessModes.includes(mode) ? [] : [notSupported(at, mode, accessModes)])),
    ...(known.includes('ReadWriteOncePod') && known.some((mode) => mode !== 'ReadWriteOncePod')
      ? [forbiddenField(at, 'may not use ReadWriteOncePod with other access modes')]
      : []),
  ];
}

function validateStorage(storage: string | undefined, at: string): FieldError[] {
  if (storage === undefined) {
    return [required(at)];
  }
  return compareQuantities(storage, '0') <= 0 ? [invalid(at, storage, 'must be greater than zero')] : [];
}

function validateClass(name = '', at: string): FieldError[] {
  return (name === '' ? [] : dnsSubdomain(name, false)).map((problem) => invalid(at, name, problem));
}

/** Validates the sources from which a claim's volume is populated. */
function validateSources({ dataSource, dataSourceRef }: VolumeClaimSpec, path: string): FieldError[] {
  const errors = [
    ...(dataSource === undefined ? [] : validateSource(dataSource, `${path}.dataSource`)),
    ...(dataSourceRef === undefined ? [] : validateSource(dataSourceRef, `${path}.dataSourceRef`)),
  ];
  const { namespace = '', ...local } = dataSourceRef ?? {};
  if (namespace !== '') {
    const at = `${path}.dataSourceRef.namespace`;
    append(
      errors,
      dnsLabel(namespace, false).map((problem) => invalid(at, namespace, problem)),
    );
  }
  if (dataSource === undefined || dataSourceRef === undefined) {
    return errors;
  }
  // The real server shows the path as an object without fields, instead of the value.
  if (namespace !== '') {
    errors.push(invalid(path, {}, 'may not be specified when dataSourceRef.namespace is specified'));
  } else if (!jsonEqual(dataSource, local)) {
    errors.push(invalid(path, {}, 'must match dataSourceRef'));
  }
  return errors;
}

function validateSource({ name, kind, apiGroup }: DataSource, at: string): FieldError[] {
  const group = apiGroup ?? '';
  const problem = "must be 'PersistentVolumeClaim' when referencing the default apiGroup";
  return [
    ...(name === '' ? [required(`${at}.name`)] : []),
    ...(kind === '' ? [required(`${at}.kind`)] : []),
    ...(group === '' && kind !== 'PersistentVolumeClaim' ? [invalid(at, kind, problem)] : []),
    ...validateClass(group, `${at}.apiGroup`),
  ];
}

/** Validates a template for claims, whose metadata each claim gets in addition to its own name. */
export function validateClaimTemplate(
  { metadata, spec }: { readonly metadata: ObjectMeta; readonly spec: VolumeClaimSpec },
  path: string,
): FieldError[] {
  return [
    ...validateAnnotations(metadata.annotations, `${path}.metadata.annotations`),
    ...validateLabels(metadata.labels, `${path}.metadata.labels`),
    ...Object.keys(metadata).flatMap((field) =>
      field === 'annotations' || field === 'labels'
        ? []
        : // The real server uses the field's name in Go.
          [forbiddenField(`${path}.metadata.${field === 'uid' ? 'uID' : field}`, 'cannot be set')],
    ),
    ...validateClaimSpec(spec, `${path}.spec`),
  ];
}

export function claimSpecWarnings({ resources }: VolumeClaimSpec, path: string): readonly string[] {
  return (['requests', 'limits'] as const).flatMap((field) => {
    const amount = resources[field]?.['storage'] ?? '0';
    return isFractional(amount)
      ? [
          `${path}.resources.${field}[storage]: fractional byte value "${amount}" is invalid, must be an integer`,
        ]
      : [];
  });
}

/** The short forms in tables: RWO, ROX, RWX, RWOP. */
export function shortAccessModes(modes: readonly string[] | undefined): string {
  const short: readonly (readonly [string, string])[] = [
    ['ReadWriteOnce', 'RWO'],
    ['ReadOnlyMany', 'ROX'],
    ['ReadWriteMany', 'RWX'],
    ['ReadWriteOncePod', 'RWOP'],
  ];
  return short
    .filter(([mode]) => modes?.includes(mode))
    .map(([, abbreviation]) => abbreviation)
    .join(',');
}
