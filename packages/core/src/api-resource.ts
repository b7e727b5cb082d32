import type {
  ConfigMap,
  CronJob,
  DaemonSet,
  Deployment,
  Event,
  EventsEvent,
  Job,
  KubernetesObject,
  Lease,
  MutatingWebhookConfiguration,
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  ReplicaSet,
  Secret,
  Service,
  ServiceAccount,
  StatefulSet,
  StorageClass,
  SubjectAccessReview,
  TokenReview,
  ValidatingWebhookConfiguration,
  VolumeAttachment,
} from './resources.ts';
import type { MetadataRef } from './object-key.ts';
import { urlPath, type UrlPath } from './url-path.ts';

/**
 * Describes where the API server serves a kind: what discovery calls an APIResource, plus the type of the
 * objects.
 *
 * An operator describes each kind of its own with one constant of this type. There is nothing to register.
 */
export interface ApiResource<T extends KubernetesObject> {
  /** API group; the empty string is the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /**
   * The plural as it stands in the URL, for example `persistentvolumeclaims`.
   *
   * To create at a subresource that has no object of its own to patch, give the parts of its path, such as
   * `pods/web/binding`. The program must supply them; never build them from a caller's input.
   */
  readonly plural: string;
  readonly namespaced: boolean;
  /** Carries the type of the objects for the compiler; never set at run time. */
  readonly object?: T;
}

/**
 * A namespaced kind, known as such to the compiler: `const sites: NamespacedResource<Site> = { ...,
 * namespaced: true }`.
 */
export interface NamespacedResource<T extends KubernetesObject> extends ApiResource<T> {
  readonly namespaced: true;
}

/** A cluster-scoped kind. */
export interface ClusterResource<T extends KubernetesObject> extends ApiResource<T> {
  readonly namespaced: false;
}

/** The type of a resource's objects: `type Site = ObjectOf<typeof sites>`. */
export type ObjectOf<Resource extends ApiResource<KubernetesObject>> = NonNullable<Resource['object']>;

/** The `apiVersion` of the resource's objects, such as `v1` or `apps/v1`. */
export function apiVersionOf(resource: ApiResource<KubernetesObject>): string {
  return resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
}

/**
 * Returns the path of the resource's collection, in one namespace, or in all of them if none is given.
 *
 * @throws Error for a namespace that cannot be part of a path, see {@link urlPath}.
 */
export function collectionPath(resource: ApiResource<KubernetesObject>, namespace?: string): UrlPath {
  return urlPath(...collectionParts(resource, namespace));
}

/**
 * Returns the path of one object, or of one of its subresources.
 *
 * @throws Error for a name that cannot be part of a path, see {@link urlPath}.
 */
export function objectPath(
  resource: ApiResource<KubernetesObject>,
  { namespace, name }: MetadataRef,
  subresource?: string,
): UrlPath {
  const parts = [...collectionParts(resource, namespace), name];
  return urlPath(...parts, ...(subresource === undefined ? [] : [subresource]));
}

function collectionParts(
  { group, version, plural, namespaced }: ApiResource<KubernetesObject>,
  namespace: string | undefined,
): readonly string[] {
  const root = group === '' ? ['api', version] : ['apis', group, version];
  const last = plural.split('/');
  return namespace === undefined || !namespaced
    ? [...root, ...last]
    : [...root, 'namespaces', namespace, ...last];
}

/** ConfigMaps at `/api/v1/configmaps`. */
export const configMaps: NamespacedResource<ConfigMap> = core('ConfigMap', 'configmaps');
/** Events at `/api/v1/events`. */
export const events: NamespacedResource<Event> = core('Event', 'events');
/**
 * The same objects as `events`, served by the API group that event recorders write to. It has a series where
 * `events` has a count.
 */
