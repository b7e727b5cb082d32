import type {
  CoreV1Event,
  EventsV1Event,
  V1ConfigMap,
  V1Lease,
  V1MutatingWebhookConfiguration,
  V1Namespace,
  V1Node,
  V1ObjectMeta,
  V1OwnerReference,
  V1PersistentVolume,
  V1PersistentVolumeClaim,
  V1Pod,
  V1Secret,
  V1StatefulSet,
  V1StorageClass,
  V1SubjectAccessReview,
  V1TokenReview,
  V1ValidatingWebhookConfiguration,
  V1Volume,
  V1VolumeAttachment,
} from '@kubernetes/client-node';
import type { Json } from './json.ts';

/** Metadata of an object that the API server has stored: these fields are then always there. */
export type ObjectMeta = Json<V1ObjectMeta> & {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
};

/** Any object as the API server returns it. Items of a list come without `apiVersion` and `kind`. */
export interface KubernetesObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
}

type Stored<T> = Omit<Json<T>, 'metadata'> & KubernetesObject;

export type ConfigMap = Stored<V1ConfigMap>;
export type Event = Stored<CoreV1Event>;
export type EventsEvent = Stored<EventsV1Event>;
export type Lease = Stored<V1Lease>;
export type MutatingWebhookConfiguration = Stored<V1MutatingWebhookConfiguration>;
export type Namespace = Stored<V1Namespace>;
export type Node = Stored<V1Node>;
export type OwnerReference = Json<V1OwnerReference>;
export type PersistentVolume = Stored<V1PersistentVolume>;
export type PersistentVolumeClaim = Stored<V1PersistentVolumeClaim>;
export type Pod = Stored<V1Pod>;
export type Secret = Stored<V1Secret>;
export type StatefulSet = Stored<V1StatefulSet>;
export type StorageClass = Stored<V1StorageClass>;
export type SubjectAccessReview = Stored<V1SubjectAccessReview>;
export type TokenReview = Stored<V1TokenReview>;
export type ValidatingWebhookConfiguration = Stored<V1ValidatingWebhookConfiguration>;
export type Volume = Json<V1Volume>;
export type VolumeAttachment = Stored<V1VolumeAttachment>;
