import { type FieldError, forbiddenField, invalid } from '../../meta/field-error.ts';
import type { Json, JsonObject } from '../../meta/json.ts';
import type { KubeObject, ObjectMeta } from '../../meta/kube-object.ts';
import { longName } from '../../meta/names.ts';
import { validateAnnotations, validateImmutable, validateLabels } from '../../meta/object-meta.ts';
import { formatTime } from '../../schema/decode.ts';
import { goValue } from '../go-diff.ts';
import { namespaces } from '../namespace.ts';
import { isExtendedResource } from '../pod-validation/resource-names.ts';
import { type WriteContext, keyspaceOf } from '../resource-definition.ts';
import { type ResourceClaim, dropFreedDevices, validateClaimStatus } from './claim-status-validation.ts';
import { describedResource } from './described-resource.ts';
import {
  type ClaimSpec,
  type Selecting,
  validateClaimSpec,
  validateConfiguration,
  validateSelectors,
} from './device-claim-validation.ts';
import { validateItems } from './device-names.ts';
import { type ResourceSlice, validateResourceSlice } from './resource-slice-validation.ts';
import { age, text } from './shown.ts';

/* resource.k8s.io/v1: devices, and the claims to them. */

interface DeviceClass extends KubeObject {
  spec: Selecting & { config?: JsonObject[]; extendedResourceName?: string };
}

const mostConfigurations = 32;

export const deviceClasses = describedResource({
  group: 'resource.k8s.io',
  version: 'v1',
  kind: 'DeviceClass',
  nameRule: longName,
  plural: 'deviceclasses',
  namespaced: false,
  struct: 'resource.v1.DeviceClass',
  storageVersionHash: 'Yk2PTc1Ybxk=',
  hasGeneration: true,
  returnsDeletedObject: true,
  refusals({ spec }: DeviceClass) {
    const { config = [], extendedResourceName: name } = spec;
    return [
      ...validateSelectors(spec, 'spec'),
      ...validateItems(config, mostConfigurations, 'spec.config', validateConfiguration),
      ...(name === undefined || isExtendedResource(name)
        ? []
        : [invalid('spec.extendedResourceName', name, 'must be a valid extended resource name')]),
    ];
  },
  shown: [age],
});

function applyClaimDefaults({ devices }: ClaimSpec): void {
  for (const { exactly, firstAvailable = [] } of devices?.requests ?? []) {
    for (const request of exactly === undefined ? firstAvailable : [exactly, ...firstAvailable]) {
      request.allocationMode ||= 'ExactCount';
      if (request.allocationMode === 'ExactCount') {
        request.count ||= 1;
      }
      for (const toleration of request.tolerations ?? []) {
        toleration.operator ??= 'Equal';
      }
    }
  }
}

/** Where objects ask for admin access in a namespace that does not allow it. */
const unlawful = new WeakMap<KubeObject, string>();

const adminLabel = 'resource.kubernetes.io/admin-access';

interface MaybeAdmin {
  readonly adminAccess?: boolean;
}

const asksForAdmin = (asking: MaybeAdmin | undefined): boolean => asking?.adminAccess === true;

/**
 * Remembers what only the storage tells, until the object is validated.
 *
 * @param path of the list of those that may ask for the access
 */
function checkAdminAccess(
  object: KubeObject,
  asking: readonly (MaybeAdmin | undefined)[],
  path: string,
  { storage }: WriteContext,
): void {
  const index = asking.findIndex(asksForAdmin);
  const namespace = storage.get(keyspaceOf(namespaces), '', object.metadata.namespace ?? '');
  if (index !== -1 && namespace?.object.metadata.labels?.[adminLabel] !== 'true') {
    unlawful.set(object, `${path}[${index}].adminAccess`);
  }
}

/** Errors name requests as those of a claim, whether they are in a template or not. */
function checkRequests(object: KubeObject, { devices }: ClaimSpec, context: WriteContext): void {
  const asking = (devices?.requests ?? []).map(({ exactly }) => exactly);
  checkAdminAccess(object, asking, 'spec.devices.requests', context);
}

const resultsOf = ({ status }: ResourceClaim): readonly MaybeAdmin[] =>
  status.allocation?.devices?.results ?? [];

function adminErrors(object: KubeObject): FieldError[] {
  const path = unlawful.get(object);
  return path === undefined
    ? []
    : [
        forbiddenField(
          path,
          `admin access to devices requires the \`${adminLabel}: true\` label on the containing namespace`,
        ),
      ];
}

/** Claims get nothing but labels and annotations from their template. */
function validateTemplateMetadata(metadata: ObjectMeta, path: string): FieldError[] {
  const { labels, annotations } = metadata;
  return [
    ...validateAnnotations(annotations, `${path}.annotations`),
    ...validateLabels(labels, `${path}.labels`),
    ...Object.keys(metadata)
      .filter((field) => field !== 'labels' && field !== 'annotations')
      .map((field) => forbiddenField(`${path}.${field}`, 'cannot be set')),
  ];
}

function unchanging(spec: JsonObject, old: Json | undefined, struct: string): FieldError[] {
  return validateImmutable(goValue(spec, struct), goValue((old ?? {}) as JsonObject, struct), 'spec');
}

