import { OutOfBudget, createBudget } from '../../cel/evaluation-budget.ts';
import { cloneJson, jsonEqual } from '../../meta/json.ts';
import type { KubeObject } from '../../meta/kube-object.ts';
import { type StatusCause, StatusError, forbidden, internalErrorOccurred } from '../../meta/status-error.ts';
import type { MutatingPolicy } from '../../resources/admission-policy-spec.ts';
import { mutatingAdmissionPolicyBindings } from '../../resources/mutating-policy-binding.ts';
import { mutatingAdmissionPolicies } from '../../resources/mutating-policy.ts';
import type { PolicyBinding } from '../../resources/policy-binding.ts';
import { type ResourceDefinition, groupResource } from '../../resources/resource-definition.ts';
import type { AdmissionPlugin, AdmissionRequest } from '../admission.ts';
import { writeBack } from '../changed-object.ts';
import { judgeConditions } from '../match-conditions.ts';
import { inForm, isPrepared } from '../object-form.ts';
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
        return undefined;
      }
      const steps = policySteps<MutatingPolicy, PolicyBinding>(
        request,
        surroundings.registry,
        mutatingAdmissionPolicies,
        mutatingAdmissionPolicyBindings,
      );
      return steps instanceof Promise
        ? steps.then((all) => take(all, request, reinvocation, surroundings))
        : take(steps, request, reinvocation, surroundings);
    },
  };
}

/** Changes the object of the request, or refuses it. Gives a promise only where a webhook has to convert what policies changed. */
function take(
  steps: readonly Step[],
  request: AdmissionRequest,
  reinvocation: Reinvocation,
  surroundings: PolicySurroundings,
): void | Promise<void> {
  if (steps.length === 0) {
    return undefined;
  }
  const invocations = steps.filter((step) => step.kind === 'invocation');
  const refusals = steps.filter((step) => step.kind !== 'invocation').map(configurationRefusal);
  const refuse = (): void => {
    const counted = refusals.filter(([{ policy }]) => policy.spec.failurePolicy !== 'Ignore');
    if (counted.length > 0) {
      throw refused(request, counted);
    }
  };
  if (invocations.length > 0) {
    const changing = dispatch(invocations, request, reinvocation, surroundings, refusals);
    if (changing !== undefined) {
      return changing.then(refuse);
    }
  }
  refuse();
  return undefined;
}

/** An object that could not be converted counts as a mistake of the policy. */
function configurationRefusal(step: Exclude<Step, InvocationStep>): [Step, Refusal] {
  const refusing =
    step.kind === 'unconverted' ? ({ ...step, kind: 'misconfigured', binding: undefined } as const) : step;
  const what = refusing.binding === undefined ? 'policy' : 'binding';
  return [refusing, { message: `failed to configure ${what}: ${step.problem}`, reason: undefined }];
}

type InvocationStep = Extract<Step, { readonly kind: 'invocation' }>;

/** Changes the object of the request, and adds to the refusals. */
function dispatch(
  invocations: readonly InvocationStep[],
  request: AdmissionRequest,
  reinvocation: Reinvocation,
  surroundings: PolicySurroundings,
  refusals: [Step, Refusal][],
): void | Promise<void> {
  const { object } = request;
  const again = reinvocation.of(name);
  again.before(object);
  /** Of each form that a policy asked for. */
  const current = new Map<ResourceDefinition, KubeObject>();
  let last: ResourceDefinition | undefined;
  for (const step of invocations) {
    const { policy, form } = step;
    const before = object === undefined ? undefined : (current.get(form) ?? formOf(request, object, form));
    const seen = before === undefined ? request : requestIn(request, before, form);
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
      const after = mutateBy(step, seen, before, surroundings, refusals);
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
  return finish(request, current, last, again);
}

/** One that no policy can change in place. */
function formOf(request: AdmissionRequest, object: KubeObject, form: ResourceDefinition): KubeObject {
  return cloneJson<KubeObject>(inForm(request, object, form));
}

/** The request about what policies made of its object in a form. */
function requestIn(
  request: AdmissionRequest,
  object: KubeObject,
  form: ResourceDefinition,
): AdmissionRequest {
  const { oldObject } = request;
  // What a webhook converted is known for the request itself alone.
  return oldObject !== undefined && isPrepared(request, form)
    ? { ...request, object, oldObject: inForm(request, oldObject, form) }
    : { ...request, object };
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
): void | Promise<void> {
  const { object } = request;
  const changed = last === undefined ? undefined : current.get(last);
  if (object !== undefined && last !== undefined && changed !== undefined) {
    again.changed();
    const writing = writeBack(request, object, last, changed);
    if (writing !== undefined) {
      return writing.catch(unconverted).then(() => {
        again.after(object);
      });
    }
  }
  again.after(object);
  return undefined;
}

/** What policies made of an object that is none of the request's version is lost, whatever their failurePolicy. */
function unconverted(error: unknown): never {
  throw error instanceof StatusError
    ? internalErrorOccurred(`failed to convert object: ${error.message}`)
    : error;
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
