import type { KubeObject } from '../../meta/kube-object.ts';
import type { PolicyBasis } from '../../resources/admission-policy-spec.ts';
import type { PolicyBinding } from '../../resources/policy-binding.ts';
import { validatingAdmissionPolicyBindings } from '../../resources/admission-policy-binding.ts';
import { validatingAdmissionPolicies } from '../../resources/admission-policy.ts';
import { mutatingAdmissionPolicyBindings } from '../../resources/mutating-policy-binding.ts';
import { mutatingAdmissionPolicies } from '../../resources/mutating-policy.ts';
import type { ResourceRegistry } from '../../resources/registry.ts';
import { type ResourceDefinition, isNamespace, keyspaceOf } from '../../resources/resource-definition.ts';
import type { Authorizer } from '../../auth/authorizer.ts';
import type { AdmissionVariables } from '../../cel/admission-expression.ts';
import type { AdmissionRequest } from '../admission.ts';
import { namespaceOf, requestVariables } from '../request-variables.ts';
import { policyForm } from './policy-matching.ts';
import { ConfigurationError, paramDefinition, paramsOf } from './policy-params.ts';

/*
 * Which policies a request meets, as k8s.io/apiserver/pkg/admission/plugin/policy/generic/policy_dispatcher.go finds them: every binding of every policy
 * that is for the request, for each of its params. Policies and bindings come in the order of their names here, where the real server has none.
 */

export interface PolicySurroundings {
  readonly registry: ResourceRegistry;
  readonly authorizer: Authorizer;
}

export interface AnyPolicy extends KubeObject {
  spec: PolicyBasis;
}

/** One evaluation of a policy. */
export interface Invocation<Policy, Binding> {
  readonly policy: Policy;
  readonly binding: Binding;
  /** In which the object is shown. */
  readonly form: ResourceDefinition;
  readonly params: KubeObject | null;
}

/** A policy, or a binding of it, that can't be evaluated as it stands. */
export interface Misconfiguration<Policy, Binding> {
  readonly policy: Policy;
  /** Undefined: the policy itself is wrong. */
  readonly binding: Binding | undefined;
  readonly problem: string;
}

export type PolicyStep<Policy, Binding> =
  | ({ readonly kind: 'invocation' } & Invocation<Policy, Binding>)
  | ({ readonly kind: 'misconfigured' } & Misconfiguration<Policy, Binding>);

const exempt: readonly ResourceDefinition[] = [
  validatingAdmissionPolicies,
  validatingAdmissionPolicyBindings,
  mutatingAdmissionPolicies,
  mutatingAdmissionPolicyBindings,
];

/** In order. Nothing for policies themselves, as nothing could be repaired if one could refuse to be taken away, and nothing for a review, which stores nothing. */
export function policySteps<Policy extends AnyPolicy, Binding extends PolicyBinding>(
  request: AdmissionRequest,
  registry: ResourceRegistry,
  policies: ResourceDefinition,
  bindings: ResourceDefinition,
): readonly PolicyStep<Policy, Binding>[] {
  const { storage, definition } = request;
  const bound = storage.list(keyspaceOf(bindings));
  if (bound.length === 0 || exempt.includes(definition) || definition.isReview === true) {
    return [];
  }
  return storage.list(keyspaceOf(policies)).flatMap(({ object }) => {
    const policy = object as Policy;
    const own = bound
      .map((entry) => entry.object as Binding)
      .filter(({ spec }) => spec.policyName === policy.metadata.name);
    return own.length === 0 ? [] : stepsOf(policy, own, request, registry);
  });
}

function stepsOf<Policy extends AnyPolicy, Binding extends PolicyBinding>(
  policy: Policy,
  bindings: readonly Binding[],
  request: AdmissionRequest,
  registry: ResourceRegistry,
): readonly PolicyStep<Policy, Binding>[] {
  const { matchConstraints = {}, paramKind } = policy.spec;
  const form = policyForm(matchConstraints, request, registry);
  if (form === undefined) {
    return [];
  }
  const misconfigured = (
    error: unknown,
    binding: Binding | undefined,
  ): readonly PolicyStep<Policy, Binding>[] => {
    if (!(error instanceof ConfigurationError)) {
      throw error;
    }
    return [{ kind: 'misconfigured', policy, binding, problem: error.message }];
  };
  let ofParams: ResourceDefinition | undefined;
  try {
    ofParams = paramKind === undefined ? undefined : paramDefinition(paramKind, registry);
  } catch (error) {
    return misconfigured(error, undefined);
  }
  return bindings.flatMap((binding) => {
    const { matchResources, paramRef } = binding.spec;
    if (matchResources !== undefined && policyForm(matchResources, request, registry) === undefined) {
      return [];
    }
    try {
      const found =
        ofParams === undefined ? [null] : paramsOf(ofParams, paramRef, namespaceOf(request), request.storage);
      return found.map((params) => ({ kind: 'invocation', policy, binding, form, params }) as const);
    } catch (error) {
      return misconfigured(error, binding);
    }
  });
}

/** What the expressions of a policy see. */
export function policyVariables(
  request: AdmissionRequest,
  { form, params }: Pick<Invocation<unknown, unknown>, 'form' | 'params'>,
  authorizer: Authorizer,
): AdmissionVariables {
  const within = isNamespace(request.definition) ? '' : namespaceOf(request);
  const namespaceObject =
    within === '' ? null : (request.storage.get('namespaces', '', within)?.object ?? null);
  return { ...requestVariables(request, form, authorizer), namespaceObject, params };
}