export const resourceClaims = describedResource({
  group: 'resource.k8s.io',
  version: 'v1',
  kind: 'ResourceClaim',
  plural: 'resourceclaims',
  namespaced: true,
  struct: 'resource.v1.ResourceClaim',
  storageVersionHash: 'wgAZaHcZxUg=',
  hasStatus: true,
  returnsDeletedObject: true,
  statusKeeps: ['labels', 'annotations', 'finalizers', 'ownerReferences', 'deletionTimestamp'],
  applyDefaults: ({ spec }: ResourceClaim) => applyClaimDefaults(spec),
  prepareForCreate: (claim: ResourceClaim, context) => {
    checkRequests(claim, claim.spec, context);
  },
  prepareStatus(claim: ResourceClaim, old: ResourceClaim, context) {
    dropFreedDevices(claim, old);
    // An allocation that has the access keeps it.
    if (!resultsOf(old).some(asksForAdmin)) {
      checkAdminAccess(claim, resultsOf(claim), 'status.allocation.devices.results', context);
    }
  },
  refusals: (claim: ResourceClaim, old) =>
    old === undefined
      ? [...adminErrors(claim), ...validateClaimSpec(claim.spec, 'spec')]
      : unchanging(claim.spec, old['spec'], 'resource.v1.ResourceClaimSpec'),
  statusRefusals: (claim: ResourceClaim, old) => [
    ...adminErrors(claim),
    ...validateClaimStatus(claim, old as ResourceClaim),
  ],
  shown: [
    text<ResourceClaim>('State', 'Whether it has its devices', ({ metadata, status }) => {
      const states = [
        ...(metadata.deletionTimestamp === undefined ? [] : ['deleted']),
        ...(status.allocation === undefined
          ? metadata.deletionTimestamp === undefined
            ? ['pending']
            : []
          : ['allocated']),
        ...((status.reservedFor ?? []).length === 0 ? [] : ['reserved']),
      ];
      return states.join(',');
    }),
    age,
  ],
});

interface ResourceClaimTemplate extends KubeObject {
  spec: { metadata: ObjectMeta; spec: ClaimSpec } & JsonObject;
}

export const resourceClaimTemplates = describedResource({
  group: 'resource.k8s.io',
  version: 'v1',
  kind: 'ResourceClaimTemplate',
  plural: 'resourceclaimtemplates',
  namespaced: true,
  struct: 'resource.v1.ResourceClaimTemplate',
  storageVersionHash: 'TuzjC49aUfM=',
  returnsDeletedObject: true,
  applyDefaults: ({ spec }: ResourceClaimTemplate) => applyClaimDefaults(spec.spec),
  prepareForCreate: (template: ResourceClaimTemplate, context) => {
    checkRequests(template, template.spec.spec, context);
  },
  refusals: (template: ResourceClaimTemplate, old) => [
    ...adminErrors(template),
    ...validateTemplateMetadata(template.spec.metadata, 'spec.metadata'),
    ...validateClaimSpec(template.spec.spec, 'spec.spec'),
    ...(old === undefined
      ? []
      : unchanging(template.spec, old['spec'], 'resource.v1.ResourceClaimTemplateSpec')),
  ],
  shown: [age],
});

export const resourceSlices = describedResource({
  group: 'resource.k8s.io',
  version: 'v1',
  kind: 'ResourceSlice',
  plural: 'resourceslices',
  namespaced: false,
  struct: 'resource.v1.ResourceSlice',
  storageVersionHash: 'KsC072WgaEY=',
  hasGeneration: true,
  returnsDeletedObject: true,
  selectableFields: {
    'spec.driver': ({ spec }) => (spec as ResourceSlice['spec']).driver,
    'spec.nodeName': ({ spec }) => (spec as ResourceSlice['spec']).nodeName ?? '',
  },
  hasFieldLabelConversion: true,
  prepareForCreate: (slice: ResourceSlice, { now }) => {
    stampTaints(slice, now);
  },
  prepareForUpdate: (slice: ResourceSlice, _old, { now }) => {
    stampTaints(slice, now);
  },
  refusals: (slice: ResourceSlice, old) => validateResourceSlice(slice, old as ResourceSlice | undefined),
  warnings: ({ spec: { driver } }: ResourceSlice) =>
    driver === driver.toLowerCase()
      ? []
      : [
          `spec.driver: driver names should be lowercase; ${JSON.stringify(driver)} contains uppercase characters`,
        ],
  shown: [
    text<ResourceSlice>('Node', 'Where the devices are', ({ spec }) => spec.nodeName ?? '<unset>'),
    text<ResourceSlice>('Driver', 'Whose they are', ({ spec }) => spec.driver),
    text<ResourceSlice>('Pool', 'Of which pool', ({ spec }) => spec.pool.name),
    age,
  ],
});

/** Sets missing times of taints. */
function stampTaints({ spec: { devices = [] } }: ResourceSlice, now: number): void {
  for (const taint of devices.flatMap(({ taints = [] }) => taints)) {
    taint.timeAdded ??= formatTime(now);
  }
}
