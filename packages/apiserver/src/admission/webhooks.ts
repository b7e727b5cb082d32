import type { Authorizer } from '../auth/authorizer.ts';
import { type Json, type JsonObject, isObject, jsonEqual } from '../meta/json.ts';
import type { KubeObject } from '../meta/kube-object.ts';
import { type StatusDetails, internalErrorOccurred, StatusError } from '../meta/status-error.ts';
import type { After } from '../meta/timer.ts';
import { JsonPatchFailure, applyOperations } from '../patch/json-patch.ts';
import type { ResourceRegistry } from '../resources/registry.ts';
import { type ResourceDefinition, keyspaceOf } from '../resources/resource-definition.ts';
import {
  type Webhook,
  type WebhookConfiguration,
  mutatingWebhookConfigurations,
  validatingWebhookConfigurations,
} from '../resources/webhook-configuration.ts';
import type { Storage } from '../storage/storage.ts';
import type { AdmissionPlugin, AdmissionRequest } from './admission.ts';
import { type ServiceAddresses, CallError, postReview } from './webhook-call.ts';
import { meetsConditions } from './match-conditions.ts';
import { decodeChanged, writeBack } from './changed-object.ts';
import { inForm, isPrepared, prepareForm } from './object-form.ts';
import { requestVariables } from './request-variables.ts';
import { matchingForm } from './webhook-matching.ts';
import { type Review, type Verdict, AnswerError, readAnswer, reviewOf } from './webhook-review.ts';

/*
 * The plugins that call admission webhooks, as k8s.io/apiserver/pkg/admission/plugin/webhook does: the
 * mutating webhooks one after the other, ordered by the names of their configurations, then all validating
 * webhooks in parallel.
 */

export interface WebhookSurroundings {
  readonly registry: ResourceRegistry;
  readonly services: ServiceAddresses;
  readonly authorizer: Authorizer;
  readonly after: After;
}

interface Call {
  readonly webhook: Webhook;
  /** The resource in whose form the webhook receives the object. */
  readonly form: ResourceDefinition;
  /** Distinguishes webhooks that have the same name in several configurations. */
  readonly id: string;
}

const mutatingName = 'MutatingAdmissionWebhook';

export function mutatingAdmissionWebhook(surroundings: WebhookSurroundings): AdmissionPlugin {
  return {
    name: mutatingName,
    async mutate(request, reinvocation) {
      const configured = webhooksOf(request.storage, mutatingWebhookConfigurations);
      if (configured.length === 0) {
        return;
      }
      const again = reinvocation.of(mutatingName);
      again.before(request.object);
      for (const { webhook, id } of configured) {
        // Match each webhook only now, because the webhooks before it may have changed the object.
        const form = matchingForm(webhook, request, surroundings.registry);
        if (form !== undefined && isPrepared(request, form)) {
          await prepare(request, form);
        }
        if (form === undefined || !meets(webhook, form, request, surroundings)) {
          continue;
        }
        if (reinvocation.isSecondRound && !again.isWanted(id)) {
          continue;
        }
        const isChanged = await tolerate(webhook, () =>
          mutateBy({ webhook, form, id }, request, surroundings),
        );
        if (isChanged === true) {
          again.changed();
        }
        if (webhook.reinvocationPolicy === 'IfNeeded') {
          again.called(id);
        }
      }
      again.after(request.object);
    },
  };
}

export function validatingAdmissionWebhook(surroundings: WebhookSurroundings): AdmissionPlugin {
  return {
    name: 'ValidatingAdmissionWebhook',
    async validate(request) {
      const calls: Call[] = [];
      for (const { webhook, id } of webhooksOf(request.storage, validatingWebhookConfigurations)) {
        const form = matchingForm(webhook, request, surroundings.registry);
        if (form !== undefined && isPrepared(request, form)) {
          await prepare(request, form);
        }
        if (form !== undefined && meets(webhook, form, request, surroundings)) {
          calls.push({ webhook, form, id });
        }
      }
      if (calls.length === 0) {
        return;
      }
      const answers = await Promise.allSettled(
        calls.map((call) =>
          tolerate(call.webhook, async () => {
            const verdict = await ask(call, request, surroundings, false);
            if (!verdict.isAllowed) {
              throw rejection(call.webhook.name, verdict);
            }
          }),
        ),
      );
      for (const answer of answers) {
        if (answer.status === 'rejected') {
          throw answer.reason;
        }
      }
    },
  };
}

/**
 * Converts the object for a webhook. Throws 500 whatever the failurePolicy, because the webhook itself did
 * not fail.
 */
async function prepare(request: AdmissionRequest, form: ResourceDefinition): Promise<void> {
  await prepareForm(request, form).catch(unconverted);
}

function unconverted(error: unknown): never {
  // The real server wraps the error twice.
  throw error instanceof StatusError
    ? internalErrorOccurred(internalErrorOccurred(error.message).message)
    : error;
}

