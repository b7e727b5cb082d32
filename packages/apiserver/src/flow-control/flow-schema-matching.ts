import type { AccessRequest } from '../auth/access-request.ts';
import { type UserInfo, serviceAccountUserName } from '../auth/user-info.ts';
import type {
  FlowRule,
  FlowSchema,
  FlowSubject,
  PathFlowRule,
  ResourceFlowRule,
} from '../resources/described/flow-schema-validation.ts';

/** Whether a flow schema matches a request of a user (k8s.io/apiserver/pkg/util/flowcontrol, rule.go). */
export function matchesFlowSchema(
  { spec: { rules = [] } }: FlowSchema,
  user: UserInfo,
  access: AccessRequest,
): boolean {
  return rules.some(
    (rule) => rule.subjects.some((subject) => isSubject(subject, user)) && covers(rule, access),
  );
}

function isSubject(subject: FlowSubject, { name, groups }: UserInfo): boolean {
  switch (subject.kind) {
    case 'User':
      return subject.user?.name === '*' || subject.user?.name === name;
    case 'Group': {
      const wanted = subject.group?.name;
      return wanted === '*' || (wanted !== undefined && groups.includes(wanted));
    }
    case 'ServiceAccount': {
      const account = subject.serviceAccount;
      if (account === undefined) {
        return false;
      }
      return account.name === '*'
        ? name.startsWith(serviceAccountUserName(account.namespace, ''))
        : name === serviceAccountUserName(account.namespace, account.name);
    }
    default:
      return false;
  }
}

function covers({ resourceRules = [], nonResourceRules = [] }: FlowRule, access: AccessRequest): boolean {
  return access.kind === 'resource'
    ? resourceRules.some((rule) => coversResource(rule, access))
    : nonResourceRules.some((rule) => coversPath(rule, access));
}

function coversResource(
  { verbs, apiGroups, resources, clusterScope = false, namespaces = [] }: ResourceFlowRule,
  { verb, group, resource, subresource, namespace }: Extract<AccessRequest, { kind: 'resource' }>,
): boolean {
  return (
    includes(verbs, verb) &&
    includes(resources, subresource === '' ? resource : `${resource}/${subresource}`) &&
    includes(apiGroups, group) &&
    (namespace === '' ? clusterScope : includes(namespaces, namespace))
  );
}

/** A path covers the paths below it, with or without a star at its end. */
function coversPath(
  { verbs, nonResourceURLs }: PathFlowRule,
  { verb, path }: Extract<AccessRequest, { kind: 'path' }>,
): boolean {
  return (
    includes(verbs, verb) &&
    nonResourceURLs.some((url) => {
      const stem = url.endsWith('*') ? url.slice(0, -1) : url;
      return url === '*' || url === path || path.startsWith(stem.endsWith('/') ? stem : `${stem}/`);
    })
  );
}

function includes(values: readonly string[], value: string): boolean {
  return (values.length === 1 && values[0] === '*') || values.includes(value);
}
