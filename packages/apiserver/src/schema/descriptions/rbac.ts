import type { Descriptions } from './description.ts';

export const rbacDescriptions: Descriptions = {
  'rbac.v1.AggregationRule': {
    about: 'Selects ClusterRoles whose rules make up another one.',
    fields: {
      clusterRoleSelectors: 'Selectors, any of which is enough, of the ClusterRoles whose rules are taken.',
    },
  },
  'rbac.v1.ClusterRole': {
    about:
      'Rules in all namespaces, for objects outside of namespaces and for other paths, or for a RoleBinding to refer to.',
    fields: {
      rules: 'What is allowed; kept by a controller where there is an aggregationRule.',
      aggregationRule: 'ClusterRoles whose rules are put into rules.',
    },
  },
  'rbac.v1.ClusterRoleBinding': {
    about: 'Grants a ClusterRole in all namespaces.',
    fields: {
      subjects: 'Who is granted the role.',
      roleRef: 'ClusterRole that is granted; it cannot be changed.',
    },
  },
  'rbac.v1.PolicyRule': {
    about: 'Requests that are allowed.',
    fields: {
      verbs: 'Verbs, such as get or list; * for all.',
      apiGroups: 'API groups of the resources; "" for the core group, * for all.',
      resources: 'Resources, such as pods or pods/log; * for all.',
      resourceNames: 'Names of single objects; empty for all.',
      nonResourceURLs: 'Paths outside of resources, such as /healthz/*; in ClusterRoles only.',
    },
  },
  'rbac.v1.Role': {
    about: 'Rules within one namespace.',
    fields: { rules: 'What is allowed.' },
  },
  'rbac.v1.RoleBinding': {
    about: 'Grants a Role or a ClusterRole within one namespace.',
    fields: {
      subjects: 'Who is granted the role.',
      roleRef: 'Role of the same namespace, or ClusterRole, that is granted; it cannot be changed.',
    },
  },
  'rbac.v1.RoleRef': {
    about: 'The role that a binding grants.',
    fields: {
      apiGroup: 'API group of the role; rbac.authorization.k8s.io by default.',
      kind: 'Role or ClusterRole.',
      name: 'Name of the role.',
    },
  },
  'rbac.v1.Subject': {
    about: 'Whom a binding grants a role.',
    fields: {
      kind: 'User, Group or ServiceAccount.',
      apiGroup:
        'API group of the subject; by default "" for a ServiceAccount and rbac.authorization.k8s.io for others.',
      name: 'Name of the user, group or ServiceAccount.',
      namespace: 'Namespace of the ServiceAccount; unset for users and groups.',
    },
  },
};
