import { append } from '../meta/append.ts';
import { type FieldError, forbiddenField } from '../meta/field-error.ts';
import { type Json, type JsonObject, jsonEqual } from '../meta/json.ts';
import type { KubeObject } from '../meta/kube-object.ts';
import { dnsSubdomain } from '../meta/names.ts';
import { validateImmutable } from '../meta/object-meta.ts';
import { compareQuantities } from '../schema/quantity.ts';
import {
  type VolumeClaimSpec,
  applyClaimSpecDefaults,
  claimSpecWarnings,
  shortAccessModes,
  validateClaimSpec,
} from './claim-spec.ts';
import { goDiff } from './go-diff.ts';
import type { ResourceDefinition } from './resource-definition.ts';
import { ageColumn, column, nameColumn, since } from './table-columns.ts';

export interface PersistentVolumeClaim extends KubeObject {
  spec: VolumeClaimSpec;
  status: {
    phase?: string;
    accessModes?: string[];
    capacity?: { [resource: string]: string };
    conditions?: JsonObject[];
  };
}

const betaClass = 'volume.beta.kubernetes.io/storage-class';

export const persistentVolumeClaims: ResourceDefinition = {
  group: '',
  version: 'v1',
  kind: 'PersistentVolumeClaim',
  plural: 'persistentvolumeclaims',
  singular: 'persistentvolumeclaim',
  shortNames: ['pvc'],
  namespaced: true,
  struct: 'core.v1.PersistentVolumeClaim',
  nameRule: dnsSubdomain,
  storageVersionHash: 'QWTyNDq0dC4=',
  returnsDeletedObject: true,
  isStoredUndefaulted: true,

  applyDefaults(claim: PersistentVolumeClaim) {
    claim.status.phase ??= 'Pending';
    applyClaimSpecDefaults(claim.spec);
  },
  prepareForCreate(claim: PersistentVolumeClaim) {
    // The default phase is added when the claim is read, so admission does not see it.
    claim.status = {};
    normaliseDataSources(claim.spec);
  },
  validate(claim: PersistentVolumeClaim) {
    return validateClaimSpec(claim.spec, 'spec');
  },
  prepareForUpdate(claim: PersistentVolumeClaim, old: PersistentVolumeClaim) {
    claim.status = old.status;
    normaliseDataSources(claim.spec);
  },
  validateUpdate: (claim: PersistentVolumeClaim, old: PersistentVolumeClaim) =>
    validateClaimUpdate(claim, old, true),
  warnings: ({ metadata, spec }: PersistentVolumeClaim) => [
    ...(metadata.annotations?.[betaClass] === undefined
      ? []
      : [
          `metadata.annotations[${betaClass}]: deprecated since v1.8; use "storageClassName" attribute instead`,
        ]),
    ...claimSpecWarnings(spec, 'spec'),
  ],
  status: {
    prepareForUpdate(claim: PersistentVolumeClaim, old: PersistentVolumeClaim) {
      claim.spec = old.spec;
    },
  },

  columns: [
    nameColumn,
    column('Status', 'The phase of the claim'),
    column('Volume', 'The volume the claim is bound to'),
    column('Capacity', 'The capacity of the bound volume'),
    column('Access Modes', 'The access modes of the bound volume'),
    column('StorageClass', 'The storage class of the claim'),
    column('VolumeAttributesClass', 'The volume attributes class of the claim'),
    ageColumn,
    column('VolumeMode', 'Filesystem or block device', 1),
  ],
  cells(claim: PersistentVolumeClaim, { now }) {
    const { metadata, spec, status } = claim;
    const isBound = (spec.volumeName ?? '') !== '';
    return [
      metadata.name ?? '',
      metadata.deletionTimestamp === undefined ? (status.phase ?? '') : 'Terminating',
      spec.volumeName ?? '',
      isBound ? (status.capacity?.['storage'] ?? '0') : '',
      isBound ? shortAccessModes(status.accessModes) : '',
      metadata.annotations?.[betaClass] ?? spec.storageClassName ?? '',
      spec.volumeAttributesClassName ?? '<unset>',
      since(metadata.creationTimestamp, now),
      spec.volumeMode ?? '<unset>',
    ];
  },
};

/**
 * dataSource may only be a claim or a snapshot, as before dataSourceRef existed. Other sources are dropped
 * from it.
 */
function isOldSource({ apiGroup, kind }: NonNullable<VolumeClaimSpec['dataSource']>): boolean {
  return (apiGroup ?? '') === ''
    ? kind === 'PersistentVolumeClaim'
    : apiGroup === 'snapshot.storage.k8s.io' && kind === 'VolumeSnapshot';
}

