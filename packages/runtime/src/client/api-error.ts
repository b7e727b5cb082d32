import type { ApiResource, KubernetesObject, ObjectRef } from '@holdfast/core';
import { processSecrets } from '../logging/secret-values.ts';
import type { Status, StatusCause } from '../wire/status.ts';
import { isLookOver, type LookOvertaken, type LookTooOld } from './look.ts';

/**
 * Thrown if the API server answers without success. Use `isNotFound(error)` and similar functions to find out
 * what it means.
 *
 * A response might repeat what was sent, so the message is stripped of the secrets of the process; it can
 * also end up in responses to others. The Status stays as it came, since decisions depend on its text, and a
 * secret could equal one of its words.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** HTTP status, or the `code` of the Status in an ERROR event of a watch. */
  readonly code: number;
  /** Kubernetes' reason, for example `Conflict`; empty if the response held no Status. */
  readonly reason: string;
  readonly status: Status;
  /** Method and path, as they appear in the message. */
  readonly request: string;
  /**
   * How long the server asks the client to wait, in milliseconds: its Retry-After, but at least 1 s and at
   * most 30 s.
   */
  readonly retryAfter: number | undefined;

  constructor(request: string, code: number, status: Status, retryAfter?: number) {
    super(
      processSecrets.redact(
        `${request}: ${[String(code), status.reason ?? ''].join(' ').trimEnd()}: ${status.message ?? 'no message'}`,
      ),
    );
    this.request = request;
    this.code = code;
    this.reason = status.reason ?? '';
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

/**
 * 404 to a write, with a Status that names something other than the written object. That is gone, and nothing
 * is known about the object: in a namespace that was removed by force, objects can be left over, and the API
 * server answers each write to them with a 404 that names the namespace. A proxy can also mix up responses.
 */
class AnotherNotFound extends ApiError {}

/**
 * Resolves like a write to an existing object.
 *
 * @throws what the write throws. A 404 that names something else is not {@link isNotFound}.
 */
export async function unlessOfAnother<T>(
  write: Promise<T>,
  resource: ApiResource<KubernetesObject>,
  ref: ObjectRef,
  subresource?: string,
): Promise<T> {
  try {
    return await write;
  } catch (error) {
    // The 404 of another subresource can name that one's kind.
    const isComparable = subresource === undefined || subresource === 'status';
    throw isComparable && isNotFound(error) && !saysGone(error, resource, ref)
      ? new AnotherNotFound(error.request, error.code, error.status, error.retryAfter)
      : error;
  }
}

function has(error: unknown, code: number): error is ApiError {
  return error instanceof ApiError && error.code === code;
}

/**
 * Returns whether an admission webhook denied the write. Code and reason are then the webhook's own, and many
 * webhooks pass on an error that they received themselves, such as that a StorageClass is not found. They say
 * nothing about the written object. In all releases the message begins this way.
 */
function isOfWebhook({ status }: ApiError): boolean {
  return status.message?.startsWith('admission webhook "') === true;
}

/**
 * 404 with a Status of reason NotFound: the API server says that the object, or the namespace in which it was
 * to be created, does not exist.
 *
 * Any other 404, such as a proxy's page or the plain text for a group that is not served, says nothing about
 * the object, and nothing must be considered gone because of it. The same holds for the 404 of an admission
 * webhook, and for the 404 to a patch or delete that names something else, such as the namespace.
 */
export const isNotFound = (error: unknown): error is ApiError =>
  has(error, 404) &&
  error.reason === 'NotFound' &&
  !isOfWebhook(error) &&
  !(error instanceof AnotherNotFound);

/**
 * 404 without a reason: a proxy's page, or the API server's plain text for a kind that is not served. Only
 * discovery tells which; see `servedVersions`.
 */
export const isPageNotFound = (error: unknown): error is ApiError =>
  has(error, 404) && error.reason === '' && !isOfWebhook(error);

/**
 * Returns whether a response to a read of the object says that this object does not exist:
 * {@link isNotFound}, and the Status does not name another object. That another object is gone says nothing
 * about this one, and a proxy can mix up responses.
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

/**
 * 409 other than AlreadyExists: the object changed since it was read, or a precondition does not hold. Look
 * again.
 */
export const isConflict = (error: unknown): error is ApiError =>
  has(error, 409) && error.reason !== 'AlreadyExists' && !isOfWebhook(error);

/** 409 AlreadyExists: an object of this name already exists. */
export const isAlreadyExists = (error: unknown): error is ApiError =>
  has(error, 409) && error.reason === 'AlreadyExists' && !isOfWebhook(error);

/** 422: validation refused the object, or a `test` of a JSON Patch did not hold. */
export const isInvalid = (error: unknown): error is ApiError => has(error, 422);

/**
 * The API server's answer, in all releases and without details, to a JSON Patch that it cannot apply: a
 * `test` does not hold, or there is nothing at the path of a `remove`.
 */
const patchNotApplied = 'the server rejected our request due to an error in our request';

/**
 * The write was not carried out because the object is no longer as it was read: look again.
 *
 * This covers 409; a JSON Patch whose `test` does not hold; a finalizer added to an object that is
 * terminating by then; and a merge patch or apply with the UID of an earlier object of that name. It also
 * covers a write that was not sent because its look had grown too old or no longer holds.
 *
 * It does not cover a 422 that would come again: validation or a policy refused that write, and somebody
 * should see why.
 */
export const isOutdated = (error: unknown): error is ApiError | LookTooOld | LookOvertaken =>
  isLookOver(error) ||
  isConflict(error) ||
  (isInvalid(error) &&
    (error.status.message === patchNotApplied || (error.status.details?.causes?.some(isOfGuard) ?? false)));

/**
 * Returns whether the cause says that the write would succeed, or fail for another reason, after another
 * look.
 */
function isOfGuard({ field, message = '' }: StatusCause): boolean {
  return (
    (field === 'metadata.finalizers' && /no new finalizers/.test(message)) ||
    (field === 'metadata.uid' && /immutable/.test(message))
  );
}

/** 403: the object would be new in a terminating namespace, which is deleted with all that is in it. */
export const isNamespaceTerminating = (error: unknown): error is ApiError =>
  isForbidden(error) &&
  error.status.details?.causes?.some(({ reason }) => reason === 'NamespaceTerminating') === true;

/** 410: the resourceVersion asked for is too old; list again. */
export const isGone = (error: unknown): error is ApiError => has(error, 410);

/**
 * 401: the API server does not accept the credentials. That says nothing about the object, and the same request
 * succeeds with other credentials. A webhook can deny a write with this code, which is a refusal of the object.
 */
export const isUnauthorized = (error: unknown): error is ApiError => has(error, 401) && !isOfWebhook(error);

/** 403: no permission, or admission (a quota, a policy) refused. */
export const isForbidden = (error: unknown): error is ApiError => has(error, 403);

/**
 * The API server says why it did not do what was requested: 4xx with a Status that has a reason. Nothing was
 * written, so there is no need to check. A response without a reason might be a proxy's.
 */
export const isRefused = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.code >= 400 && error.code < 500 && error.reason !== '';
