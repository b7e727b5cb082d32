import type { ApiResource, KubernetesObject, ObjectRef } from '@holdfast/core';
import { processSecrets } from '../logging/secret-values.ts';
import type { Status, StatusCause } from '../wire/status.ts';
import { isLookOver, type LookOvertaken, type LookTooOld } from './look.ts';

/**
 * The API server answered without success. Ask `isNotFound(error)` and the like what it means.
 *
 * Whoever answers might repeat what was sent: the message is without the secrets of the process, since it also ends in answers to others.
 * The Status is as it came, since decisions rest on its words, and a password can be one of them.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** HTTP status, or the `code` of the Status in an ERROR event of a watch. */
  readonly code: number;
  /** Kubernetes' reason, for example `Conflict`; empty when the answer held no Status. */
  readonly reason: string;
  readonly status: Status;
  /** Method and path, as the message has them. */
  readonly request: string;
  /** How long to wait because the server asks to, milliseconds: its Retry-After, but at least 1 s and at most 30 s. */
  readonly retryAfter: number | undefined;

  constructor(request: string, code: number, status: Status, retryAfter?: number) {
    super(
      processSecrets.redact(
        `${request}: ${String(code)} ${status.reason ?? ''}: ${status.message ?? 'no message'}`,
      ),
    );
    this.request = request;
    this.code = code;
    this.reason = status.reason ?? '';
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

function has(error: unknown, code: number): error is ApiError {
  return error instanceof ApiError && error.code === code;
}

/**
 * An admission webhook denied the write. Code and reason are then its own, and many pass on what they were answered themselves: that a
 * StorageClass is not found, say. They say nothing of the object that is written; in all releases the message begins so.
 */
function isOfWebhook({ status }: ApiError): boolean {
  return status.message?.startsWith('admission webhook "') === true;
}

/**
 * 404 in a Status of reason NotFound: the API server says that the object, or its namespace, is not there. Any other 404, such as the page
 * of a proxy or the plain text for a group that is not served, says nothing of the object, and nothing may be taken for gone on it. Nor does
 * that of an admission webhook.
 */
export const isNotFound = (error: unknown): error is ApiError =>
  has(error, 404) && error.reason === 'NotFound' && !isOfWebhook(error);

/**
 * Whether an answer to a read of the object says that it is not there: {@link isNotFound}, and the Status names no other. That another is gone says
 * nothing of this one, and a proxy can mix up answers.
 */
export function saysGone(
  error: unknown,
  { kind, plural }: ApiResource<KubernetesObject>,
  ref: ObjectRef,
): boolean {
  if (!isNotFound(error)) {
    return false;
  }
  const { name = ref.name, kind: what = plural } = error.status.details ?? {};
  return name === ref.name && (what === plural || what === kind);
}

/** 409 but not AlreadyExists: the object changed since it was read, or a precondition does not hold. Look again. */
export const isConflict = (error: unknown): error is ApiError =>
  has(error, 409) && error.reason !== 'AlreadyExists' && !isOfWebhook(error);

/** 409: an object of this name is there already. */
export const isAlreadyExists = (error: unknown): error is ApiError =>
  has(error, 409) && error.reason === 'AlreadyExists' && !isOfWebhook(error);

/** 422: validation refused the object, or a `test` of a JSON Patch did not hold. */
export const isInvalid = (error: unknown): error is ApiError => has(error, 422);

/**
 * What the API server answers, in all releases and without details, to a JSON Patch that it can't apply: a `test` that does not
 * hold, or nothing at the path of a `remove`.
 */
const patchNotApplied = 'the server rejected our request due to an error in our request';

/**
 * The object is no longer as it was read, so that the write did not take place: look again. 409; a JSON Patch whose `test` does
 * not hold; a finalizer to be added to what is terminating by now; the UID that a merge patch or an apply gives, of an earlier object of the name. Or the look that the
 * write rests on had grown too old, or no longer holds, and it was not sent.
 *
 * A 422 that would come again is not meant: there validation, or a policy, refused the write, and somebody should see why.
 */
export const isOutdated = (error: unknown): error is ApiError | LookTooOld | LookOvertaken =>
  isLookOver(error) ||
  isConflict(error) ||
  (isInvalid(error) &&
    (error.status.message === patchNotApplied || (error.status.details?.causes?.some(isOfGuard) ?? false)));

/** What the API server says of a write that would no longer be refused, or not for this, after another look. */
function isOfGuard({ field, message = '' }: StatusCause): boolean {
  return (
    (field === 'metadata.finalizers' && /no new finalizers/.test(message)) ||
    (field === 'metadata.uid' && /immutable/.test(message))
  );
}

/** 403: the object would be new in a namespace that is terminating, and goes with all that is in it. */
export const isNamespaceTerminating = (error: unknown): error is ApiError =>
  isForbidden(error) &&
  error.status.details?.causes?.some(({ reason }) => reason === 'NamespaceTerminating') === true;

/** 410: the resourceVersion asked for is too old; list again. */
export const isGone = (error: unknown): error is ApiError => has(error, 410);

/** 403: no permission, or admission (a quota, a policy) refused. */
export const isForbidden = (error: unknown): error is ApiError => has(error, 403);

/**
 * The API server says why it did not do what it was asked for: 4xx in a Status with a reason. Nothing was written, and looking whether it was
 * is of no use. An answer without a reason might be a proxy's.
 */
export const isRefused = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.code >= 400 && error.code < 500 && error.reason !== '';
