import { type FieldError, forbiddenField, invalid, notSupported, required } from '../meta/field-error.ts';
import type { JsonObject } from '../meta/json.ts';
import type { LabelSelector } from '../meta/kube-object.ts';
import { dnsSubdomain } from '../meta/names.ts';
import { compareQuantities, isFractional } from '../schema/quantity.ts';

/* The spec of a claim: of the object itself, of a set's claim templates and of generic ephemeral volumes. */

export interface VolumeClaimSpec extends JsonObject {
  accessModes?: string[];
  selector?: LabelSelector;
  resources: { requests?: { [resource: string]: string }; limits?: { [resource: string]: string } };
  volumeName?: string;
  storageClassName?: string;
  volumeMode?: string;
  dataSource?: { apiGroup?: string; kind: string; name: string };
  dataSourceRef?: { apiGroup?: string; kind: string; name: string; namespace?: string };
  volumeAttributesClassName?: string;
}

export const accessModes = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];
const volumeModes = ['Block', 'Filesystem'];

export function applyClaimSpecDefaults(spec: VolumeClaimSpec): void {
  spec.volumeMode ??= 'Filesystem';
}

export function validateClaimSpec(spec: VolumeClaimSpec, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const modes = spec.accessModes ?? [];
  if (modes.length === 0) {
    errors.push(required(`${path}.accessModes`, 'at least 1 access mode is required'));
  }
  for (const mode of modes) {
    if (!accessModes.includes(mode)) {
      errors.push(notSupported(`${path}.accessModes`, mode, accessModes));
    }
  }
  if (modes.includes('ReadWriteOncePod') && modes.length > 1) {
    errors.push(
      forbiddenField(`${path}.accessModes`, 'may not use ReadWriteOncePod with other access modes'),
    );
  }
  const storage = spec.resources.requests?.['storage'];
  if (storage === undefined) {
    errors.push(required(`${path}.resources[storage]`));
  } else if (compareQuantities(storage, '0') <= 0) {
    errors.push(invalid(`${path}.resources[storage]`, storage, 'must be greater than zero'));
  }
  const className = spec.storageClassName ?? '';
  if (className !== '') {
    const problems = dnsSubdomain(className, false);
    errors.push(...problems.map((problem) => invalid(`${path}.storageClassName`, className, problem)));
  }
  if (spec.volumeMode !== undefined && !volumeModes.includes(spec.volumeMode)) {
    errors.push(notSupported(`${path}.volumeMode`, spec.volumeMode, volumeModes));
  }
  for (const field of ['dataSource', 'dataSourceRef'] as const) {
    const source = spec[field];
    if (source !== undefined && (source.apiGroup ?? '') === '' && source.kind !== 'PersistentVolumeClaim') {
      const problem = "must be 'PersistentVolumeClaim' when referencing the default apiGroup";
      errors.push(invalid(`${path}.${field}`, source.kind, problem));
    }
  }
  return errors;
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
