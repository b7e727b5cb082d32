import { OutOfBudget, createBudget } from '../../cel/evaluation-budget.ts';
import { cloneJson, jsonEqual } from '../../meta/json.ts';
import type { KubeObject } from '../../meta/kube-object.ts';
import { type StatusCause, StatusError, forbidden } from '../../meta/status-error.ts';
import type { MutatingPolicy } from '../../resources/admission-policy-spec.ts';
import { mutatingAdmissionPolicyBindings } from '../../resources/mutating-policy-binding.ts';
import { mutatingAdmissionPolicies } from '../../resources/mutating-policy.ts';
import type { PolicyBinding } from '../../resources/policy-binding.ts';
import { type ResourceDefinition, groupResource } from '../../resources/resource-definition.ts';
import type { AdmissionPlugin, AdmissionRequest } from '../admission.ts';
import { writeBack } from '../changed-object.ts';
import { judgeConditions } from '../match-conditions.ts';
import { inForm } from '../object-form.ts';
import type { PluginReinvocation, Reinvocation } from '../reinvocation.ts';
import { compiledMutatingPolicy } from './compiled-policy.ts';
import { MutationFailure, mutated } from './mutation.ts';
import { nameOf } from './policy-denial.ts';
import { budgetOfPolicy } from './policy-evaluation.ts';
import {
  type Invocation,
  type PolicyStep,
  type PolicySurroundings,
  policySteps,
  policyVariables,
} from './policy-invocations.ts';

/*
 * MutatingAdmissionPolicies, as k8s.io/apiserver/pkg/admission/plugin/policy/mutating dispatches them: which of them a request meets is known before
 * the first of them changes it, and each sees what those before it made of the object.
 */

const name = 'MutatingAdmissionPolicy';

type Step = PolicyStep<MutatingPolicy, PolicyBinding>;

interface Refusal {
  readonly message: string;
  /** Undefined: that of the answer, Forbidden. */
  readonly reason: 'Invalid' | undefined;
}

export function mutatingAdmissionPolicy(surroundings: PolicySurroundings): AdmissionPlugin {
  return {
    name,
    mutate(request, reinvocation) {
      // There is nothing to change in a deletion.
      if (request.operation === 'DELETE') {
        return;
      }
      const steps: readonly Step[] = policySteps(
        request,
        surroundings.registry,
        mutatingAdmissionPolicies,
        mutatingAdmissionPolicyBindings,
      );
      if (steps.length === 0) {
        return;
      }
      const misconfigured = steps.filter((step) => step.kind === 'misconfigured');
      const invocations = steps.filter((step) => step.kind === 'invocation');
      const refusals = misconfigured.map((step): [Step, Refusal] => [
        step,
        {
          message: `failed to configure ${step.binding === undefined ? 'policy' : 'binding'}: ${step.problem}`,
          reason: undefined,
        },
      ]);
      if (invocations.length > 0) {
        refusals.push(...dispatch(invocations, request, reinvocation, surroundings));
      }
      const counted = refusals.filter(([{ policy }]) => policy.spec.failurePolicy !== 'Ignore');
      if (counted.length > 0) {
        throw refused(request, counted);
      }
    },
  };
}

type InvocationStep = Extract<Step, { readonly kind: 'invocation' }>;

