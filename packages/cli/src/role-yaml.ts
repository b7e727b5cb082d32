import { dump } from 'js-yaml';
import type { RoleRule, RoleRules } from './role-rules.ts';

/**
 * Returns the roles as YAML: a ClusterRole for requests to the whole cluster, a Role for the operator's own
 * objects, and one for the namespaces that it watches separately. Empty roles are left out.
 *
 * @param name of the roles; that of the watched namespaces ends with `-watched`.
 */
export function rolesYaml(name: string, { cluster, home, watched }: RoleRules): string {
  const documents = [
    roleYaml('ClusterRole', name, 'For all of the cluster: bind it by a ClusterRoleBinding.', cluster),
    roleYaml('Role', name, 'For the namespace in which the operator runs.', home),
    roleYaml('Role', `${name}-watched`, 'For each namespace of --namespaces.', watched),
  ].filter((document) => document !== undefined);
  return `# Made by holdfast rbac, from what the operator asked for in its tests. Change the operator or its tests, and run it again.\n${documents.join('---\n')}`;
}

function roleYaml(
  kind: string,
  name: string,
  purpose: string,
  rules: readonly RoleRule[],
): string | undefined {
  if (rules.length === 0) {
    return undefined;
  }
  return [
    `# ${purpose}`,
    'apiVersion: rbac.authorization.k8s.io/v1',
    `kind: ${kind}`,
    'metadata:',
    `  name: ${inline(name)}`,
    'rules:',
    ...rules.flatMap(ruleLines),
    '',
  ].join('\n');
}

function ruleLines({ resource, resourceNames, paths, verbs }: RoleRule): readonly string[] {
  const fields = [
    ...(resource === undefined
      ? [`nonResourceURLs: ${inline(paths)}`]
      : [`apiGroups: ${inline([resource.group])}`, `resources: ${inline([resource.name])}`]),
    ...(resourceNames.length === 0 ? [] : [`resourceNames: ${inline(resourceNames)}`]),
    `verbs: ${inline([...verbs.keys()].toSorted())}`,
  ];
  return [
    ...reasons(verbs).map((reason) => `  # ${reason}`),
    ...fields.map((field, index) => `${index === 0 ? '  - ' : '    '}${field}`),
  ];
}

/** Explains why the verbs are needed: one line for all verbs that the same tests need. */
function reasons(verbs: RoleRule['verbs']): readonly string[] {
  const byTests = new Map<string, string[]>();
  for (const [verb, tests] of [...verbs].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const text = [...tests].toSorted().join(', ');
    byTests.set(text, [...(byTests.get(text) ?? []), verb]);
  }
  return [...byTests].map(([tests, needed]) => `${needed.join(', ')}: ${tests}`);
}

/** Writes a value on one line, quoted if YAML requires it. */
function inline(value: string | readonly string[]): string {
  return dump(value, { flowLevel: 0, lineWidth: -1 }).trimEnd();
}
