import { longName } from '../../meta/names.ts';
import { type FieldError, invalid, required } from '../../meta/field-error.ts';
import type { Json, JsonObject } from '../../meta/json.ts';
import type { KubeObject } from '../../meta/kube-object.ts';
import { validateImmutable } from '../../meta/object-meta.ts';
import { goValue } from '../go-diff.ts';
import { formatTime } from '../../schema/decode.ts';
import { describedResource } from './described-resource.ts';
import { type ResourceSlice, validateResourceSlice } from './resource-slice-validation.ts';
import { age, text } from './shown.ts';

/* resource.k8s.io/v1: devices, and the claims to them. */

interface Selecting extends JsonObject {
  selectors?: { cel?: JsonObject }[];
}

interface DeviceClass extends KubeObject {
  spec: Selecting;
}

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
  refusals: ({ spec }: DeviceClass) => validateSelectors(spec, 'spec'),
  shown: [age],
});

function validateSelectors({ selectors = [] }: Selecting, path: string): FieldError[] {
  return selectors.flatMap(({ cel }, index) =>
    cel === undefined ? [required(`${path}.selectors[${index}].cel`)] : [],
  );
}

interface ExactRequest extends Selecting {
  allocationMode?: string;
  count?: number;
  tolerations?: { operator?: string }[];
}

interface ClaimSpec extends JsonObject {
  devices?: {
    requests?: { name: string; exactly?: ExactRequest; firstAvailable?: ExactRequest[] }[] | null;
  };
}

function applyClaimDefaults({ devices }: ClaimSpec): void {
  for (const { exactly, firstAvailable = [] } of devices?.requests ?? []) {
    for (const request of exactly === undefined ? firstAvailable : [exactly, ...firstAvailable]) {
      request.allocationMode ??= 'ExactCount';
      if (request.allocationMode === 'ExactCount') {
        request.count ??= 1;
      }
      for (const toleration of request.tolerations ?? []) {
        toleration.operator ??= 'Equal';
      }
    }
  }
}

function validateClaim({ devices }: ClaimSpec, path: string): FieldError[] {
  return (devices?.requests ?? []).flatMap(({ exactly, firstAvailable = [] }, index) => {
    const at = `${path}.devices.requests[${index}]`;
    if ((exactly === undefined) === (firstAvailable.length === 0)) {
      const problem = 'exactly one of `exactly` or `firstAvailable` is required';
      return [
        exactly === undefined
          ? required(at, problem)
          : invalid(
              at,
              null,
              'exactly one of `exactly` or `firstAvailable` is required, but multiple fields are set',
            ),
      ];
    }
    return exactly === undefined ? [] : validateSelectors(exactly, `${at}.exactly`);
  });
}

function unchanging(spec: JsonObject, old: Json | undefined, struct: string): FieldError[] {
  return validateImmutable(goValue(spec, struct), goValue((old ?? {}) as JsonObject, struct), 'spec');
}

interface ResourceClaim extends KubeObject {
  spec: ClaimSpec;
  status: { allocation?: JsonObject; reservedFor?: JsonObject[] };
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
  applyDefaults: ({ spec }: ResourceClaim) => applyClaimDefaults(spec),
  refusals: ({ spec }: ResourceClaim, old) =>
    old === undefined
      ? validateClaim(spec, 'spec')
      : unchanging(spec, old['spec'], 'resource.v1.ResourceClaimSpec'),
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
  spec: { spec: ClaimSpec } & JsonObject;
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
  refusals: ({ spec }: ResourceClaimTemplate, old) =>
    old === undefined
      ? validateClaim(spec.spec, 'spec.spec')
      : unchanging(spec, old['spec'], 'resource.v1.ResourceClaimTemplateSpec'),
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
  hasAllRules: true,
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
