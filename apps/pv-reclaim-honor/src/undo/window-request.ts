import {
  persistentVolumes,
  storageClasses,
  type ApiResource,
  type KubernetesObject,
  type PersistentVolume,
  type StorageClass,
} from '@holdfast/core';
import { durationFlag, quoted } from '@holdfast/runtime';

/**
 * Annotation of a volume or its class: the time between a volume's release and the deletion of its storage,
 * for example `24h`.
 */
export const reclaimGraceAnnotation = 'holdfast.dev/reclaim-grace';

/** The object that asks for an undo window. */
export interface Carrier {
  readonly resource: ApiResource<KubernetesObject>;
  readonly object: KubernetesObject;
}

/** The undo window that a volume should have. */
export type WindowRequest =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'usable';
      /** In milliseconds. */
      readonly duration: number;
      /** As the carrier has it. */
      readonly value: string;
      readonly carrier: Carrier;
    }
  /** It is not possible. `problem` names the value and the way out. */
  | {
      readonly kind: 'unusable';
      readonly problem: string;
      readonly value: string;
      readonly carrier: Carrier;
    };

/**
 * A hundred years, in milliseconds. The end of a longer window might have no date, or none in RFC 3339, which
 * ends with the year 9999.
 */
const longestWindow = 876_000 * 3_600_000;

const durationSchema = durationFlag({ description: reclaimGraceAnnotation, default: '24h' }).schema;

/**
 * Reads what a volume and its class ask for; the volume overrides its class.
 *
 * | volume, else class | gate | answer                |
 * |--------------------|------|-----------------------|
 * | absent             | -    | none                  |
 * | no duration        | -    | unusable              |
 * | over 100 years     | -    | unusable              |
 * | a duration         | off  | unusable              |
 * | a duration         | on   | usable                |
 *
 * @param storageClass undefined if the volume has none, or it does not exist.
 * @param enabled gate ReclaimGracePeriod.
 */
export function windowRequestOf(
  volume: PersistentVolume,
  storageClass: StorageClass | undefined,
  enabled: boolean,
): WindowRequest {
  const ownValue = volume.metadata.annotations?.[reclaimGraceAnnotation];
  const value = ownValue ?? storageClass?.metadata.annotations?.[reclaimGraceAnnotation];
  if (value === undefined) {
    return { kind: 'none' };
  }
  const carrier: Carrier =
    ownValue === undefined && storageClass !== undefined
      ? { resource: storageClasses, object: storageClass }
      : { resource: persistentVolumes, object: volume };
  const read = durationSchema.safeParse(value);
  if (!read.success || read.data > longestWindow) {
    return {
      kind: 'unusable',
      problem: `annotation ${reclaimGraceAnnotation} is ${quoted(value)}; write a duration such as 90s, 30m or 24h, up to 876000h`,
      value,
      carrier,
    };
  }
  return enabled
    ? { kind: 'usable', duration: read.data, value, carrier }
    : {
        kind: 'unusable',
        problem: `annotation ${reclaimGraceAnnotation} is ${value}, and feature gate ReclaimGracePeriod is off; turn it on, or take the annotation away`,
        value,
        carrier,
      };
}
