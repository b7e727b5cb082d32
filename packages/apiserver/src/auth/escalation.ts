import { type JsonObject, jsonEqual, withoutFields } from '../meta/json.ts';
import type { KubeObject } from '../meta/kube-object.ts';
import { type StatusError, forbidden, notFound } from '../meta/status-error.ts';
import {
  type PolicyRule,
  type Role,
  type RoleBinding,
  clusterRoleBindings,
  clusterRoles,
  rbacGroup,
  roleBindings,
  roles,
} from '../resources/rbac.ts';
import { type ResourceDefinition, groupResource } from '../resources/resource-definition.ts';
import { type Authorizer, joinProblems } from './authorizer.ts';
import { coversPath } from './policy-rule.ts';
import { type UserInfo, privilegedGroup } from './user-info.ts';

/** A write of a role or binding, with what matters for privilege escalation. */
export interface GrantingWrite {
  readonly definition: ResourceDefinition;
  readonly object: KubeObject;
  /** Undefined for creations. */
  readonly old: KubeObject | undefined;
  readonly namespace: string;
  /** The name in the path: empty for creations. */
  readonly name: string;
  readonly user: UserInfo;
}

const everything: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

/**
 * A user cannot grant permissions that they do not have (pkg/registry/rbac: policybased and
 * escalation_check.go), unless they have the verb `escalate` on the role, or `bind` on the role to which a
 * binding refers. Throws 403 if they lack permissions, 404 for a binding to a role that does not exist.
 */
export function checkEscalation(authorizer: Authorizer, write: GrantingWrite): void {
  const { definition, object, old, user } = write;
  if (user.groups.includes(privilegedGroup)) {
    return;
  }
  switch (definition) {
    case roles:
    case clusterRoles: {
      if (isAuthorized(authorizer, write, 'escalate', definition.plural, write.name)) {
        return;
      }
      if (old !== undefined && isOnlyForGarbageCollector(object, old)) {
        return;
      }
      const role = object as Role;
      confirmHeld(authorizer, write, role.rules ?? []);
      const aggregates = role.aggregationRule ?? (old as Role | undefined)?.aggregationRule;
      if (aggregates !== undefined && missingRules(authorizer, write, everything).length > 0) {
        throw refused(write, 'must have cluster-admin privileges to use the aggregationRule');
      }
      return;
    }
    case roleBindings:
    case clusterRoleBindings: {
      if (old !== undefined && isOnlyForGarbageCollector(object, old)) {
        return;
      }
      const { roleRef } = object as RoleBinding;
      const bound = roleRef.kind === 'Role' ? roles : clusterRoles;
      if (isAuthorized(authorizer, write, 'bind', bound.plural, roleRef.name)) {
        return;
      }
      const found = authorizer.rulesOfRole(roleRef, write.namespace);
      // The real server's message combines the resource of the request with the name of the role.
      if ('problem' in found) {
        throw notFound(groupResource(definition), roleRef.name);
      }
      confirmHeld(authorizer, write, found.rules);
    }
  }
}

function isAuthorized(
  authorizer: Authorizer,
  { user, namespace }: GrantingWrite,
  verb: string,
  resource: string,
  name: string,
): boolean {
  const access = {
    kind: 'resource',
    verb,
    group: rbacGroup,
    resource,
    subresource: '',
    namespace,
    name,
  } as const;
  return authorizer.authorize(user, access).isAllowed;
}

/**
 * The garbage collector, which has none of these permissions, must be able to change finalizers and owner
 * references.
 */
function isOnlyForGarbageCollector(object: KubeObject, old: KubeObject): boolean {
  const free = ['finalizers', 'ownerReferences', 'managedFields', 'selfLink'];
  const rest = (whole: KubeObject): JsonObject => ({
    ...whole,
    metadata: withoutFields(whole.metadata, free),
  });
  return jsonEqual(rest(object), rest(old));
}

function confirmHeld(authorizer: Authorizer, write: GrantingWrite, rules: readonly PolicyRule[]): void {
  const missing = missingRules(authorizer, write, rules);
  if (missing.length === 0) {
    return;
  }
  const { user, namespace } = write;
  const groups = `[${user.groups.map((group) => JSON.stringify(group)).join(' ')}]`;
  const lines = [...new Set(compactRules(missing).map(describeRule))].sort();
  const { problems } = authorizer.rulesFor(user, namespace);
  const tail = problems.length === 0 ? '' : `; resolution errors: [${joinProblems(problems)}]`;
  throw refused(
    write,
    `user ${JSON.stringify(user.name)} (groups=${groups}) is attempting to grant RBAC permissions not currently held:\n${lines.join('\n')}${tail}`,
  );
}