function webhooksOf(
  storage: Storage,
  kind: ResourceDefinition,
): readonly { readonly webhook: Webhook; readonly id: string }[] {
  const entries = storage.list(keyspaceOf(kind));
  if (entries.length === 0) {
    return [];
  }
  return entries.flatMap(({ name, object }) =>
    ((object as WebhookConfiguration).webhooks ?? []).map((webhook, index) => ({
      webhook,
      id: `${name}/${index}`,
    })),
  );
}

/** Ignores a failed call if the failurePolicy is Ignore. A refusal is not a failed call. */
async function tolerate<T>(webhook: Webhook, call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof AnswerError)) {
      throw error;
    }
    if (webhook.failurePolicy === 'Ignore') {
      return undefined;
    }
    throw internalErrorOccurred(`failed calling webhook ${JSON.stringify(webhook.name)}: ${error.message}`);
  }
}

/** Calls a mutating webhook and applies its patch. Returns whether the object changed. */
async function mutateBy(
  call: Call,
  request: AdmissionRequest,
  surroundings: WebhookSurroundings,
): Promise<boolean> {
  const { webhook, form } = call;
  const verdict = await ask(call, request, surroundings, true);
  if (!verdict.isAllowed) {
    throw rejection(webhook.name, verdict);
  }
  if (verdict.patch === '') {
    return false;
  }
  if (verdict.patchType !== 'JSONPatch') {
    throw new AnswerError(`unsupported patch type ${JSON.stringify(verdict.patchType)}`);
  }
  const patch = readPatch(verdict.patch);
  if (patch.length === 0) {
    return false;
  }
  const { object } = request;
  if (object === undefined) {
    throw internalErrorOccurred(
      `admission webhook ${JSON.stringify(webhook.name)} attempted to modify the object, which is not supported for this operation`,
    );
  }
  const before = inForm(request, object, form);
  const after = decodeChanged(patched(before, patch), before, form);
  form.applyDefaults?.(after);
  if (jsonEqual(before, after)) {
    return false;
  }
  try {
    await writeBack(request, object, form, after);
  } catch (error) {
    unconverted(error);
  }
  return true;
}

function meets(
  webhook: Webhook,
  form: ResourceDefinition,
  request: AdmissionRequest,
  { authorizer }: WebhookSurroundings,
): boolean {
  return meetsConditions(webhook, request, () => requestVariables(request, form, authorizer));
}

function reviewFor({ webhook, form }: Pick<Call, 'webhook' | 'form'>, request: AdmissionRequest): Review {
  const { object, oldObject } = request;
  return reviewOf(
    request,
    form,
    object === undefined ? undefined : inForm(request, object, form),
    oldObject === undefined ? undefined : inForm(request, oldObject, form),
    webhook.admissionReviewVersions ?? [],
  );
}

async function ask(
  call: Call,
  request: AdmissionRequest,
  { services, after }: WebhookSurroundings,
  isMutating: boolean,
): Promise<Verdict> {
  const { webhook } = call;
  const review = reviewFor(call, request);
  let text: string;
  try {
    text = await postReview(webhook.clientConfig, services, webhook.timeoutSeconds ?? 10, review.json, after);
  } catch (error) {
    if (error instanceof CallError) {
      throw new AnswerError(`failed to call webhook: ${error.message}`);
    }
    throw error;
  }
  const verdict = readAnswer(text, review, isMutating);
  for (const warning of verdict.warnings) {
    request.warn(warning);
  }
  return verdict;
}

function readPatch(base64: string): readonly JsonObject[] {
  const text = Buffer.from(base64, 'base64').toString('utf8');
  const undecodable = (problem: string): AnswerError =>
    new AnswerError(`received undecodable patch in webhook response: ${problem}`);
  let parsed: Json;
  try {
    parsed = JSON.parse(text) as Json;
  } catch (error) {
    throw undecodable(error instanceof Error ? error.message : String(error));
  }
  if (!Array.isArray(parsed)) {
    const given = isObject(parsed) ? 'object' : typeof parsed;
    throw undecodable(`json: cannot unmarshal ${given} into Go value of type jsonpatch.Patch`);
  }
  return parsed.map((operation) => {
    if (!isObject(operation)) {
      const given = Array.isArray(operation) ? 'array' : typeof operation;
      throw undecodable(`json: cannot unmarshal ${given} into Go value of type jsonpatch.Operation`);
    }
    return operation;
  });
}

function patched(object: KubeObject, patch: readonly JsonObject[]): Json {
  try {
    return applyOperations(object, patch);
  } catch (error) {
    throw error instanceof JsonPatchFailure ? internalErrorOccurred(error.message) : error;
  }
}

interface GivenStatus {
  readonly code?: number;
  readonly reason?: string;
  readonly message?: string;
  readonly details?: StatusDetails;
}

/** Formats the refusal as webhookerrors.ToStatusErr does. */
function rejection(name: string, { status }: Verdict): StatusError {
  const { code = 0, reason, message, details }: GivenStatus = status;
  const explanation = message ?? reason;
  const denied = `admission webhook ${JSON.stringify(name)} denied the request`;
  return new StatusError(
    Math.max(code, 400),
    reason,
    explanation === undefined ? `${denied} without explanation` : `${denied}: ${explanation}`,
    details,
  );
}
