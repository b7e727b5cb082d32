import type { JsonObject } from '../meta/json.ts';
import { clusterRoleBindings, clusterRoles, rbacGroup } from '../resources/rbac.ts';
import type { ResourceDefinition } from '../resources/resource-definition.ts';
import { authenticatedGroup, privilegedGroup, unauthenticatedGroup } from './user-info.ts';

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

const metadata = {
  labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults' },
  annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
};

/** The roles, each with the binding that gives it. */
export const bootstrapPolicy: readonly {
  readonly definition: ResourceDefinition;
  readonly object: JsonObject;
}[] = bootstrapRoles.flatMap(({ name, rules, groups }) => [
  { definition: clusterRoles, object: { metadata: { name, ...metadata }, rules: [...rules] } },
  {
    definition: clusterRoleBindings,
    object: {
      metadata: { name, ...metadata },
      subjects: groups.map((group) => ({ kind: 'Group', apiGroup: rbacGroup, name: group })),
      roleRef: { apiGroup: rbacGroup, kind: 'ClusterRole', name },
    },
  },
]);
