import type { JsonObject } from '../meta/json.ts';
import { type ResourceDefinition, keyspaceOf } from '../resources/resource-definition.ts';
import { clusterRoleBindings, clusterRoles, rbacGroup } from '../resources/rbac.ts';
import { canonicalObject, createObject } from '../rest/create-object.ts';
import type { ServerState } from '../rest/server-state.ts';
import { type UserInfo, authenticatedGroup, privilegedGroup, unauthenticatedGroup } from './user-info.ts';

/*
 * The roles a new cluster has for everybody, of the many that kube-apiserver makes: those of components that don't run
 * here, and the aggregated admin, edit and view, which only a controller fills, are left out.
 */

interface BootstrapRole {
  readonly name: string;
  readonly rules: readonly JsonObject[];
  /** To whom a cluster role binding of the same name gives it. */
  readonly groups: readonly string[];
}

const health = ['/healthz', '/livez', '/readyz', '/version', '/version/'];

const bootstrapRoles: readonly BootstrapRole[] = [
  {
    name: 'cluster-admin',
    rules: [
      { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
      { verbs: ['*'], nonResourceURLs: ['*'] },
    ],
    groups: [privilegedGroup],
  },
  {
    name: 'system:discovery',
    rules: [
      {
        verbs: ['get'],
        nonResourceURLs: [
          '/api',
          '/api/*',
          '/apis',
          '/apis/*',
          '/healthz',
          '/livez',
          '/openapi',
          '/openapi/*',
          '/readyz',
          '/version',
          '/version/',
        ],
      },
    ],
    groups: [authenticatedGroup],
  },
  {
    name: 'system:basic-user',
    rules: [
      {
        verbs: ['create'],
        apiGroups: ['authorization.k8s.io'],
        resources: ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'],
      },
      { verbs: ['create'], apiGroups: ['authentication.k8s.io'], resources: ['selfsubjectreviews'] },
    ],
    groups: [authenticatedGroup],
  },
  {
    name: 'system:public-info-viewer',
    rules: [{ verbs: ['get'], nonResourceURLs: health }],
    groups: [authenticatedGroup, unauthenticatedGroup],
  },
];

/** Creates the bootstrap roles and their bindings that are not there yet; what an earlier server changed stays. */
export async function createBootstrapPolicy(server: ServerState, user: UserInfo): Promise<void> {
  for (const { name, rules, groups } of bootstrapRoles) {
    await createAbsent(server, user, clusterRoles, name, { rules: [...rules] });
    await createAbsent(server, user, clusterRoleBindings, name, {
      subjects: groups.map((group) => ({ kind: 'Group', apiGroup: rbacGroup, name: group })),
      roleRef: { apiGroup: rbacGroup, kind: 'ClusterRole', name },
    });
  }
}

async function createAbsent(
  server: ServerState,
  user: UserInfo,
  definition: ResourceDefinition,
  name: string,
  content: JsonObject,
): Promise<void> {
  if (server.storage.get(keyspaceOf(definition), '', name) !== undefined) {
    return;
  }
  const metadata = {
    name,
    labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults' },
    annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
  };
  const object = canonicalObject(definition, { kind: '', apiVersion: '', metadata, ...content });
  await createObject(server, definition, object, {
    namespace: '',
    isDryRun: false,
    user,
    manager: 'kube-apiserver',
    warn: () => undefined,
  });
}
