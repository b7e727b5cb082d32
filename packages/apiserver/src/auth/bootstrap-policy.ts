import type { JsonObject } from '../meta/json.ts';
import { clusterRoleBindings, clusterRoles, rbacGroup, roleBindings, roles } from '../resources/rbac.ts';
import type { ResourceDefinition } from '../resources/resource-definition.ts';
import { bootstrapPolicyData } from './bootstrap-policy-data.ts';

/*
 * The default roles of a new cluster. The rules of admin, edit and view are aggregated here, whereas on a
 * real cluster a controller does that.
 */

export interface BootstrapObject {
  readonly definition: ResourceDefinition;
  readonly namespace: string;
  readonly object: JsonObject;
}

interface Role {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly partOf: readonly string[];
  readonly aggregated: string | undefined;
  readonly rules: JsonObject[];
}

const definitions: Readonly<Record<string, ResourceDefinition>> = {
  ClusterRole: clusterRoles,
  Role: roles,
  ClusterRoleBinding: clusterRoleBindings,
  RoleBinding: roleBindings,
};
const aggregation = 'rbac.authorization.k8s.io/aggregate-to-';
const labels = { 'kubernetes.io/bootstrapping': 'rbac-defaults' };
const annotations = { 'rbac.authorization.kubernetes.io/autoupdate': 'true' };

/** Returns the roles, then the bindings. */
export function bootstrapPolicy(): readonly BootstrapObject[] {
  const found: Role[] = [];
  const bindings: BootstrapObject[] = [];
  for (const line of bootstrapPolicyData.split('\n')) {
    const [kind = '', ...rest] = line.trim().split(' ');
    if (line.startsWith('  ')) {
      found.at(-1)?.rules.push(readRule([kind, ...rest]));
    } else if (kind.endsWith('RoleBinding')) {
      bindings.push(readBinding(kind, rest));
    } else if (kind !== '') {
      found.push(readRole(kind, rest));
    }
  }
  return [...found.map((role) => roleObject(role, found)), ...bindings];
}

function readName(text: string): { readonly namespace: string; readonly name: string } {
  const [first = '', second] = text.split('/');
  return second === undefined ? { namespace: '', name: first } : { namespace: first, name: second };
}

/** Returns the values of a word such as `names=a,b`. */
function valuesOf(words: readonly string[], key: string): string[] | undefined {
  return words
    .find((word) => word.startsWith(`${key}=`))
    ?.slice(key.length + 1)
    .split(',');
}

function readRole(kind: string, [name = '', ...words]: readonly string[]): Role {
  return {
    kind,
    ...readName(name),
    partOf: valuesOf(words, 'partOf') ?? [],
    aggregated: valuesOf(words, 'aggregated')?.[0],
    rules: [],
  };
}

function readRule([verbs = '', groups = '', resources = '', ...words]: readonly string[]): JsonObject {
  const urls = valuesOf([groups], 'urls');
  const names = valuesOf(words, 'names');
  if (urls !== undefined) {
    return { verbs: verbs.split(','), nonResourceURLs: urls };
  }
  return {
    verbs: verbs.split(','),
    apiGroups: groups.split(',').map((group) => (group === 'core' ? '' : group)),
    resources: resources.split(','),
    ...(names === undefined ? undefined : { resourceNames: names }),
  };
}

function readBinding(kind: string, [name = '', role = '', ...subjects]: readonly string[]): BootstrapObject {
  const bound = readName(name);
  const [roleKind = '', roleName = ''] = role.split('/');
  return bootstrapObject(kind, bound, {
    subjects: subjects.map((subject) => {
      const [subjectKind = '', who = ''] = subject.split('=');
      return subjectKind === 'ServiceAccount'
        ? { kind: subjectKind, ...readName(who) }
        : { kind: subjectKind, apiGroup: rbacGroup, name: who };
    }),
    roleRef: { apiGroup: rbacGroup, kind: roleKind, name: roleName },
  });
}

function roleObject(role: Role, all: readonly Role[]): BootstrapObject {
  const { kind, partOf, aggregated } = role;
  const partLabels = Object.fromEntries(partOf.map((whole) => [aggregation + whole, 'true']));
  const rule = { clusterRoleSelectors: [{ matchLabels: { [`${aggregation}${aggregated ?? ''}`]: 'true' } }] };
  return bootstrapObject(
    kind,
    role,
    {
      rules: rulesOf(role, all),
      ...(aggregated === undefined ? undefined : { aggregationRule: rule }),
    },
    partLabels,
  );
}

function rulesOf({ aggregated, rules }: Role, all: readonly Role[]): JsonObject[] {
  return aggregated === undefined
    ? rules
    : all.filter(({ partOf }) => partOf.includes(aggregated)).flatMap((part) => rulesOf(part, all));
}

function bootstrapObject(
  kind: string,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  content: JsonObject,
  moreLabels: Readonly<Record<string, string>> = {},
): BootstrapObject {
  const definition = definitions[kind];
  if (definition === undefined) {
    throw new Error(`bootstrap policy has a ${kind}: it may have ${Object.keys(definitions).join(', ')}`);
  }
  const metadata = { name, labels: { ...labels, ...moreLabels }, annotations };
  return { definition, namespace, object: { metadata, ...content } };
}
