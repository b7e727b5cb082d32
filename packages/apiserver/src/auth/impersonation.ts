import { type HttpRequest, headersDistinct } from '../http/exchange.ts';
import { dnsSubdomain } from '../meta/names.ts';
import { type StatusError, badRequest } from '../meta/status-error.ts';
import { type AccessRequest, accessForbidden } from './access-request.ts';
import type { Authorizer } from './authorizer.ts';
import {
  type UserInfo,
  anonymous,
  authenticatedGroup,
  privilegedGroup,
  serviceAccountGroups,
  serviceAccountOf,
  unauthenticatedGroup,
} from './user-info.ts';

/*
 * Impersonation by Impersonate-* headers (apiserver/pkg/endpoints/filters/impersonation). First comes the
 * constrained mode that fits the requested user (KEP-5284), which also requires permission for the request
 * itself; then the legacy mode, which requires only the verb "impersonate". If no mode allows it, the answer
 * is that of the first mode. The mode for a node's own service accounts is left out, because no tokens are
 * issued to nodes here.
 */

type Mode = 'arbitrary-node' | 'serviceaccount' | 'user-info' | 'legacy';

/**
 * Returns the user as whom a request acts: the sender if no header asks for another. Throws 400 for headers
 * without a user, 403 with the message of the mode that was tried first.
 */
export type Impersonate = (sender: UserInfo, request: HttpRequest, access: AccessRequest) => UserInfo;

export function createImpersonation(authorizer: Authorizer): Impersonate {
  // The mode that last succeeded for a sender is tried first, and so determines the message of a refusal.
  const worked = new Map<string, Mode>();

  return (sender, request, access) => {
    const wanted = isAsked(request.headers) ? wantedUser(headersDistinct(request)) : undefined;
    if (wanted === undefined) {
      return sender;
    }
    const key = JSON.stringify(sender);
    const last = worked.get(key);
    const applicable = modesFor(wanted);
    const modes = applicable
      .filter((mode) => mode === last)
      .concat(applicable.filter((mode) => mode !== last));
    const refusals: StatusError[] = [];
    for (const mode of modes) {
      const refused = refusal(authorizer, sender, accessesIn(mode, wanted, access));
      if (refused === undefined) {
        worked.set(key, mode);
        return actingUser(wanted, mode);
      }
      refusals.push(refused);
    }
    throw refusals[0] ?? accessForbidden(sender, access, 'no impersonation mode applies');
  };
}

const anyPrefix = 'impersonate-';
const extraPrefix = `${anyPrefix}extra-`;

/**
 * Most requests impersonate nobody: only for those that do, Node has to split the headers value by value
 * (headersDistinct).
 */
function isAsked(headers: HttpRequest['headers']): boolean {
  for (const header in headers) {
    if (header.startsWith(anyPrefix)) {
      return true;
    }
  }
  return false;
}

function wantedUser(headers: NodeJS.Dict<string[]>): UserInfo | undefined {
  const name = headers['impersonate-user']?.[0] ?? '';
  const uid = headers['impersonate-uid']?.[0] ?? '';
  const groups = headers['impersonate-group'] ?? [];
  const extra: Record<string, readonly string[]> = {};
  for (const [header, values] of Object.entries(headers)) {
    if (header.startsWith(extraPrefix) && values !== undefined) {
      extra[extraKey(header.slice(extraPrefix.length))] = values;
    }
  }
  if (name !== '') {
    return { name, uid, groups, extra };
  }
  if (uid === '' && groups.length === 0 && Object.keys(extra).length === 0) {
    return undefined;
  }
  throw badRequest(`requested ${goUser(uid, groups, extra)} without impersonating a user name`);
}

function extraKey(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}

function goUser(
  uid: string,
  groups: readonly string[],
  extra: Readonly<Record<string, readonly string[]>>,
): string {
  const list = (values: readonly string[]): string =>
    `[]string${values.length === 0 ? '(nil)' : `{${values.map((value) => JSON.stringify(value)).join(', ')}}`}`;
  const entries = Object.entries(extra).sort(([a], [b]) => (a < b ? -1 : 1));
  const map =
    entries.length === 0
      ? '(nil)'
      : `{${entries.map(([key, values]) => `${JSON.stringify(key)}:${list(values)}`).join(', ')}}`;
  return `&user.DefaultInfo{Name:"", UID:${JSON.stringify(uid)}, Groups:${list(groups)}, Extra:map[string][]string${map}}`;
}