export const eventsV1: NamespacedResource<EventsEvent> = inGroup('events.k8s.io', 'Event', 'events');
/** Namespaces at `/api/v1/namespaces`. */
export const namespaces: ClusterResource<Namespace> = {
  ...core('Namespace', 'namespaces'),
  namespaced: false,
};
/** Nodes at `/api/v1/nodes`. */
export const nodes: ClusterResource<Node> = { ...core('Node', 'nodes'), namespaced: false };
/** PersistentVolumeClaims at `/api/v1/persistentvolumeclaims`. */
export const persistentVolumeClaims: NamespacedResource<PersistentVolumeClaim> = core(
  'PersistentVolumeClaim',
  'persistentvolumeclaims',
);
/** PersistentVolumes at `/api/v1/persistentvolumes`. */
export const persistentVolumes: ClusterResource<PersistentVolume> = {
  ...core('PersistentVolume', 'persistentvolumes'),
  namespaced: false,
};
/** Pods at `/api/v1/pods`. */
export const pods: NamespacedResource<Pod> = core('Pod', 'pods');
/** Secrets at `/api/v1/secrets`. */
export const secrets: NamespacedResource<Secret> = core('Secret', 'secrets');
/** ServiceAccounts at `/api/v1/serviceaccounts`. */
export const serviceAccounts: NamespacedResource<ServiceAccount> = core('ServiceAccount', 'serviceaccounts');
/** Services at `/api/v1/services`. */
export const services: NamespacedResource<Service> = core('Service', 'services');
/** DaemonSets at `/apis/apps/v1/daemonsets`. */
export const daemonSets: NamespacedResource<DaemonSet> = inGroup('apps', 'DaemonSet', 'daemonsets');
/** Deployments at `/apis/apps/v1/deployments`. */
export const deployments: NamespacedResource<Deployment> = inGroup('apps', 'Deployment', 'deployments');
/** ReplicaSets at `/apis/apps/v1/replicasets`. */
export const replicaSets: NamespacedResource<ReplicaSet> = inGroup('apps', 'ReplicaSet', 'replicasets');
/** StatefulSets at `/apis/apps/v1/statefulsets`. */
export const statefulSets: NamespacedResource<StatefulSet> = inGroup('apps', 'StatefulSet', 'statefulsets');
/** CronJobs at `/apis/batch/v1/cronjobs`. */
export const cronJobs: NamespacedResource<CronJob> = inGroup('batch', 'CronJob', 'cronjobs');
/** Jobs at `/apis/batch/v1/jobs`. */
export const jobs: NamespacedResource<Job> = inGroup('batch', 'Job', 'jobs');
/** PodDisruptionBudgets at `/apis/policy/v1/poddisruptionbudgets`. */
export const podDisruptionBudgets: NamespacedResource<PodDisruptionBudget> = inGroup(
  'policy',
  'PodDisruptionBudget',
  'poddisruptionbudgets',
);
/** Leases at `/apis/coordination.k8s.io/v1/leases`. */
export const leases: NamespacedResource<Lease> = inGroup('coordination.k8s.io', 'Lease', 'leases');
/** MutatingWebhookConfigurations at `/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations`. */
export const mutatingWebhookConfigurations: ClusterResource<MutatingWebhookConfiguration> = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind: 'MutatingWebhookConfiguration',
  plural: 'mutatingwebhookconfigurations',
  namespaced: false,
};
/** ValidatingWebhookConfigurations at `/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations`. */
export const validatingWebhookConfigurations: ClusterResource<ValidatingWebhookConfiguration> = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind: 'ValidatingWebhookConfiguration',
  plural: 'validatingwebhookconfigurations',
  namespaced: false,
};
/** Created to ask the API server whom a bearer token belongs to; never stored. */
export const tokenReviews: ClusterResource<TokenReview> = {
  group: 'authentication.k8s.io',
  version: 'v1',
  kind: 'TokenReview',
  plural: 'tokenreviews',
  namespaced: false,
};
/** Created to ask the API server what a user is allowed to do; never stored. */
export const subjectAccessReviews: ClusterResource<SubjectAccessReview> = {
  group: 'authorization.k8s.io',
  version: 'v1',
  kind: 'SubjectAccessReview',
  plural: 'subjectaccessreviews',
  namespaced: false,
};
/** StorageClasses at `/apis/storage.k8s.io/v1/storageclasses`. */
export const storageClasses: ClusterResource<StorageClass> = {
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'StorageClass',
  plural: 'storageclasses',
  namespaced: false,
};
/** VolumeAttachments at `/apis/storage.k8s.io/v1/volumeattachments`. */
export const volumeAttachments: ClusterResource<VolumeAttachment> = {
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'VolumeAttachment',
  plural: 'volumeattachments',
  namespaced: false,
};

function core(kind: string, plural: string): NamespacedResource<never> {
  return inGroup('', kind, plural);
}

function inGroup(group: string, kind: string, plural: string): NamespacedResource<never> {
  return { group, version: 'v1', kind, plural, namespaced: true };
}
