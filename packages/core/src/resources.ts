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

/** Metadata of an object that the API server has stored, which always has these fields. */
export type ObjectMeta = Json<V1ObjectMeta> & {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
};

/** Any object as the API server returns it. The items of a list come without `apiVersion` and `kind`. */
export interface KubernetesObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
}

/**
 * The type of objects as the API server returns them, made from one of client-node's generated classes or
 * from the fields of a custom kind: `type Site = Stored<{ spec: SiteSpec; status?: SiteStatus }>`.
 */
export type Stored<T> = Omit<Json<T>, 'metadata'> & KubernetesObject;

/** `v1` ConfigMap. */
export type ConfigMap = Stored<V1ConfigMap>;
/** `batch/v1` CronJob. */
export type CronJob = Stored<V1CronJob>;
/** `apps/v1` DaemonSet. */
export type DaemonSet = Stored<V1DaemonSet>;
/** `apps/v1` Deployment. */
export type Deployment = Stored<V1Deployment>;
/** `v1` Event, as kubectl shows it. */
export type Event = Stored<CoreV1Event>;
/** `events.k8s.io/v1` Event: the same object as {@link Event}, with a series instead of a count. */
export type EventsEvent = Stored<EventsV1Event>;
/** `batch/v1` Job. */
export type Job = Stored<V1Job>;
/** `coordination.k8s.io/v1` Lease. */
export type Lease = Stored<V1Lease>;
/** `admissionregistration.k8s.io/v1` MutatingWebhookConfiguration. */
export type MutatingWebhookConfiguration = Stored<V1MutatingWebhookConfiguration>;
/** `v1` Namespace. */
export type Namespace = Stored<V1Namespace>;
/** `v1` Node. */
export type Node = Stored<V1Node>;
/** An entry of `metadata.ownerReferences`. */
export type OwnerReference = Json<V1OwnerReference>;
/** `v1` PersistentVolume. */
export type PersistentVolume = Stored<V1PersistentVolume>;
/** `v1` PersistentVolumeClaim. */
export type PersistentVolumeClaim = Stored<V1PersistentVolumeClaim>;
/** `v1` Pod. */
export type Pod = Stored<V1Pod>;
/** `policy/v1` PodDisruptionBudget. */
export type PodDisruptionBudget = Stored<V1PodDisruptionBudget>;
/** `apps/v1` ReplicaSet. */
export type ReplicaSet = Stored<V1ReplicaSet>;
/** `v1` Secret. */
export type Secret = Stored<V1Secret>;
/** `v1` Service. */
export type Service = Stored<V1Service>;
/** `v1` ServiceAccount. */
export type ServiceAccount = Stored<V1ServiceAccount>;
/** `apps/v1` StatefulSet. */
export type StatefulSet = Stored<V1StatefulSet>;
/** `storage.k8s.io/v1` StorageClass. */
export type StorageClass = Stored<V1StorageClass>;
/** `authorization.k8s.io/v1` SubjectAccessReview. */
export type SubjectAccessReview = Stored<V1SubjectAccessReview>;
/** `authentication.k8s.io/v1` TokenReview. */
export type TokenReview = Stored<V1TokenReview>;
/** `admissionregistration.k8s.io/v1` ValidatingWebhookConfiguration. */
export type ValidatingWebhookConfiguration = Stored<V1ValidatingWebhookConfiguration>;
/** A volume in the spec of a pod. */
export type Volume = Json<V1Volume>;
/** `storage.k8s.io/v1` VolumeAttachment. */
export type VolumeAttachment = Stored<V1VolumeAttachment>;
