import { append } from '../meta/append.ts';
import { type FieldError, invalid, notSupported, required } from '../meta/field-error.ts';
import { type Json, jsonEqual } from '../meta/json.ts';
import type { KubeObject, LabelSelector } from '../meta/kube-object.ts';
import { dnsSubdomain, pathSegment } from '../meta/names.ts';
import { validateLabelSelector } from '../selectors/label-selector-validation.ts';
import { goValue } from './go-diff.ts';
import type { ResourceDefinition } from './resource-definition.ts';
import { type TableColumn, ageColumn, column, nameColumn, since } from './table-columns.ts';

/* The kinds of rbac.authorization.k8s.io/v1, validated as in pkg/apis/rbac/validation/validation.go. */

export const rbacGroup = 'rbac.authorization.k8s.io';

export interface PolicyRule extends Record<string, Json | undefined> {
  verbs: string[] | null;
  apiGroups?: string[];
  resources?: string[];
  resourceNames?: string[];
  nonResourceURLs?: string[];
}

export interface Role extends KubeObject {
  rules: PolicyRule[] | null;
  aggregationRule?: { clusterRoleSelectors?: LabelSelector[] };
}

export interface Subject extends Record<string, Json | undefined> {
  kind: string;
  apiGroup?: string;
  name: string;
  namespace?: string;
}

export interface RoleBinding extends KubeObject {
  subjects?: Subject[];
  roleRef: { apiGroup: string; kind: string; name: string };
}

const roleColumns: readonly TableColumn[] = [
  nameColumn,
  column('Created At', 'When the object was created', 0, 'date'),
];

function roleCells({ metadata }: KubeObject): readonly Json[] {
  return [metadata.name ?? '', metadata.creationTimestamp ?? ''];
}

const bindingColumns: readonly TableColumn[] = [
  nameColumn,
  column('Role', 'The role that is granted'),
  ageColumn,
  column('Users', 'The users it is granted to', 1),
  column('Groups', 'The groups it is granted to', 1),
  column('ServiceAccounts', 'The service accounts it is granted to', 1),
];

function bindingCells(
  { metadata, subjects = [], roleRef }: RoleBinding,
  { now }: { readonly now: number },
): readonly Json[] {
  const names = (kind: string): string =>
    subjects
      .filter((subject) => subject.kind === kind)
      .map((subject) => (kind === 'ServiceAccount' ? `${subject.namespace ?? ''}/` : '') + subject.name)
      .join(', ');
  return [
    metadata.name ?? '',
    `${roleRef.kind}/${roleRef.name}`,
    since(metadata.creationTimestamp, now),
    names('User'),
    names('Group'),
    names('ServiceAccount'),
  ];
}

export const roles: ResourceDefinition = {
  group: rbacGroup,
  version: 'v1',
  kind: 'Role',
  plural: 'roles',
  singular: 'role',
  namespaced: true,
  struct: 'rbac.v1.Role',
  nameRule: pathSegment,
  storageVersionHash: '7FuwZcIIItM=',
  allowCreateOnUpdate: true,
  validate: ({ rules }: Role) => validateRules(rules ?? [], true),
  columns: roleColumns,
  cells: roleCells,
};

export const clusterRoles: ResourceDefinition = {
  group: rbacGroup,
  version: 'v1',
  kind: 'ClusterRole',
  plural: 'clusterroles',
  singular: 'clusterrole',
  namespaced: false,
  struct: 'rbac.v1.ClusterRole',
  nameRule: pathSegment,
  storageVersionHash: 'bYE5ZWDrJ44=',
  allowCreateOnUpdate: true,
  validate: ({ rules, aggregationRule }: Role) => [
    ...validateRules(rules ?? [], false),
    ...(aggregationRule === undefined ? [] : validateAggregation(aggregationRule.clusterRoleSelectors ?? [])),
  ],
  columns: roleColumns,
  cells: roleCells,
};

export const roleBindings: ResourceDefinition = {
  group: rbacGroup,
  version: 'v1',
  kind: 'RoleBinding',
  plural: 'rolebindings',
  singular: 'rolebinding',
  namespaced: true,
  struct: 'rbac.v1.RoleBinding',
  nameRule: pathSegment,
  storageVersionHash: 'eGsCzGH6b1g=',
  allowCreateOnUpdate: true,
  applyDefaults: applyBindingDefaults,
  validate: (binding: RoleBinding) => validateBinding(binding, true),
  validateUpdate: (binding: RoleBinding, old: RoleBinding) => [
    ...validateBinding(binding, true),
    ...validateRoleRefKept(binding, old),
  ],
  columns: bindingColumns,
  cells: bindingCells,
};

