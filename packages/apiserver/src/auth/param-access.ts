import { type FieldError, forbiddenField } from '../meta/field-error.ts';
import { readGroupVersion } from '../meta/group-version.ts';
import { jsonEqual } from '../meta/json.ts';
import type { KubeObject } from '../meta/kube-object.ts';
import { validatingAdmissionPolicyBindings } from '../resources/admission-policy-binding.ts';
import type { PolicyBasis } from '../resources/admission-policy-spec.ts';
import { validatingAdmissionPolicies } from '../resources/admission-policy.ts';
import { mutatingAdmissionPolicyBindings } from '../resources/mutating-policy-binding.ts';
import { mutatingAdmissionPolicies } from '../resources/mutating-policy.ts';
import type { PolicyBinding } from '../resources/policy-binding.ts';
import type { ResourceRegistry } from '../resources/registry.ts';
import { type ResourceDefinition, keyspaceOf } from '../resources/resource-definition.ts';
import type { Storage } from '../storage/storage.ts';
import type { Authorizer } from './authorizer.ts';
import { type UserInfo, privilegedGroup } from './user-info.ts';

/*
 * The API server reads params and might show them in messages. So a user who names their kind in an admission
 * policy, or one of them in a binding, must be allowed to read them (authz.go of
 * pkg/registry/admissionregistration).
 */

interface Parts {
  readonly authorizer: Authorizer;
  readonly registry: ResourceRegistry;
  readonly storage: Storage;
}

interface ParamKind {
  readonly apiVersion?: string;
  readonly kind?: string;
}

/**
 * Returns errors for references that the user is not allowed to make. Expects a valid policy or binding;
 * returns none for other kinds.
 */
export function paramAccessErrors(
  parts: Parts,
  definition: ResourceDefinition,
  object: KubeObject,
  old: KubeObject | undefined,
  user: UserInfo,
): FieldError[] {
  if (user.groups.includes(privilegedGroup)) {
    return [];
  }
  switch (definition) {
    case validatingAdmissionPolicies:
    case mutatingAdmissionPolicies:
      return policyErrors(parts, object as Policy, old as Policy | undefined, user);
    case validatingAdmissionPolicyBindings:
    case mutatingAdmissionPolicyBindings:
      return bindingErrors(
        parts,
        definition === mutatingAdmissionPolicyBindings,
        object as PolicyBinding,
        old as PolicyBinding | undefined,
        user,
      );
    default:
      return [];
  }
}

interface Policy extends KubeObject {
  spec: PolicyBasis;
}

function policyErrors(
  parts: Parts,
  { spec: { paramKind } }: Policy,
  old: Policy | undefined,
  user: UserInfo,
): FieldError[] {
  if (paramKind === undefined || jsonEqual(paramKind, old?.spec.paramKind)) {
    return [];
  }
  if (mayRead(parts, user, 'get', paramKind, '*', '*')) {
    return [];
  }
  const { kind = '', apiVersion = '' } = paramKind;
  const named = `(kind=${kind}, apiVersion=${apiVersion})`;
  const problem = `user ${shown(user)} must have "get" permission on all objects of the referenced paramKind ${named}`;
  return [forbiddenField('spec.paramKind', problem)];
}

function bindingErrors(
  parts: Parts,
  isMutating: boolean,
  { spec }: PolicyBinding,
  old: PolicyBinding | undefined,
  user: UserInfo,
): FieldError[] {
  const { paramRef, policyName = '' } = spec;
  if (paramRef === undefined || jsonEqual(paramRef, old?.spec.paramRef)) {
    return [];
  }
  const verb = paramRef.selector === undefined ? 'get' : 'list';
  const policies = isMutating ? mutatingAdmissionPolicies : validatingAdmissionPolicies;
  const policy = parts.storage.get(keyspaceOf(policies), '', policyName)?.object as Policy | undefined;
  const paramKind = policy?.spec.paramKind;
  if (mayRead(parts, user, verb, paramKind, paramRef.namespace ?? '*', paramRef.name ?? '*')) {
    return [];
  }
  const refuse = (problem: string): FieldError[] => [forbiddenField('spec.paramRef', problem)];
  const everywhere = `to determine minimum required permissions and user ${shown(user)} does not have "${verb}" permission for all groups, versions and resources`;
  if (policy === undefined) {
    return refuse(`unable to get policy ${policyName} ${everywhere}`);
  }
  if (paramKind !== undefined && resourceOf(parts.registry, paramKind) === undefined) {
    const { kind = '', apiVersion = '' } = paramKind;
    return refuse(`unable to resolve paramKind &{${apiVersion} ${kind}} ${everywhere}`);
  }
  // For mutating policies the real server swaps the user and the verb in this message.
  const [who, what] = isMutating ? [verb, shown(user)] : [shown(user), verb];
  return refuse(`user ${who} does not have "${what}" permission on the object referenced by paramRef`);
}

function resourceOf(registry: ResourceRegistry, { apiVersion = '', kind }: ParamKind): string | undefined {
  const { group, version } = readGroupVersion(apiVersion);
  return registry.all.find(
    (definition) => definition.group === group && definition.version === version && definition.kind === kind,
  )?.plural;
}

/** If the params are not known, the user must be allowed to read all that are possible. */
function mayRead(
  { authorizer, registry }: Parts,
  user: UserInfo,
  verb: string,
  paramKind: ParamKind | undefined,
  namespace: string,
  name: string,
): boolean {
  const group = paramKind === undefined ? '*' : readGroupVersion(paramKind.apiVersion ?? '').group;
  const resource = paramKind === undefined ? '*' : (resourceOf(registry, paramKind) ?? '*');
  const access = { kind: 'resource', verb, group, resource, subresource: '', namespace, name } as const;
  return authorizer.authorize(user, access).isAllowed;
}

/** Formats a user as Go does. */
function shown({ name, uid, groups, extra = {} }: UserInfo): string {
  const more = Object.entries(extra).map(([key, values]) => `${key}:[${values.join(' ')}]`);
  return `&{${name} ${uid} [${groups.join(' ')}] map[${more.sort().join(' ')}]}`;
}