/** Changes the object of the request. */
function dispatch(
  invocations: readonly InvocationStep[],
  request: AdmissionRequest,
  reinvocation: Reinvocation,
  surroundings: PolicySurroundings,
): readonly [Step, Refusal][] {
  const { object } = request;
  const again = reinvocation.of(name);
  again.before(object);
  const refusals: [Step, Refusal][] = [];
  /** Of each form that a policy asked for. */
  const current = new Map<ResourceDefinition, KubeObject>();
  let last: ResourceDefinition | undefined;
  for (const step of invocations) {
    const { policy, form } = step;
    const before = object === undefined ? undefined : (current.get(form) ?? formOf(request, object, form));
    const seen = before === undefined ? request : { ...request, object: before };
    const compiled = compiledMutatingPolicy(policy);
    // The namespace is not shown to conditions.
    const variables = { ...policyVariables(seen, step, surroundings.authorizer), namespaceObject: null };
    const verdict = judgeConditions(
      compiled.conditions,
      policy.spec.failurePolicy,
      compiled.compiler,
      variables,
    );
    if (verdict.kind === 'failed') {
      refusals.push([step, { message: verdict.problem, reason: 'Invalid' }]);
    }
    const caller = callerOf(step);
    if (verdict.kind !== 'met' || (reinvocation.isSecondRound && !again.isWanted(caller))) {
      continue;
    }
    if (before !== undefined) {
      const after = mutateBy(step, request, before, surroundings, refusals);
      if (after !== undefined) {
        current.set(form, after);
        last = form;
        if (!jsonEqual(before, after)) {
          again.changed();
        }
      }
    }
    if (policy.spec.reinvocationPolicy === 'IfNeeded') {
      again.called(caller);
    }
  }
  finish(request, current, last, again);
  return refusals;
}

/** One that no policy can change in place. */
function formOf(request: AdmissionRequest, object: KubeObject, form: ResourceDefinition): KubeObject {
  return cloneJson<KubeObject>(inForm(request, object, form));
}

/** What the mutations of a policy that did not fail make of the object; undefined where none was done. */
function mutateBy(
  step: InvocationStep,
  request: AdmissionRequest,
  before: KubeObject,
  { authorizer }: PolicySurroundings,
  refusals: [Step, Refusal][],
): KubeObject | undefined {
  const { policy, form } = step;
  const { mutations, compiler } = compiledMutatingPolicy(policy);
  let after: KubeObject | undefined;
  for (const mutation of mutations) {
    const object = after ?? before;
    const budget = createBudget(budgetOfPolicy);
    const values = compiler.valuesOf(policyVariables({ ...request, object }, step, authorizer), budget);
    try {
      after = mutated(mutation, values, budget, object, form);
    } catch (error) {
      if (!(error instanceof MutationFailure || error instanceof OutOfBudget)) {
        throw error;
      }
      refusals.push([step, { message: error.message, reason: 'Invalid' }]);
    }
  }
  return after;
}

/** Of several forms the one that was changed last is what is left. */
function finish(
  request: AdmissionRequest,
  current: ReadonlyMap<ResourceDefinition, KubeObject>,
  last: ResourceDefinition | undefined,
  again: PluginReinvocation,
): void {
  const { object } = request;
  const changed = last === undefined ? undefined : current.get(last);
  if (object !== undefined && last !== undefined && changed !== undefined) {
    again.changed();
    writeBack(request, object, last, changed);
  }
  again.after(object);
}

function callerOf({ policy, binding, params }: Invocation<MutatingPolicy, PolicyBinding>): string {
  const { namespace = '', name: param = '' } = params?.metadata ?? {};
  return [policy.metadata.name, binding.metadata.name, namespace, param].join('/');
}

/** The first refusal makes the answer; the code stays that of Forbidden. */
function refused(request: AdmissionRequest, refusals: readonly [Step, Refusal][]): StatusError {
  const messages = refusals.map(([{ policy, binding }, { message }]) => {
    const policyName = policy.metadata.name ?? '';
    return binding === undefined
      ? `policy ${JSON.stringify(policyName)} denied request: ${message}`
      : `policy '${policyName}' with binding '${binding.metadata.name ?? ''}' denied request: ${message}`;
  });
  const reason = refusals[0]?.[1].reason ?? 'Forbidden';
  const causes: StatusCause[] = messages.map((message) => ({ message }));
  const { status } = forbidden(groupResource(request.definition), nameOf(request), '', causes);
  return new StatusError(403, reason, messages[0] ?? '', status.details);
}