export const clusterRoleBindings: ResourceDefinition = {
  group: rbacGroup,
  version: 'v1',
  kind: 'ClusterRoleBinding',
  plural: 'clusterrolebindings',
  singular: 'clusterrolebinding',
  namespaced: false,
  struct: 'rbac.v1.ClusterRoleBinding',
  nameRule: pathSegment,
  storageVersionHash: '48tpQ8gZHFc=',
  allowCreateOnUpdate: true,
  applyDefaults: applyBindingDefaults,
  validate: (binding: RoleBinding) => validateBinding(binding, false),
  validateUpdate: (binding: RoleBinding, old: RoleBinding) => [
    ...validateBinding(binding, false),
    ...validateRoleRefKept(binding, old),
  ],
  columns: bindingColumns,
  cells: bindingCells,
};

function applyBindingDefaults({ roleRef, subjects = [] }: RoleBinding): void {
  if (roleRef.apiGroup === '') {
    roleRef.apiGroup = rbacGroup;
  }
  for (const subject of subjects) {
    if (subject.kind === 'User' || subject.kind === 'Group') {
      subject.apiGroup ??= rbacGroup;
    }
  }
}

function validateRules(rules: readonly PolicyRule[], isNamespaced: boolean): FieldError[] {
  return rules.flatMap((rule, index) => validateRule(rule, isNamespaced, `rules[${index}]`));
}

function validateRule(rule: PolicyRule, isNamespaced: boolean, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  if ((verbs ?? []).length === 0) {
    errors.push(required(`${path}.verbs`, 'verbs must contain at least one value'));
  }
  if (nonResourceURLs.length > 0) {
    const refuse = (detail: string): void => {
      errors.push(invalid(`${path}.nonResourceURLs`, nonResourceURLs, detail));
    };
    if (isNamespaced) {
      refuse('namespaced rules cannot apply to non-resource URLs');
    }
    if (apiGroups.length + resources.length + resourceNames.length > 0) {
      refuse('rules cannot apply to both regular resources and non-resource URLs');
    }
    return errors;
  }
  if (apiGroups.length === 0) {
    errors.push(required(`${path}.apiGroups`, 'resource rules must supply at least one api group'));
  }
  if (resources.length === 0) {
    errors.push(required(`${path}.resources`, 'resource rules must supply at least one resource'));
  }
  return errors;
}

function validateAggregation(selectors: readonly LabelSelector[]): FieldError[] {
  const path = 'aggregationRule.clusterRoleSelectors';
  if (selectors.length === 0) {
    return [required(path, 'at least one clusterRoleSelector required if aggregationRule is non-nil')];
  }
  return selectors.flatMap((selector, index) => {
    const errors = validateLabelSelector(selector, `${path}[${index}]`);
    // A selector that cannot be built is reported a second time as a whole.
    return errors.length === 0
      ? errors
      : [...errors, invalid(`${path}[${index}]`, null, 'invalid label selector.')];
  });
}

function validateBinding({ roleRef, subjects = [] }: RoleBinding, isNamespaced: boolean): FieldError[] {
  const errors: FieldError[] = [];
  if (roleRef.apiGroup !== rbacGroup) {
    errors.push(notSupported('roleRef.apiGroup', roleRef.apiGroup, [rbacGroup]));
  }
  const kinds = isNamespaced ? ['Role', 'ClusterRole'] : ['ClusterRole'];
  if (!kinds.includes(roleRef.kind)) {
    errors.push(notSupported('roleRef.kind', roleRef.kind, kinds));
  }
  if (roleRef.name === '') {
    errors.push(required('roleRef.name'));
  }
  for (const problem of pathSegment(roleRef.name, false)) {
    errors.push(invalid('roleRef.name', roleRef.name, problem));
  }
  subjects.forEach((subject, index) => {
    append(errors, validateSubject(subject, isNamespaced, `subjects[${index}]`));
  });
  return errors;
}

function validateSubject(subject: Subject, isNamespaced: boolean, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const { kind, name, apiGroup = '', namespace = '' } = subject;
  if (name === '') {
    errors.push(required(`${path}.name`));
  }
  switch (kind) {
    case 'ServiceAccount':
      if (name !== '') {
        for (const problem of dnsSubdomain(name, false)) {
          errors.push(invalid(`${path}.name`, name, problem));
        }
      }
      if (apiGroup !== '') {
        errors.push(notSupported(`${path}.apiGroup`, apiGroup, ['']));
      }
      if (!isNamespaced && namespace === '') {
        errors.push(required(`${path}.namespace`));
      }
      break;
    case 'User':
    case 'Group':
      if (apiGroup !== rbacGroup) {
        errors.push(notSupported(`${path}.apiGroup`, apiGroup, [rbacGroup]));
      }
      break;
    default:
      errors.push(notSupported(`${path}.kind`, kind, ['ServiceAccount', 'User', 'Group']));
  }
  return errors;
}

function validateRoleRefKept({ roleRef }: RoleBinding, old: RoleBinding): FieldError[] {
  if (jsonEqual(roleRef, old.roleRef)) {
    return [];
  }
  const shown = Object.fromEntries(
    Object.entries(goValue(roleRef, 'rbac.v1.RoleRef')).map(([field, value]) => [
      field === 'ApiGroup' ? 'APIGroup' : field,
      value,
    ]),
  );
  return [invalid('roleRef', shown, 'cannot change roleRef')];
}