/** Copies dataSource and dataSourceRef to each other if both can express the source. */
function normaliseDataSources(spec: VolumeClaimSpec): void {
  if (spec.dataSource !== undefined && !isOldSource(spec.dataSource)) {
    delete spec.dataSource;
  }
  if (spec.dataSource !== undefined && spec.dataSourceRef === undefined) {
    spec.dataSourceRef = { ...spec.dataSource };
  } else if (spec.dataSourceRef !== undefined && spec.dataSource === undefined) {
    const { namespace, ...source } = spec.dataSourceRef;
    if ((namespace ?? '') === '') {
      spec.dataSource = source;
    }
  }
}

/**
 * Claims as on a server before 1.26 (RetroactiveDefaultStorageClass off), where a claim that was created
 * without a class never gets one.
 */
export function withImmutableClass(definition: ResourceDefinition): ResourceDefinition {
  return {
    ...definition,
    validateUpdate: (claim: PersistentVolumeClaim, old: PersistentVolumeClaim) =>
      validateClaimUpdate(claim, old, false),
  };
}

function validateClaimUpdate(
  claim: PersistentVolumeClaim,
  old: PersistentVolumeClaim,
  mayGetClass: boolean,
): FieldError[] {
  const errors: FieldError[] = validateClaimSpec(claim.spec, 'spec');
  const isBound = old.status.phase === 'Bound';
  // The old spec with those new values that may change, for the comparison with the new spec.
  const allowed: VolumeClaimSpec = { ...old.spec };
  // The new spec without a class that may be set now, so that neither the comparison nor an error shows it.
  const compared: VolumeClaimSpec = { ...claim.spec };
  if ((old.spec.volumeName ?? '') === '' && claim.spec.volumeName !== undefined) {
    allowed.volumeName = claim.spec.volumeName;
  }
  const annotated = old.metadata.annotations?.[betaClass];
  const annotation = claim.metadata.annotations?.[betaClass];
  const takesAnnotated =
    annotated !== undefined &&
    claim.spec.storageClassName === annotated &&
    (annotation === undefined || annotation === annotated);
  if (mayTakeClass(claim, old, mayGetClass)) {
    delete compared.storageClassName;
  }
  // The annotation may be removed if storageClassName has its value instead.
  if (old.spec.storageClassName !== undefined || !takesAnnotated) {
    append(errors, validateImmutable(annotation ?? '', annotated ?? '', `metadata.annotations.${betaClass}`));
  }
  if (isBound) {
    const requested = claim.spec.resources.requests?.['storage'];
    if (requested !== undefined && claim.spec.resources.requests !== undefined) {
      allowed.resources = {
        ...old.spec.resources,
        requests: { ...old.spec.resources.requests, storage: requested },
      };
    }
    if (claim.spec.volumeAttributesClassName === undefined) {
      delete allowed.volumeAttributesClassName;
    } else {
      allowed.volumeAttributesClassName = claim.spec.volumeAttributesClassName;
    }
  }
  if (!jsonEqual(compared, allowed)) {
    errors.push(
      forbiddenField(
        'spec',
        `spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n${goDiff(allowed, compared, 'core.v1.PersistentVolumeClaimSpec')}`,
      ),
    );
  }
  const before = old.spec.resources.requests?.['storage'] ?? '0';
  const after = claim.spec.resources.requests?.['storage'] ?? '0';
  const capacity = old.status.capacity?.['storage'] ?? '0';
  // A request may shrink to recover from a failed expansion, but must stay above the capacity, despite what
  // the message says.
  if (compareQuantities(after, before) < 0 && compareQuantities(after, capacity) <= 0) {
    errors.push(
      forbiddenField('spec.resources.requests.storage', 'field can not be less than status.capacity'),
    );
  }
  const mode: Json | undefined = claim.spec.volumeMode;
  append(errors, validateImmutable(mode, old.spec.volumeMode, 'volumeMode'));
  return errors;
}

/**
 * Whether the class may be set: to any class if there was none (retroactive default class), or to the value
 * of the beta annotation.
 */
function mayTakeClass(
  claim: PersistentVolumeClaim,
  old: PersistentVolumeClaim,
  mayGetClass: boolean,
): boolean {
  const before = old.spec.storageClassName;
  const after = claim.spec.storageClassName;
  if (before !== undefined) {
    return false;
  }
  const annotated = old.metadata.annotations?.[betaClass];
  if (annotated !== undefined) {
    return after === annotated;
  }
  return mayGetClass;
}
