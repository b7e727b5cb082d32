import {
  type PolicyRule,
  type Role,
  type RoleBinding,
  type Subject,
  clusterRoleBindings,
  clusterRoles,
  roleBindings,
  roles,
} from '../resources/rbac.ts';
import { keyspaceOf } from '../resources/resource-definition.ts';
import type { Storage } from '../storage/storage.ts';
import type { AccessRequest } from './access-request.ts';
import { ruleAllows } from './policy-rule.ts';
import { type UserInfo, privilegedGroup, serviceAccountUserName } from './user-info.ts';

export interface Decision {
  readonly isAllowed: boolean;
  /**
   * The binding that allows the request, or why a binding could not be evaluated; empty if there is nothing
   * to report.
   */
  readonly reason: string;
}

/** The rules that apply to a user, and the bindings' references to roles that do not exist. */
export interface HeldRules {
  readonly rules: readonly PolicyRule[];
  readonly problems: readonly string[];
}

export interface Authorizer {
  authorize(user: UserInfo, access: AccessRequest): Decision;
  /**
   * Returns everything that a user may do in a namespace, cluster-wide grants first; only the cluster-wide
   * grants if the namespace is empty.
   */
  rulesFor(user: UserInfo, namespace: string): HeldRules;
  /** Returns the rules of a role to which a binding in a namespace refers, or why there are none. */
  rulesOfRole(roleRef: RoleBinding['roleRef'], namespace: string): RoleRules;
  /** Stops following the stored roles. */
  stop(): void;
}

export type RoleRules = { readonly rules: readonly PolicyRule[] } | { readonly problem: string };

/** One binding as it applies to one of its subjects. */
interface Grant {
  readonly binding: RoleBinding;
  /** The position among the bindings, by which grants are ordered. */
  readonly order: number;
  readonly subject: Subject;
  /** The position among the subjects of the binding. */
  readonly subjectOrder: number;
  readonly role: RoleRules;
}

type SubjectIndex = Map<string, Grant[]>;

const followed = [roles, roleBindings, clusterRoles, clusterRoleBindings];

/**
 * RBAC with the stored roles and bindings (plugin/pkg/auth/authorizer/rbac). An index of bindings by subject
 * is built when it is first needed after a change, so that a request costs one look-up for its user and one
 * for each group.
 */
export function createAuthorizer(storage: Storage): Authorizer {
  let indexes: Map<string, SubjectIndex> | undefined;
  const stops = followed.map((definition) =>
    storage.subscribe(keyspaceOf(definition), () => (indexes = undefined)),
  );

  function rulesOfRole(roleRef: RoleBinding['roleRef'], namespace: string): RoleRules {
    const definition = roleRef.kind === 'Role' ? roles : clusterRoles;
    const entry = storage.get(keyspaceOf(definition), definition.namespaced ? namespace : '', roleRef.name);
    if (entry === undefined) {
      return {
        problem: `${definition.singular}.${definition.group} ${JSON.stringify(roleRef.name)} not found`,
      };
    }
    return { rules: (entry.object as Role).rules ?? [] };
  }

  function buildIndexes(): Map<string, SubjectIndex> {
    const built = new Map<string, SubjectIndex>();
    for (const definition of [clusterRoleBindings, roleBindings]) {
      storage.list(keyspaceOf(definition)).forEach((entry, order) => {
        const binding = entry.object as RoleBinding;
        let index = built.get(entry.namespace);
        if (index === undefined) {
          built.set(entry.namespace, (index = new Map<string, Grant[]>()));
        }
        const role = rulesOfRole(binding.roleRef, entry.namespace);
        for (const [subjectOrder, subject] of (binding.subjects ?? []).entries()) {
          const key = subjectKey(subject, entry.namespace);
          if (key === undefined) {
            continue;
          }
          const grants = index.get(key);
          const grant = { binding, order, subject, subjectOrder, role };
          if (grants === undefined) {
            index.set(key, [grant]);
          } else {
            grants.push(grant);
          }
        }
      });
    }
    return built;
  }

  /** Returns each binding once, for the first of its subjects that matches the user. */
  function grantsIn(user: UserInfo, namespace: string): readonly Grant[] {
    const index = (indexes ??= buildIndexes()).get(namespace);
    if (index === undefined) {
      return [];
    }
    const keys = [`User ${user.name}`, ...user.groups.map((group) => `Group ${group}`)];
    return keys
      .flatMap((key) => index.get(key) ?? [])
      .sort((a, b) => a.order - b.order || a.subjectOrder - b.subjectOrder)
      .filter((grant, place, all) => all[place - 1]?.binding !== grant.binding);
  }

  function grantsFor(user: UserInfo, namespace: string): readonly Grant[] {
    const everywhere = grantsIn(user, '');
    return namespace === '' ? everywhere : [...everywhere, ...grantsIn(user, namespace)];
  }

  return {
    authorize(user, access) {
      if (user.groups.includes(privilegedGroup)) {
        return { isAllowed: true, reason: '' };
      }
      const problems: string[] = [];
      for (const grant of grantsFor(user, access.kind === 'resource' ? access.namespace : '')) {
        if ('problem' in grant.role) {
          problems.push(grant.role.problem);
        } else if (grant.role.rules.some((rule) => ruleAllows(rule, access))) {
          return { isAllowed: true, reason: `RBAC: allowed by ${describeGrant(grant)}` };
        }
      }
      return { isAllowed: false, reason: problems.length === 0 ? '' : `RBAC: ${joinProblems(problems)}` };
    },
    rulesFor(user, namespace) {
      const grants = grantsFor(user, namespace);
      return {
        rules: grants.flatMap(({ role }) => ('rules' in role ? role.rules : [])),
        problems: grants.flatMap(({ role }) => ('problem' in role ? [role.problem] : [])),
      };
    },
    rulesOfRole,
    stop() {
      for (const stop of stops) {
        stop();
      }
    },
  };
}

/**
 * Formats several problems as Go's aggregate of errors does: each once, in brackets if there is more than
 * one.
 */
export function joinProblems(problems: readonly string[]): string {
  const distinct = [...new Set(problems)];
  return distinct.length === 1 ? (distinct[0] ?? '') : `[${distinct.join(', ')}]`;
}

/** The name of the user or group that a subject stands for; undefined if it stands for none. */
function subjectKey({ kind, name, namespace = '' }: Subject, bindingNamespace: string): string | undefined {
  switch (kind) {
    case 'User':
    case 'Group':
      return `${kind} ${name}`;
    case 'ServiceAccount': {
      const home = namespace === '' ? bindingNamespace : namespace;
      return home === '' ? undefined : `User ${serviceAccountUserName(home, name)}`;
    }
    default:
      return undefined;
  }
}

function describeGrant({ binding, subject }: Grant): string {
  const { namespace = '', name = '' } = binding.metadata;
  const isNamespaced = namespace !== '';
  const home = subject.namespace ?? namespace;
  const who = subject.kind === 'ServiceAccount' ? `${subject.name}/${home}` : subject.name;
  const kind = isNamespaced ? 'RoleBinding' : 'ClusterRoleBinding';
  const { roleRef } = binding;
  return `${kind} ${JSON.stringify(isNamespaced ? `${name}/${namespace}` : name)} of ${roleRef.kind} ${JSON.stringify(roleRef.name)} to ${subject.kind} ${JSON.stringify(who)}`;
}