/** Nodes and service accounts have their own modes, which accept a name and nothing else. */
function modesFor({ name, uid, groups, extra = {} }: UserInfo): readonly Mode[] {
  const isNode = nodeNameOf(name) !== undefined;
  if (!isNode && serviceAccountOf(name) === undefined) {
    return ['user-info', 'legacy'];
  }
  const isNameOnly = uid === '' && groups.length === 0 && Object.keys(extra).length === 0;
  if (!isNameOnly) {
    return ['legacy'];
  }
  return [isNode ? 'arbitrary-node' : 'serviceaccount', 'legacy'];
}

function nodeNameOf(userName: string): string | undefined {
  const prefix = 'system:node:';
  const name = userName.startsWith(prefix) ? userName.slice(prefix.length) : '';
  return name !== '' && dnsSubdomain(name, false).length === 0 ? name : undefined;
}

type ResourceAccess = Extract<AccessRequest, { kind: 'resource' }>;

/**
 * What the sender must be allowed to do: in constrained modes, to make this request as another user, and to
 * impersonate each part of that user.
 */
function accessesIn(mode: Mode, wanted: UserInfo, request: AccessRequest): readonly AccessRequest[] {
  if (mode === 'legacy') {
    return accessesFor(wanted, 'impersonate', '');
  }
  return [
    { ...request, verb: `impersonate-on:${mode}:${request.verb}` },
    ...accessesFor(wanted, `impersonate:${mode}`, 'authentication.k8s.io'),
  ];
}

function accessesFor(
  { name, uid, groups, extra = {} }: UserInfo,
  verb: string,
  group: string,
): ResourceAccess[] {
  const access = (resource: string, of: string, given: Partial<ResourceAccess> = {}): ResourceAccess => ({
    kind: 'resource',
    verb,
    group: 'authentication.k8s.io',
    resource,
    subresource: '',
    namespace: '',
    name: of,
    ...given,
  });
  const account = serviceAccountOf(name);
  const node = verb === 'impersonate' ? undefined : nodeNameOf(name);
  const user =
    account !== undefined
      ? access('serviceaccounts', account.name, { group, namespace: account.namespace })
      : access(node === undefined ? 'users' : 'nodes', node ?? name, { group });
  return [
    user,
    ...(uid === '' ? [] : [access('uids', uid)]),
    ...groups.map((wanted) => access('groups', wanted, { group })),
    ...Object.entries(extra).flatMap(([key, values]) =>
      values.map((value) => access('userextras', value, { subresource: key })),
    ),
  ];
}

function refusal(
  authorizer: Authorizer,
  sender: UserInfo,
  accesses: readonly AccessRequest[],
): StatusError | undefined {
  for (const access of accesses) {
    // No constrained mode allows impersonating the group system:masters.
    if (access.verb !== 'impersonate' && access.kind === 'resource' && isPrivilegedGroup(access)) {
      return accessForbidden(sender, access, 'impersonating the system:masters group is not allowed');
    }
    const { isAllowed, reason } = authorizer.authorize(sender, access);
    if (!isAllowed) {
      return accessForbidden(sender, access, reason);
    }
  }
  return undefined;
}

function isPrivilegedGroup({ group, resource, name }: ResourceAccess): boolean {
  return group === 'authentication.k8s.io' && resource === 'groups' && name === privilegedGroup;
}

function actingUser(wanted: UserInfo, mode: Mode): UserInfo {
  const account = serviceAccountOf(wanted.name);
  let groups = wanted.groups;
  if (mode === 'arbitrary-node') {
    groups = ['system:nodes'];
  } else if (account !== undefined && groups.length === 0) {
    groups = serviceAccountGroups(account.namespace);
  }
  if (wanted.name === anonymous.name) {
    groups = withGroup(groups, unauthenticatedGroup);
  } else if (!groups.includes(unauthenticatedGroup)) {
    groups = withGroup(groups, authenticatedGroup);
  }
  return { ...wanted, groups };
}

function withGroup(groups: readonly string[], group: string): readonly string[] {
  return groups.includes(group) ? groups : [...groups, group];
}