function refused({ definition, object }: GrantingWrite, problem: string): StatusError {
  return forbidden(groupResource(definition), object.metadata.name ?? '', problem);
}

/** Returns the smallest parts of the rules that no rule of the user covers. */
function missingRules(
  authorizer: Authorizer,
  { user, namespace }: GrantingWrite,
  rules: readonly PolicyRule[],
): readonly AtomicRule[] {
  const held = authorizer.rulesFor(user, namespace).rules;
  return rules.flatMap(breakDown).filter((part) => !held.some((rule) => covers(rule, part)));
}

/** One verb on one resource, on one of its names, or on one path. */
type AtomicRule =
  | {
      readonly kind: 'resource';
      readonly verb: string;
      readonly group: string;
      readonly resource: string;
      readonly name: string | undefined;
    }
  | { readonly kind: 'path'; readonly verb: string; readonly path: string };

function breakDown(rule: PolicyRule): AtomicRule[] {
  const { apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  const verbs = rule.verbs ?? [];
  const names = resourceNames.length === 0 ? [undefined] : resourceNames;
  const onResources = apiGroups.flatMap((group) =>
    resources.flatMap((resource) =>
      verbs.flatMap((verb) =>
        names.map((name): AtomicRule => ({ kind: 'resource', verb, group, resource, name })),
      ),
    ),
  );
  const onPaths = nonResourceURLs.flatMap((path) =>
    verbs.map((verb): AtomicRule => ({ kind: 'path', verb, path })),
  );
  return [...onResources, ...onPaths];
}

function covers(rule: PolicyRule, part: AtomicRule): boolean {
  if (!hasOrAll(rule.verbs ?? [], part.verb)) {
    return false;
  }
  if (part.kind === 'path') {
    return (rule.nonResourceURLs ?? []).some((url) => coversPath(url, part.path));
  }
  const { apiGroups = [], resources = [], resourceNames = [] } = rule;
  const slash = part.resource.indexOf('/');
  return (
    hasOrAll(apiGroups, part.group) &&
    (hasOrAll(resources, part.resource) ||
      (slash >= 0 && resources.includes(`*${part.resource.slice(slash)}`))) &&
    (resourceNames.length === 0 || (part.name !== undefined && resourceNames.includes(part.name)))
  );
}

function hasOrAll(values: readonly string[], value: string): boolean {
  return values.includes('*') || values.includes(value);
}

/** Combines parts that differ only in their verb into one rule. */
function compactRules(parts: readonly AtomicRule[]): readonly PolicyRule[] {
  const byTarget = new Map<string, PolicyRule>();
  const compacted: PolicyRule[] = [];
  for (const part of parts) {
    if (part.kind === 'path') {
      compacted.push({ verbs: [part.verb], nonResourceURLs: [part.path] });
      continue;
    }
    const { group, resource, name, verb } = part;
    const key = JSON.stringify([group, resource, name ?? null]);
    const known = byTarget.get(key);
    if (known !== undefined) {
      known.verbs = [...(known.verbs ?? []), verb];
    } else {
      const names = name === undefined ? undefined : { resourceNames: [name] };
      byTarget.set(key, { verbs: [verb], apiGroups: [group], resources: [resource], ...names });
    }
  }
  return [...compacted, ...byTarget.values()];
}

function describeRule({ apiGroups, resources, nonResourceURLs, resourceNames, verbs }: PolicyRule): string {
  const parts: readonly (readonly [string, readonly string[] | null | undefined])[] = [
    ['APIGroups', apiGroups],
    ['Resources', resources],
    ['NonResourceURLs', nonResourceURLs],
    ['ResourceNames', resourceNames],
    ['Verbs', verbs],
  ];
  const shown = parts.flatMap(([name, values]) =>
    values === undefined || values === null || values.length === 0
      ? []
      : [`${name}:[${values.map((value) => JSON.stringify(value)).join(' ')}]`],
  );
  return `{${shown.join(', ')}}`;
}
