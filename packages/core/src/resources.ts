import type {
  CoreV1Event,
  EventsV1Event,
  V1ConfigMap,
  V1CronJob,
  V1DaemonSet,
  V1Deployment,
  V1Job,
  V1Lease,
  V1MutatingWebhookConfiguration,
  V1Namespace,
  V1Node,
  V1ObjectMeta,
  V1OwnerReference,
  V1PersistentVolume,
  V1PersistentVolumeClaim,
  V1Pod,
  V1PodDisruptionBudget,
  V1ReplicaSet,
  V1Secret,
  V1Service,
  V1ServiceAccount,
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

/**
 * Objects as the API server returns them, of one of client-node's generated classes, or of a kind of one's own:
 * `type Site = Stored<{ spec: SiteSpec; status?: SiteStatus }>`.
 */
export type Stored<T> = Omit<Json<T>, 'metadata'> & KubernetesObject;

export type ConfigMap = Stored<V1ConfigMap>;
export type CronJob = Stored<V1CronJob>;
export type DaemonSet = Stored<V1DaemonSet>;
export type Deployment = Stored<V1Deployment>;
export type Event = Stored<CoreV1Event>;
export type EventsEvent = Stored<EventsV1Event>;
export type Job = Stored<V1Job>;
export type Lease = Stored<V1Lease>;
export type MutatingWebhookConfiguration = Stored<V1MutatingWebhookConfiguration>;
export type Namespace = Stored<V1Namespace>;
export type Node = Stored<V1Node>;
export type OwnerReference = Json<V1OwnerReference>;
export type PersistentVolume = Stored<V1PersistentVolume>;
export type PersistentVolumeClaim = Stored<V1PersistentVolumeClaim>;
export type Pod = Stored<V1Pod>;
export type PodDisruptionBudget = Stored<V1PodDisruptionBudget>;
export type ReplicaSet = Stored<V1ReplicaSet>;
export type Secret = Stored<V1Secret>;
export type Service = Stored<V1Service>;
export type ServiceAccount = Stored<V1ServiceAccount>;
export type StatefulSet = Stored<V1StatefulSet>;
export type StorageClass = Stored<V1StorageClass>;
export type SubjectAccessReview = Stored<V1SubjectAccessReview>;
export type TokenReview = Stored<V1TokenReview>;
export type ValidatingWebhookConfiguration = Stored<V1ValidatingWebhookConfiguration>;
export type Volume = Json<V1Volume>;
export type VolumeAttachment = Stored<V1VolumeAttachment>;
