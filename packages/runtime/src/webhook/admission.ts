import { patchText, type JsonPatch, type KubernetesObject } from '@holdfast/core';

/** Group, version and kind, or group, version and resource, as the API server writes them in a review. */
interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

/**
 * What the API server asks about one write: `admission.k8s.io/v1 AdmissionRequest`. The objects are only
 * known to have metadata; use `admissionOf` for a handler that knows its kind.
 */
export interface AdmissionRequest {
  readonly uid: string;
  readonly kind: GroupVersion & { readonly kind: string };
  readonly resource: GroupVersion & { readonly resource: string };
  readonly subResource?: string;
  /** Empty for a create with generateName. */
  readonly name?: string;
  /** Absent for cluster-scoped objects. */
  readonly namespace?: string;
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  readonly userInfo: {
    readonly username?: string;
    readonly uid?: string;
    readonly groups?: readonly string[];
    readonly extra?: Readonly<Record<string, readonly string[]>>;
  };
  /**
   * The object to be stored; null for a DELETE. On CREATE its metadata might lack what the API server fills
   * in later.
   */
  readonly object: KubernetesObject | null;
  /** The stored object; null for a CREATE. */
  readonly oldObject: KubernetesObject | null;
  /** Nothing will be stored, so the webhook must not have side effects. */
  readonly dryRun?: boolean;
  readonly options?: object | null;
}

/**
 * The result of a webhook, as data. Each warning is shown to the user, and should have fewer than 120
 * characters.
 */
export type AdmissionAnswer = { readonly warnings?: readonly string[] } & (
  | { readonly kind: 'allowed' }
  /** @param code HTTP status that the user gets; default: 403. */
  | { readonly kind: 'denied'; readonly message: string; readonly code?: number; readonly reason?: string }
  /** Allowed with this patch applied; only for mutating webhooks. */
  | { readonly kind: 'patch'; readonly patch: JsonPatch }
);

/**
 * Decides on one request. If it throws, the response is HTTP status 500 instead of a review, and the
 * webhook's failurePolicy decides.
 *
 * @param signal aborted when the API server no longer waits for the response.
 */
export type AdmissionHandler = (
  request: AdmissionRequest,
  signal: AbortSignal,
) => AdmissionAnswer | Promise<AdmissionAnswer>;

/** The response within an `admission.k8s.io/v1 AdmissionReview`. */
export interface AdmissionResponse {
  readonly uid: string;
  readonly allowed: boolean;
  readonly status?: { readonly code: number; readonly message?: string; readonly reason?: string };
  readonly patchType?: 'JSONPatch';
  /** Base64 of a JSON Patch. */
  readonly patch?: string;
  readonly warnings?: readonly string[];
}

/** Builds the response to the request with this UID. */
export function responseTo(uid: string, answer: AdmissionAnswer): AdmissionResponse {
  const warnings = answer.warnings === undefined ? {} : { warnings: answer.warnings };
  switch (answer.kind) {
    case 'allowed':
      return { uid, allowed: true, status: { code: 200 }, ...warnings };
    case 'denied': {
      const { code = 403, message, reason = code === 403 ? 'Forbidden' : undefined } = answer;
      const status = { code, message, ...(reason === undefined ? {} : { reason }) };
      return { uid, allowed: false, status, ...warnings };
    }
    case 'patch': {
      // The API server refuses a patchType from validating webhooks; an empty patch is the same as allowed.
      const patch = answer.patch.length === 0 ? {} : encoded(answer.patch);
      return { uid, allowed: true, status: { code: 200 }, ...patch, ...warnings };
    }
  }
}

/** Builds the response to a request that could not be decided on. */
export function errorResponse(uid: string, code: number, message: string): AdmissionResponse {
  return { uid, allowed: false, status: { code, message } };
}

function encoded(patch: JsonPatch): Pick<AdmissionResponse, 'patch' | 'patchType'> {
  return { patchType: 'JSONPatch', patch: Buffer.from(patchText(patch)).toString('base64') };
}
