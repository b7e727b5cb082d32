import { dnsLabel, dnsSubdomain } from '../meta/names.ts';
import { CelFailure, type CelFunction } from './function-table.ts';
import { spend } from './metering.ts';

/*
 * The functions of k8s.io/apiserver/pkg/cel/library/authz.go. They ask what the sender of a request, or a
 * service account, is allowed to do.
 */

/** The access that an expression asks about. */
export type CheckedAccess =
  | { readonly kind: 'path'; readonly verb: string; readonly path: string }
  | ({ readonly kind: 'resource'; readonly verb: string } & CheckedResource);

export interface CheckedResource {
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  /** Empty: all namespaces. */
  readonly namespace: string;
  /** Empty: all names. */
  readonly name: string;
}

export interface CheckedAccount {
  readonly namespace: string;
  readonly name: string;
}

/** Checks access for the sender of the request, or for a service account. */
export type CheckAccess = (
  access: CheckedAccess,
  account: CheckedAccount | undefined,
) => { readonly isAllowed: boolean; readonly reason: string };

/** The value of the variable `authorizer`. */
export class AccessAuthorizer {
  readonly check: CheckAccess;
  readonly account: CheckedAccount | undefined;
  readonly requestResource: ResourceCheck | undefined;

  /** @param resource of the request; undefined if the authorizer asks for a service account */
  constructor(check: CheckAccess, resource: CheckedResource | undefined, account?: CheckedAccount) {
    this.check = check;
    this.account = account;
    this.requestResource = resource === undefined ? undefined : new ResourceCheck(this, resource);
  }
}

class PathCheck {
  readonly authorizer: AccessAuthorizer;
  readonly path: string;

  constructor(authorizer: AccessAuthorizer, path: string) {
    this.authorizer = authorizer;
    this.path = path;
  }
}

class GroupCheck {
  readonly authorizer: AccessAuthorizer;
  readonly group: string;

  constructor(authorizer: AccessAuthorizer, group: string) {
    this.authorizer = authorizer;
    this.group = group;
  }
}

class ResourceCheck {
  readonly authorizer: AccessAuthorizer;
  readonly resource: CheckedResource;

  constructor(authorizer: AccessAuthorizer, resource: CheckedResource) {
    this.authorizer = authorizer;
    this.resource = resource;
  }
}

class Decision {
  readonly isAllowed: boolean;
  readonly reason: string;

  constructor({ isAllowed, reason }: ReturnType<CheckAccess>) {
    this.isAllowed = isAllowed;
    this.reason = reason;
  }
}

const prefix = 'kubernetes.authorization';
const types = {
  authorizer: `${prefix}.Authorizer`,
  path: `${prefix}.PathCheck`,
  group: `${prefix}.GroupCheck`,
  resource: `${prefix}.ResourceCheck`,
  decision: `${prefix}.Decision`,
} as const;

export const authorizerType = types.authorizer;

/** The types, with their classes and fields. */
export const authorizerTypes: readonly (readonly [
  name: string,
  ctor: new (...values: never[]) => object,
  fields: Readonly<Record<string, string>>,
])[] = [
  [types.path, PathCheck, {}],
  [types.group, GroupCheck, {}],
  [types.decision, Decision, {}],
  [types.resource, ResourceCheck, {}],
  [types.authorizer, AccessAuthorizer, { requestResource: types.resource }],
];

function notEmpty(value: string, what: string): string {
  if (value.trim() === '') {
    throw new CelFailure(`${what} must not be empty`);
  }
  return value;
}

function serviceAccount({ check }: AccessAuthorizer, namespace: string, name: string): AccessAuthorizer {
  if (dnsSubdomain(name, false).length > 0) {
    throw new CelFailure('Invalid service account name');
  }
  if (dnsLabel(namespace, false).length > 0) {
    throw new CelFailure('Invalid service account namespace');
  }
  return new AccessAuthorizer(check, undefined, { namespace, name });
}

const narrowed =
  (field: 'subresource' | 'namespace' | 'name') =>
  ({ authorizer, resource }: ResourceCheck, value: string): ResourceCheck =>
    new ResourceCheck(authorizer, { ...resource, [field]: value });

/** The cost that cost.go of that package sets for a check. */
const costOfCheck = 350_000;

function ask({ check, account }: AccessAuthorizer, access: CheckedAccess): Decision {
  spend(costOfCheck);
  return new Decision(check(access, account));
}

export const authorizerFunctions: readonly CelFunction[] = [
  [
    `${types.authorizer}.path(string): ${types.path}`,
    (authorizer: AccessAuthorizer, path: string) => new PathCheck(authorizer, notEmpty(path, 'path')),
  ],
  [
    `${types.authorizer}.group(string): ${types.group}`,
    (authorizer: AccessAuthorizer, group: string) => new GroupCheck(authorizer, group),
  ],
  [`${types.authorizer}.serviceAccount(string, string): ${types.authorizer}`, serviceAccount],
  [
    `${types.group}.resource(string): ${types.resource}`,
    ({ authorizer, group }: GroupCheck, resource: string) =>
      new ResourceCheck(authorizer, {
        group,
        resource: notEmpty(resource, 'resource'),
        subresource: '',
        namespace: '',
        name: '',
      }),
  ],
  [`${types.resource}.subresource(string): ${types.resource}`, narrowed('subresource')],
  [`${types.resource}.namespace(string): ${types.resource}`, narrowed('namespace')],
  [`${types.resource}.name(string): ${types.resource}`, narrowed('name')],
  [
    `${types.path}.check(string): ${types.decision}`,
    ({ authorizer, path }: PathCheck, verb: string) => ask(authorizer, { kind: 'path', path, verb }),
  ],
  [
    `${types.resource}.check(string): ${types.decision}`,
    ({ authorizer, resource }: ResourceCheck, verb: string) =>
      ask(authorizer, { kind: 'resource', ...resource, verb }),
  ],
  [`${types.decision}.allowed(): bool`, ({ isAllowed }: Decision) => isAllowed],
  [`${types.decision}.reason(): string`, ({ reason }: Decision) => reason],
  // The authorizer of this server never fails.
  [`${types.decision}.errored(): bool`, () => false],
  [`${types.decision}.error(): string`, () => ''],
];
