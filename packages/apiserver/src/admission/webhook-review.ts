import { randomUUID } from 'node:crypto';
import type { UserInfo } from '../auth/user-info.ts';
import { readGroupVersion } from '../meta/group-version.ts';
import { type Json, type JsonObject, isObject } from '../meta/json.ts';
import type { KubeObject } from '../meta/kube-object.ts';
import { type ResourceDefinition, isNamespace } from '../resources/resource-definition.ts';
import { DecodeError, decodeStruct } from '../schema/decode.ts';
import type { AdmissionRequest } from './admission.ts';

/* Writes and reads AdmissionReviews of admission.k8s.io, v1 and v1beta1. */

const reviewVersions = ['v1', 'v1beta1'] as const;
type ReviewVersion = (typeof reviewVersions)[number];

export interface Review {
  readonly version: ReviewVersion;
  readonly uid: string;
  readonly json: string;
}

/**
 * Writes the review of a request. `object` and `oldObject` must be in the form that the webhook asked for.
 */
export function reviewOf(
  request: AdmissionRequest,
  form: ResourceDefinition,
  object: KubeObject | undefined,
  oldObject: KubeObject | undefined,
  versions: readonly string[],
): Review {
  const { definition, operation, subresource, name, namespace, isDryRun, user, options } = request;
  const version =
    reviewVersions.find((candidate) => versions.find((wanted) => isReviewVersion(wanted)) === candidate) ??
    'v1';
  const uid = randomUUID();
  const within = isNamespace(definition) ? name : definition.namespaced ? namespace : '';
  const optionsKind = { CREATE: 'CreateOptions', UPDATE: 'UpdateOptions', DELETE: 'DeleteOptions' }[
    operation
  ];
  const json = JSON.stringify({
    kind: 'AdmissionReview',
    apiVersion: `admission.k8s.io/${version}`,
    request: {
      uid,
      kind: kindOf(object ?? oldObject, form),
      resource: resourceOf(form),
      ...(subresource === '' ? undefined : { subResource: subresource }),
      requestKind: kindOf(request.object ?? request.oldObject, definition),
      requestResource: resourceOf(definition),
      ...(subresource === '' ? undefined : { requestSubResource: subresource }),
      ...(name === '' ? undefined : { name }),
      ...(within === '' ? undefined : { namespace: within }),
      operation,
      userInfo: userInfoOf(user),
      object: object ?? null,
      oldObject: oldObject ?? null,
      dryRun: isDryRun,
      options: { kind: optionsKind, apiVersion: 'meta.k8s.io/v1', ...options },
    },
  });
  return { version, uid, json };
}

function isReviewVersion(version: string): version is ReviewVersion {
  return reviewVersions.some((known) => known === version);
}

function kindOf(object: KubeObject | undefined, definition: ResourceDefinition): JsonObject {
  if (object === undefined) {
    return { group: definition.group, version: definition.version, kind: definition.kind };
  }
  return { ...readGroupVersion(object.apiVersion), kind: object.kind };
}

function resourceOf({ group, version, plural }: ResourceDefinition): JsonObject {
  return { group, version, resource: plural };
}

function userInfoOf({ name, uid, groups, extra = {} }: UserInfo): JsonObject {
  return {
    username: name,
    ...(uid === '' ? undefined : { uid }),
    ...(groups.length === 0 ? undefined : { groups: [...groups] }),
    ...(Object.keys(extra).length === 0
      ? undefined
      : { extra: Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]])) }),
  };
}

export interface Verdict {
  readonly isAllowed: boolean;
  readonly status: JsonObject;
  readonly warnings: readonly string[];
  /** The patch in base64, as the webhook sent it. */
  readonly patch: string;
  readonly patchType: string;
}

/**
 * The response is not a valid answer to the review. The messages are those of
 * k8s.io/apiserver/pkg/admission/plugin/webhook/request.
 */
export class AnswerError extends Error {}

/** Parses the response of a webhook. Throws AnswerError. */
export function readAnswer(text: string, { version, uid }: Review, isMutating: boolean): Verdict {
  const response = responseOf(text, version);
  const { patch = '', patchType } = response;
  if (version === 'v1') {
    if (response.uid !== uid) {
      throw invalidAnswer(
        `expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(response.uid)}`,
      );
    }
    if (!isMutating) {
      if (patch !== '') {
        throw invalidAnswer('validating webhook may not return response.patch');
      }
      if (patchType !== undefined) {
        throw invalidAnswer('validating webhook may not return response.patchType');
      }
    } else if (patch !== '' && patchType === undefined) {
      throw invalidAnswer('webhook returned response.patch but not response.patchType');
    } else if (patch === '' && patchType !== undefined) {
      throw invalidAnswer('webhook returned response.patchType but not response.patch');
    }
  }
  return {
    isAllowed: response.allowed,
    status: response.status ?? {},
    warnings: response.warnings ?? [],
    patch,
    patchType: patchType ?? 'JSONPatch',
  };
}

interface Response extends JsonObject {
  uid: string;
  allowed: boolean;
  status?: JsonObject;
  patch?: string;
  patchType?: string;
  warnings?: string[];
}

function responseOf(text: string, version: ReviewVersion): Response {
  const parsed = parse(text);
  if (!isObject(parsed)) {
    const given = Array.isArray(parsed) ? 'array' : typeof parsed;
    throw new AnswerError(
      `failed to call webhook: couldn't get version/kind; json parse error: json: cannot unmarshal ${given} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
    );
  }
  const { kind, apiVersion } = parsed;
  const expected = `admission.k8s.io/${version}`;
  if (kind !== 'AdmissionReview' || apiVersion !== expected) {
    const given = typeof apiVersion === 'string' ? apiVersion : '';
    const kindName = typeof kind === 'string' ? kind : '';
    const isKnown = kindName === 'AdmissionReview' && isReviewVersion(given.replace('admission.k8s.io/', ''));
    throw new AnswerError(
      isKnown
        ? `failed to call webhook: converting (${given.slice(given.indexOf('/') + 1)}.AdmissionReview) to (${version}.AdmissionReview): unknown conversion`
        : `failed to call webhook: no kind "${kindName}" is registered for version "${given}" in scheme "pkg/runtime/scheme.go:111"`,
    );
  }
  try {
    const { response } = decodeStruct('admission.v1.AdmissionReview', parsed).value;
    if (!isObject(response)) {
      throw invalidAnswer('webhook response was absent');
    }
    return response as Response;
  } catch (error) {
    if (error instanceof DecodeError) {
      throw new AnswerError(`failed to call webhook: ${error.message}`);
    }
    throw error;
  }
}

/** Text that is not JSON becomes a string, because the real server parses it as YAML. */
function parse(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

function invalidAnswer(problem: string): AnswerError {
  return new AnswerError(`received invalid webhook response: ${problem}`);
}
