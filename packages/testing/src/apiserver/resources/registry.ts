import { configMaps } from './config-map.ts';
import { controllerRevisions } from './controller-revision.ts';
import { events, eventsV1 } from './event.ts';
import { leases } from './lease.ts';
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

/** The kinds every server has, in the order discovery shows their groups. */
export const builtInResources: readonly ResourceDefinition[] = [
  configMaps,
  events,
  namespaces,
  nodes,
  persistentVolumeClaims,
  persistentVolumes,
  pods,
  secrets,
  serviceAccounts,
  controllerRevisions,
  statefulSets,
  eventsV1,
  selfSubjectReviews,
  tokenReviews,
  localSubjectAccessReviews,
  selfSubjectAccessReviews,
  selfSubjectRulesReviews,
  subjectAccessReviews,
  clusterRoleBindings,
  clusterRoles,
  roleBindings,
  roles,
  csiDrivers,
  csiNodes,
  storageClasses,
  volumeAttachments,
  mutatingWebhookConfigurations,
  validatingWebhookConfigurations,
  leases,
];

/** Finds definitions by the words of a path. */
export interface ResourceRegistry {
  readonly all: readonly ResourceDefinition[];
  find(group: string, version: string, plural: string): ResourceDefinition | undefined;
  hasGroupVersion(group: string, version: string): boolean;
}

/** Throws when two definitions claim the same path. */
export function createRegistry(definitions: readonly ResourceDefinition[]): ResourceRegistry {
  const byPath = new Map<string, ResourceDefinition>();
  const groupVersions = new Set<string>();
  for (const definition of definitions) {
    const { group, version, plural } = definition;
    const key = `${group}/${version}/${plural}`;
    if (byPath.has(key)) {
      throw new Error(`resource ${key} is registered twice; leave one of the definitions out`);
    }
    byPath.set(key, definition);
    groupVersions.add(`${group}/${version}`);
  }
  return {
    all: definitions,
    find: (group, version, plural) => byPath.get(`${group}/${version}/${plural}`),
    hasGroupVersion: (group, version) => groupVersions.has(`${group}/${version}`),
  };
}
