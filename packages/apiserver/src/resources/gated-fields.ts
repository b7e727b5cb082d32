import { type Json, type JsonObject, isObject } from '../meta/json.ts';
import { type FieldType, structSchema } from '../schema/schema.ts';

/*
 * Fields of features that are off by default in 1.36, and of versions that are no longer served. The schema
 * has them, and requests may send them, but the real server (the DropDisabled functions of pkg/registry and
 * pkg/api) drops them unless the stored object has them already. No object in this server ever has them, so
 * they are always dropped.
 */

const gatedFields: Readonly<Record<string, readonly string[]>> = {
  // CoordinatedLeaderElection
  'coordination.v1.LeaseSpec': ['strategy', 'preferredHolder'],
  // MaxUnavailableStatefulSet
  'apps.v1.RollingUpdateStatefulSetStrategy': ['maxUnavailable'],
  // VolumeLimitScaling
  'storage.v1.CSIDriverSpec': ['preventPodSchedulingIfMissing'],
  // GenericWorkload
  'core.v1.PodSpec': ['schedulingGroup'],
  // DRANodeAllocatableResources
  'core.v1.PodStatus': ['nodeAllocatableResourceClaimStatuses'],
  // ImageVolumeWithDigest
  'core.v1.VolumeMountStatus': ['volumeStatus'],
  // ContainerStopSignals
  'core.v1.Lifecycle': ['stopSignal'],
  // ClusterTrustBundleProjection, PodCertificateRequest
  'core.v1.VolumeProjection': ['clusterTrustBundle', 'podCertificate'],
  // DRANodeAllocatableResources
  'resource.v1.Device': ['nodeAllocatableResourceMappings'],
  // Only in discovery.k8s.io/v1beta1
  'discovery.v1.Endpoint': ['deprecatedTopology'],
  // DRAListTypeAttributes
  'resource.v1.DeviceAttribute': ['bools', 'ints', 'strings', 'versions'],
};

/** Drops gated fields from an object of a struct, and from everything below it. */
export function dropGatedFields(object: JsonObject, struct: string): void {
  for (const field of gatedFields[struct] ?? []) {
    Reflect.deleteProperty(object, field);
  }
  for (const { name, type } of gatedWithin(struct)) {
    const value = object[name];
    if (value !== undefined) {
      const hasSignal = name === 'lifecycle' && isObject(value) && value['stopSignal'] !== undefined;
      dropWithin(value, type);
      // A lifecycle that had only a stop signal is dropped too.
      if (hasSignal && Object.keys(value).length === 0) {
        Reflect.deleteProperty(object, name);
      }
    }
  }
}

function dropWithin(value: Json, type: FieldType): void {
  if (type.kind === 'pointer') {
    dropWithin(value, type.of);
  } else if (type.kind === 'struct' && isObject(value)) {
    dropGatedFields(value, type.name);
  } else if ((type.kind === 'list' || type.kind === 'map') && typeof value === 'object' && value !== null) {
    for (const item of Object.values(value)) {
      dropWithin(item as Json, type.of);
    }
  }
}

interface Field {
  readonly name: string;
  readonly type: FieldType;
}

const within = new Map<string, readonly Field[]>();

/** The fields of a struct that may contain gated fields. */
function gatedWithin(struct: string): readonly Field[] {
  const known = within.get(struct);
  if (known !== undefined) {
    return known;
  }
  // Ends the recursion of a struct that contains itself.
  within.set(struct, []);
  const found = structSchema(struct).fields.filter(({ type }) => {
    const inner = structOf(type);
    return inner !== undefined && (inner in gatedFields || gatedWithin(inner).length > 0);
  });
  within.set(struct, found);
  return found;
}

function structOf(type: FieldType): string | undefined {
  switch (type.kind) {
    case 'struct':
      return type.name;
    case 'pointer':
    case 'list':
    case 'map':
      return structOf(type.of);
    default:
      return undefined;
  }
}
