import { validatingAdmissionPolicyBindings } from './admission-policy-binding.ts';
import { validatingAdmissionPolicies } from './admission-policy.ts';
import { bindings } from './binding.ts';
import { configMaps } from './config-map.ts';
import { controllerRevisions } from './controller-revision.ts';
import { apiServices } from './described/api-services.ts';
import { horizontalPodAutoscalers } from './described/autoscaling.ts';
import { certificateSigningRequests } from './described/certificates.ts';
import { priorityClasses } from './described/priority-classes.ts';
import { runtimeClasses } from './described/runtime-classes.ts';
import { csiStorageCapacities } from './described/storage-capacities.ts';
import { volumeAttributesClasses } from './described/volume-attributes-classes.ts';
import { componentStatuses } from './described/component-statuses.ts';
import { cronJobs } from './described/cron-jobs.ts';
import { daemonSets } from './described/daemon-sets.ts';
import { deployments } from './described/deployments.ts';
import { horizontalPodAutoscalersV1 } from './described/old-autoscalers.ts';
import { podDisruptionBudgets } from './described/disruption-budgets.ts';
import { endpointSlices } from './described/endpoint-slices.ts';
import { endpoints } from './described/endpoints.ts';
import {
  deviceClasses,
  resourceClaimTemplates,
  resourceClaims,
  resourceSlices,
} from './described/dynamic-resources.ts';
import { flowSchemas, priorityLevelConfigurations } from './described/flow-control.ts';
import { ingressClasses } from './described/ingress-classes.ts';
import { ingresses } from './described/ingresses.ts';
import { networkPolicies } from './described/network-policies.ts';
import { ipAddresses, serviceCidrs } from './described/service-networks.ts';
import { jobs } from './described/jobs.ts';
import { podTemplates } from './described/pod-templates.ts';
import { limitRanges } from './described/limit-ranges.ts';
import { resourceQuotas } from './described/resource-quotas.ts';
import { replicaSets } from './described/replica-sets.ts';
import { replicationControllers } from './described/replication-controllers.ts';
import { services } from './described/services.ts';
import { events, eventsV1 } from './event.ts';
import { leases } from './lease.ts';
import { mutatingAdmissionPolicyBindings } from './mutating-policy-binding.ts';
import { mutatingAdmissionPolicies } from './mutating-policy.ts';
import { namespaces } from './namespace.ts';
import { nodes } from './node.ts';
import { persistentVolumes } from './persistent-volume.ts';
import { persistentVolumeClaims } from './persistent-volume-claim.ts';
import { pods } from './pod.ts';
import { clusterRoleBindings, clusterRoles, roleBindings, roles } from './rbac.ts';
import type { ResourceDefinition } from './resource-definition.ts';
import {
  localSubjectAccessReviews,
  selfSubjectAccessReviews,
  selfSubjectReviews,
  selfSubjectRulesReviews,
  subjectAccessReviews,
  tokenReviews,
} from './review.ts';
import { secrets } from './secret.ts';
import { serviceAccounts } from './service-account.ts';
import { statefulSets } from './stateful-set.ts';
import { csiDrivers, csiNodes, storageClasses, volumeAttachments } from './storage.ts';
import { mutatingWebhookConfigurations, validatingWebhookConfigurations } from './webhook-configuration.ts';

/** The kinds that every server has, in the order in which discovery lists their groups. */
export const builtInResources: readonly ResourceDefinition[] = [
  bindings,
  componentStatuses,
  configMaps,
  endpoints,
  events,
  limitRanges,
  namespaces,
  nodes,
  persistentVolumeClaims,
  persistentVolumes,
  pods,
  podTemplates,
  replicationControllers,
  resourceQuotas,
  secrets,
  serviceAccounts,
  services,
  apiServices,
  controllerRevisions,
  daemonSets,
  deployments,
  replicaSets,
  statefulSets,
  eventsV1,
  selfSubjectReviews,
  tokenReviews,
  localSubjectAccessReviews,
  selfSubjectAccessReviews,
  selfSubjectRulesReviews,
  subjectAccessReviews,
  horizontalPodAutoscalers,
  horizontalPodAutoscalersV1,
  cronJobs,
  jobs,
  certificateSigningRequests,
  ingressClasses,
  ingresses,
  ipAddresses,
  networkPolicies,
  serviceCidrs,
  podDisruptionBudgets,
  clusterRoleBindings,
  clusterRoles,
  roleBindings,
  roles,
  csiDrivers,
  csiNodes,
  csiStorageCapacities,
  storageClasses,
  volumeAttachments,
  volumeAttributesClasses,
  mutatingAdmissionPolicies,
  mutatingAdmissionPolicyBindings,
  mutatingWebhookConfigurations,
  validatingAdmissionPolicies,
  validatingAdmissionPolicyBindings,
  validatingWebhookConfigurations,
  priorityClasses,
  leases,
  runtimeClasses,
  endpointSlices,
  deviceClasses,
  resourceClaims,
  resourceClaimTemplates,
  resourceSlices,
  flowSchemas,
  priorityLevelConfigurations,
];

/** Finds definitions by the parts of a path. */
export interface ResourceRegistry {
  /** All definitions. Each change of the custom ones makes a new array. */
  readonly all: readonly ResourceDefinition[];
  find(group: string, version: string, plural: string): ResourceDefinition | undefined;
  hasGroupVersion(group: string, version: string): boolean;
  /** Whether the group has built-in kinds. */
  isBuiltIn(group: string): boolean;
  /** Replaces all custom definitions. Paths of the built-in definitions cannot be taken over. */
  replaceCustom(definitions: readonly ResourceDefinition[]): void;
  /** Calls the listener after each replacement, until the returned function is called. */
  subscribe(listener: () => void): () => void;
}

/** Throws if two definitions have the same path. */
export function createRegistry(definitions: readonly ResourceDefinition[]): ResourceRegistry {
  const fixed = new Map<string, ResourceDefinition>();
  for (const definition of definitions) {
    const path = pathOf(definition);
    if (fixed.has(path)) {
      throw new Error(`resource ${path} is registered twice; leave one of the definitions out`);
    }
    fixed.set(path, definition);
  }
  let byPath: ReadonlyMap<string, ResourceDefinition> = fixed;
  let all = definitions;
  let groupVersions = groupVersionsOf(all);
  const builtInGroups = new Set(
    definitions.filter(({ struct }) => struct !== undefined).map(({ group }) => group),
  );
  const listeners = new Set<() => void>();
  return {
    get all() {
      return all;
    },
    find: (group, version, plural) => byPath.get(`${group}/${version}/${plural}`),
    isBuiltIn: (group) => builtInGroups.has(group),
    hasGroupVersion: (group, version) => groupVersions.has(`${group}/${version}`),
    replaceCustom(custom) {
      const added = custom.filter((definition) => !fixed.has(pathOf(definition)));
      all = [...definitions, ...added];
      byPath = new Map(all.map((definition) => [pathOf(definition), definition]));
      groupVersions = groupVersionsOf(all);
      for (const listener of listeners) {
        listener();
      }
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  };
}

function pathOf({ group, version, plural }: ResourceDefinition): string {
  return `${group}/${version}/${plural}`;
}

function groupVersionsOf(definitions: readonly ResourceDefinition[]): ReadonlySet<string> {
  return new Set(definitions.map(({ group, version }) => `${group}/${version}`));
}
