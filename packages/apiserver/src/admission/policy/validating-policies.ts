import type { Authorizer } from '../../auth/authorizer.ts';
import type { KubeObject } from '../../meta/kube-object.ts';
import type { StatusError } from '../../meta/status-error.ts';
import {
  type AdmissionPolicyBinding,
  validatingAdmissionPolicyBindings,
} from '../../resources/admission-policy-binding.ts';
import type { AdmissionPolicy } from '../../resources/admission-policy-spec.ts';
import { validatingAdmissionPolicies } from '../../resources/admission-policy.ts';
import type { ResourceRegistry } from '../../resources/registry.ts';
import { type ResourceDefinition, isNamespace, keyspaceOf } from '../../resources/resource-definition.ts';
import type { AdmissionPlugin, AdmissionRequest } from '../admission.ts';
import { namespaceOf, requestVariables } from '../request-variables.ts';
import { compiledPolicy } from './compiled-policy.ts';
import { denial } from './policy-denial.ts';
import { type Objection, evaluatePolicy } from './policy-evaluation.ts';
import { policyForm } from './policy-matching.ts';
import { ConfigurationError, paramDefinition, paramsOf } from './policy-params.ts';

/*
 * ValidatingAdmissionPolicies, as k8s.io/apiserver/pkg/admission/plugin/policy/validating dispatches them: every binding of every policy that
 * is for the request, for each of its params. The first objection that denies makes the answer; here policies and bindings come in the
 * order of their names, where the real server has none.
 */

export interface PolicySurroundings {
  readonly registry: ResourceRegistry;
  readonly authorizer: Authorizer;
}

export function validatingAdmissionPolicy(surroundings: PolicySurroundings): AdmissionPlugin {
  return {
    name: 'ValidatingAdmissionPolicy',
    validate(request) {
      const bindings = request.storage.list(keyspaceOf(validatingAdmissionPolicyBindings));
      if (bindings.length === 0 || isExempt(request.definition)) {
        return;
      }
      const denials = request.storage.list(keyspaceOf(validatingAdmissionPolicies)).flatMap(({ object }) => {
        const policy = object as AdmissionPolicy;
        const own = bindings
          .map((entry) => entry.object as AdmissionPolicyBinding)
          .filter(({ spec }) => spec.policyName === policy.metadata.name);
        return own.length === 0 ? [] : judge(policy, own, request, surroundings);
      });
      const [first] = denials;
      if (first !== undefined) {
        throw first;
      }
    },
  };
}

const exempt = [validatingAdmissionPolicies, validatingAdmissionPolicyBindings];

/** Nothing could be repaired if a policy could refuse to be taken away, and a review stores nothing. */
function isExempt(definition: ResourceDefinition): boolean {
  return exempt.includes(definition) || definition.isReview === true;
}

/** What is denied of a request. Warnings are given on the way. */
function judge(
  policy: AdmissionPolicy,
  bindings: readonly AdmissionPolicyBinding[],
  request: AdmissionRequest,
  { registry, authorizer }: PolicySurroundings,
): readonly StatusError[] {
  const { spec, metadata } = policy;
  const { matchConstraints = {}, paramKind, failurePolicy } = spec;
  const form = policyForm(matchConstraints, request, registry);
  if (form === undefined) {
    return [];
  }
  const subject = `ValidatingAdmissionPolicy '${metadata.name ?? ''}'`;
  const misconfigured = (error: unknown, what: string, whose: string): readonly StatusError[] => {
    if (!(error instanceof ConfigurationError)) {
      throw error;
    }
    const message = `${whose} denied request: failed to configure ${what}: ${error.message}`;
    return failurePolicy === 'Ignore' ? [] : [denial(request, message, 'Invalid')];
  };
  let ofParams: ResourceDefinition | undefined;
  try {
    ofParams = paramKind === undefined ? undefined : paramDefinition(paramKind, registry);
  } catch (error) {
    return misconfigured(error, 'policy', subject);
  }
  return bindings.flatMap((binding) => {
    const { matchResources, paramRef, validationActions = [] } = binding.spec;
    if (matchResources !== undefined && policyForm(matchResources, request, registry) === undefined) {
      return [];
    }
    const name = `'${binding.metadata.name ?? ''}'`;
    let params: readonly (KubeObject | null)[];
    try {
      params =
        ofParams === undefined ? [null] : paramsOf(ofParams, paramRef, namespaceOf(request), request.storage);
    } catch (error) {
      return misconfigured(error, 'binding', `${subject} with binding ${name}`);
    }
    return params
      .flatMap((param) => objectionsTo(policy, request, form, param, authorizer))
      .flatMap(({ message, reason = 'Invalid', isUnconditional = false }) => {
        if (validationActions.includes('Warn') && !isUnconditional) {
          request.warn(`Validation failed for ${subject} with binding ${name}: ${message}`);
        }
        return validationActions.includes('Deny') || isUnconditional
          ? [denial(request, `${subject} with binding ${name} denied request: ${message}`, reason)]
          : [];
      });
  });
}

function objectionsTo(
  policy: AdmissionPolicy,
  request: AdmissionRequest,
  form: ResourceDefinition,
  params: KubeObject | null,
  authorizer: Authorizer,
): readonly Objection[] {
  const within = isNamespace(request.definition) ? '' : namespaceOf(request);
  const namespaceObject = within === '' ? null : shownNamespace(request, within);
  const variables = { ...requestVariables(request, form, authorizer), namespaceObject, params };
  return evaluatePolicy(compiledPolicy(policy), policy.spec.failurePolicy, variables);
}

function shownNamespace({ storage }: AdmissionRequest, name: string): KubeObject | null {
  return storage.get('namespaces', '', name)?.object ?? null;
}
