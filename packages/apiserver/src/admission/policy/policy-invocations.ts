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
import { type ConversionProblems, convertForPolicies } from './policy-conversions.ts';
import { policyForm } from './policy-matching.ts';
import { ConfigurationError, paramDefinition, paramsOf } from './policy-params.ts';

/*
 * Finds the policies that apply to a request, as
 * k8s.io/apiserver/pkg/admission/plugin/policy/generic/policy_dispatcher.go does: each matching binding of
 * each matching policy, once for each of its params. Here policies and bindings are ordered by name; on the
 * real server they have no order.
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
  /** The form in which expressions see the object. */
  readonly form: ResourceDefinition;
  readonly params: KubeObject | null;
}

/** A policy or a binding that cannot be evaluated because of its configuration. */
interface MisconfiguredStep<Policy, Binding> {
  readonly kind: 'misconfigured';
  readonly policy: Policy;
  /** Undefined: the policy itself is misconfigured. */
  readonly binding: Binding | undefined;
  readonly problem: string;
}

/** A binding of a policy for which the object could not be converted to the form that the policy matches. */
interface UnconvertedStep<Policy, Binding> {
  readonly kind: 'unconverted';
  readonly policy: Policy;
  readonly binding: Binding;
  readonly problem: string;
}

export type PolicyStep<Policy, Binding> =
  | ({ readonly kind: 'invocation' } & Invocation<Policy, Binding>)
  | UnconvertedStep<Policy, Binding>
  | MisconfiguredStep<Policy, Binding>;

const exempt: readonly ResourceDefinition[] = [
  validatingAdmissionPolicies,
  validatingAdmissionPolicyBindings,
  mutatingAdmissionPolicies,
  mutatingAdmissionPolicyBindings,
];

/**
 * Returns what to evaluate for a request, in order. It is empty for policies and bindings themselves, because
 * a policy that could refuse its own removal could never be repaired, and for reviews, which store nothing.
 * Returns a promise only if a webhook has to convert the objects for the policies.
 */
export function policySteps<Policy extends AnyPolicy, Binding extends PolicyBinding>(
  request: AdmissionRequest,
  registry: ResourceRegistry,
  policies: ResourceDefinition,
  bindings: ResourceDefinition,
): readonly PolicyStep<Policy, Binding>[] | Promise<readonly PolicyStep<Policy, Binding>[]> {
  const { storage, definition } = request;
  const bound = storage.list(keyspaceOf(bindings));
  if (bound.length === 0 || exempt.includes(definition) || definition.isReview === true) {
    return [];
  }
  const matched = storage.list(keyspaceOf(policies)).flatMap(({ object }) => {
    const policy = object as Policy;
    const own = bound
      .map((entry) => entry.object as Binding)
      .filter(({ spec }) => spec.policyName === policy.metadata.name);
    return own.length === 0 ? [] : matchOf(policy, own, request, registry);
  });
  const stepsOfAll = (problems: ConversionProblems): readonly PolicyStep<Policy, Binding>[] =>
    matched.flatMap((match) => ('problem' in match ? [match] : stepsOf(match, request, problems)));
  const shown = matched.flatMap((match) => ('problem' in match ? [] : [match]));
  const converting = convertForPolicies(shown, request);
  return converting instanceof Promise ? converting.then(stepsOfAll) : stepsOfAll(converting);
}

/** A policy that matches the request. */
interface Match<Policy, Binding> {
  readonly policy: Policy;
  readonly form: ResourceDefinition;
  readonly ofParams: ResourceDefinition | undefined;
  /** The bindings that match the request. */
  readonly bindings: readonly Binding[];
}

function matchOf<Policy extends AnyPolicy, Binding extends PolicyBinding>(
  policy: Policy,
  bindings: readonly Binding[],
  request: AdmissionRequest,
  registry: ResourceRegistry,
): readonly (Match<Policy, Binding> | MisconfiguredStep<Policy, Binding>)[] {
  const { matchConstraints = {}, paramKind } = policy.spec;
  const form = policyForm(matchConstraints, request, registry);
  if (form === undefined) {
    return [];
  }
  let ofParams: ResourceDefinition | undefined;
  try {
    ofParams = paramKind === undefined ? undefined : paramDefinition(paramKind, registry);
  } catch (error) {
    return [misconfigured<Policy, Binding>(error, policy, undefined)];
  }
  const own = bindings.filter(
    ({ spec: { matchResources } }) =>
      matchResources === undefined || policyForm(matchResources, request, registry) !== undefined,
  );
  return own.length === 0 ? [] : [{ policy, form, ofParams, bindings: own }];
}

function stepsOf<Policy extends AnyPolicy, Binding extends PolicyBinding>(
  { policy, form, ofParams, bindings }: Match<Policy, Binding>,
  request: AdmissionRequest,
  problems: ConversionProblems,
): readonly PolicyStep<Policy, Binding>[] {
  return bindings.flatMap((binding): readonly PolicyStep<Policy, Binding>[] => {
    try {
      const found =
        ofParams === undefined
          ? [null]
          : paramsOf(ofParams, binding.spec.paramRef, namespaceOf(request), request.storage);
      const problem = problems.get(form);
      if (found.length > 0 && problem !== undefined) {
        return [{ kind: 'unconverted', policy, binding, problem }];
      }
      return found.map((params) => ({ kind: 'invocation', policy, binding, form, params }) as const);
    } catch (error) {
      return [misconfigured(error, policy, binding)];
    }
  });
}

function misconfigured<Policy, Binding>(
  error: unknown,
  policy: Policy,
  binding: Binding | undefined,
): MisconfiguredStep<Policy, Binding> {
  if (!(error instanceof ConfigurationError)) {
    throw error;
  }
  return { kind: 'misconfigured', policy, binding, problem: error.message };
}

/** The values that the expressions of a policy can read. */
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
