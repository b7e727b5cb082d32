import type { StatusError } from '../../meta/status-error.ts';
import {
  type AdmissionPolicyBinding,
  validatingAdmissionPolicyBindings,
} from '../../resources/admission-policy-binding.ts';
import type { AdmissionPolicy } from '../../resources/admission-policy-spec.ts';
import { validatingAdmissionPolicies } from '../../resources/admission-policy.ts';
import type { AdmissionPlugin, AdmissionRequest } from '../admission.ts';
import { compiledPolicy } from './compiled-policy.ts';
import { denial } from './policy-denial.ts';
import { evaluatePolicy } from './policy-evaluation.ts';
import {
  type PolicyStep,
  type PolicySurroundings,
  policySteps,
  policyVariables,
} from './policy-invocations.ts';

/*
 * ValidatingAdmissionPolicies, dispatched as in k8s.io/apiserver/pkg/admission/plugin/policy/validating. The
 * first violation that denies the request becomes the response.
 */

type Step = PolicyStep<AdmissionPolicy, AdmissionPolicyBinding>;

export function validatingAdmissionPolicy(surroundings: PolicySurroundings): AdmissionPlugin {
  return {
    name: 'ValidatingAdmissionPolicy',
    validate(request) {
      const steps = policySteps<AdmissionPolicy, AdmissionPolicyBinding>(
        request,
        surroundings.registry,
        validatingAdmissionPolicies,
        validatingAdmissionPolicyBindings,
      );
      const judgeAll = (all: readonly Step[]): void => {
        const [first] = all.flatMap((step) => judge(step, request, surroundings));
        if (first !== undefined) {
          throw first;
        }
      };
      if (steps instanceof Promise) {
        return steps.then(judgeAll);
      }
      judgeAll(steps);
      return undefined;
    },
  };
}

/** Returns the denials of the request, and adds warnings to the response. */
function judge(
  step: Step,
  request: AdmissionRequest,
  { authorizer }: PolicySurroundings,
): readonly StatusError[] {
  const { policy, binding } = step;
  const { failurePolicy } = policy.spec;
  const ofPolicy = `ValidatingAdmissionPolicy '${policy.metadata.name ?? ''}'`;
  const subject =
    binding === undefined ? ofPolicy : `${ofPolicy} with binding '${binding.metadata.name ?? ''}'`;
  if (step.kind !== 'invocation') {
    const what = binding === undefined ? 'policy' : 'binding';
    const problem =
      step.kind === 'unconverted' ? `failed to convert object version: ${step.problem}` : step.problem;
    const message = `${subject} denied request: failed to configure ${what}: ${problem}`;
    return failurePolicy === 'Ignore' ? [] : [denial(request, message, 'Invalid')];
  }
  const { validationActions = [] } = step.binding.spec;
  const variables = policyVariables(request, step, authorizer);
  return evaluatePolicy(compiledPolicy(policy), failurePolicy, variables).flatMap(
    ({ message, reason = 'Invalid', isUnconditional = false }) => {
      if (validationActions.includes('Warn') && !isUnconditional) {
        request.warn(`Validation failed for ${subject}: ${message}`);
      }
      return validationActions.includes('Deny') || isUnconditional
        ? [denial(request, `${subject} denied request: ${message}`, reason)]
        : [];
    },
  );
}
