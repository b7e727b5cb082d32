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
 * MutatingAdmissionPolicies, dispatched as in k8s.io/apiserver/pkg/admission/plugin/policy/mutating. The
 * policies that match a request are determined before the first of them changes its object. Each policy then
 * sees the changes of those before it.
 */

const name = 'MutatingAdmissionPolicy';

type Step = PolicyStep<MutatingPolicy, PolicyBinding>;

interface Refusal {
  readonly message: string;
  /** Undefined: the reason of the response, Forbidden. */
  readonly reason: 'Invalid' | undefined;
}

export function mutatingAdmissionPolicy(surroundings: PolicySurroundings): AdmissionPlugin {
  return {
    name,
    mutate(request, reinvocation) {
      // A deletion has no object to change.
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

/**
 * Changes the object of the request, or refuses the request. Returns a promise only if a webhook has to
 * convert the changed object.
 */
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

/** An object that could not be converted is reported as a misconfigured policy. */
function configurationRefusal(step: Exclude<Step, InvocationStep>): [Step, Refusal] {
  const refusing =
    step.kind === 'unconverted' ? ({ ...step, kind: 'misconfigured', binding: undefined } as const) : step;
  const what = refusing.binding === undefined ? 'policy' : 'binding';
  return [refusing, { message: `failed to configure ${what}: ${step.problem}`, reason: undefined }];
}

type InvocationStep = Extract<Step, { readonly kind: 'invocation' }>;

/** Changes the object of the request. Adds to `refusals`. */
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
  /** The changed object in each form that a policy asked for. */
  const current = new Map<ResourceDefinition, KubeObject>();
  let last: ResourceDefinition | undefined;
  for (const step of invocations) {
    const { policy, form } = step;
    const before = object === undefined ? undefined : (current.get(form) ?? formOf(request, object, form));
    const seen = before === undefined ? request : requestIn(request, before, form);
    const compiled = compiledMutatingPolicy(policy);
    // On the real server, match conditions cannot read the namespace.
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

/** A copy in the form, which policies cannot change in place. */
function formOf(request: AdmissionRequest, object: KubeObject, form: ResourceDefinition): KubeObject {
  return cloneJson<KubeObject>(inForm(request, object, form));
}

/** The request with the object that policies have changed in a form. */
function requestIn(
  request: AdmissionRequest,
  object: KubeObject,
  form: ResourceDefinition,
): AdmissionRequest {
  const { oldObject } = request;
  // Conversions by a webhook are cached for the original request only, so the old object is converted here.
  return oldObject !== undefined && isPrepared(request, form)
    ? { ...request, object, oldObject: inForm(request, oldObject, form) }
    : { ...request, object };
}

/** Applies the mutations of a policy and skips those that fail. Returns undefined if none was applied. */
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

/** If policies changed the object in several forms, only the form that was changed last is kept. */
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

/** If the changed object cannot be converted back, the request fails, whatever the failurePolicy. */
function unconverted(error: unknown): never {
  throw error instanceof StatusError
    ? internalErrorOccurred(`failed to convert object: ${error.message}`)
    : error;
}

function callerOf({ policy, binding, params }: Invocation<MutatingPolicy, PolicyBinding>): string {
  const { namespace = '', name: param = '' } = params?.metadata ?? {};
  return [policy.metadata.name, binding.metadata.name, namespace, param].join('/');
}

/** The first refusal determines the message and the reason. The code is always that of Forbidden. */
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
