import {
  apiVersionOf,
  isTerminating,
  type ApiResource,
  type KubernetesObject,
  type ObjectMeta,
} from '@holdfast/core';
import { quoted } from '../logging/quoted.ts';
import type { AdmissionAnswer, AdmissionHandler, AdmissionRequest } from './admission.ts';

/**
 * An object to be created. Its metadata might lack what the API server fills in later, such as the UID, and
 * the name if there is a generateName.
 */
export type ObjectToCreate<T extends KubernetesObject> = Omit<T, 'metadata'> & {
  readonly metadata: Partial<ObjectMeta>;
};

/**
 * An admission request about one write of one kind.
 *
 * @typeParam Old the stored object. For a kind with a check it might not pass that check, since another
 *   schema could have been in force when it was written.
 */
export type AdmissionRequestOf<T extends KubernetesObject, Old extends KubernetesObject = T> = Omit<
  AdmissionRequest,
  'operation' | 'object' | 'oldObject'
> &
  (
    | { readonly operation: 'CREATE'; readonly object: ObjectToCreate<T>; readonly oldObject: null }
    | { readonly operation: 'UPDATE'; readonly object: T; readonly oldObject: Old }
    | { readonly operation: 'DELETE'; readonly object: null; readonly oldObject: Old }
  );

/** Decides on one request about one kind; {@link admissionOf} makes an {@link AdmissionHandler} of it. */
export type AdmissionHandlerOf<T extends KubernetesObject, Old extends KubernetesObject = T> = (
  request: AdmissionRequestOf<T, Old>,
  signal: AbortSignal,
) => AdmissionAnswer | Promise<AdmissionAnswer>;

/** A kind that can check its objects, as `defineResource` creates it. */
export interface CheckedResource<T extends KubernetesObject> extends ApiResource<T> {
  check(object: unknown):
    | { readonly kind: 'valid'; readonly object: T }
    | {
        readonly kind: 'invalid';
        readonly problems: readonly { readonly path: string; readonly message: string }[];
      };
}

/**
 * Creates a handler for one kind, to be used as a route of {@link createWebhookServer}. It is only called for
 * this kind and version, and with objects of the kind's type. For built-in kinds the API server vouches for
 * that type; for a kind made by `defineResource`, its `check` does. For a custom kind without a check,
 * nothing does.
 *
 * An object that fails the check is denied with 422 before the handler is called, because mutating webhooks
 * see objects that the API server has yet to validate. But if the stored object already had all of these
 * problems, or the object is terminating, the write is allowed without calling the handler: the schema might
 * have become stricter, and labels and finalizers must still be writable.
 *
 *     routes: {
 *       '/validate-sites': admissionOf(sites, ({ operation, object }) =>
 *         operation !== 'DELETE' && object.spec.host.endsWith('.test')
 *           ? { kind: 'denied', message: 'no sites in .test' }
 *           : { kind: 'allowed' },
 *       ),
 *     }
 *
 * For any other request it throws an error, and failurePolicy decides: another kind, which the rules of the
 * webhook configuration should not send here, CONNECT, and anything that is not a review.
 */
export function admissionOf<T extends KubernetesObject>(
  resource: CheckedResource<T>,
  handler: AdmissionHandlerOf<T, KubernetesObject>,
): AdmissionHandler;
export function admissionOf<T extends KubernetesObject>(
  resource: ApiResource<T>,
  handler: AdmissionHandlerOf<T>,
): AdmissionHandler;
export function admissionOf<T extends KubernetesObject>(
  resource: ApiResource<T> & Partial<Pick<CheckedResource<T>, 'check'>>,
  handler: AdmissionHandlerOf<T>,
): AdmissionHandler {
  return (request, signal) => {
    mustBeFor(resource, request);
    const { operation } = request;
    if (operation === 'CONNECT') {
      throw new Error(`the handler of ${resource.kind} was asked about CONNECT: leave it out of the rules`);
    }
    const oldObject = operation === 'CREATE' ? null : objectIn(request, 'oldObject');
    if (operation === 'DELETE') {
      return handler({ ...request, operation, object: null, oldObject } as AdmissionRequestOf<T>, signal);
    }
    const given = objectIn(request, 'object');
    const checked = resource.check?.(given);
    if (checked?.kind === 'invalid') {
      const news = isTerminating(given) ? [] : newProblems(checked.problems, oldObject, resource);
      return news.length === 0 ? { kind: 'allowed' } : invalid(resource, request, news);
    }
    return handler(
      { ...request, operation, object: checked?.object ?? given, oldObject } as AdmissionRequestOf<T>,
      signal,
    );
  };
}

/** How many problems a denial names. */
const mostShown = 32;

type Problem = Extract<
  ReturnType<CheckedResource<KubernetesObject>['check']>,
  { kind: 'invalid' }
>['problems'][number];

/**
 * Returns the problems that the stored object does not have: the API server also accepts invalid values that
 * stay unchanged (KEP-4008, ratcheting).
 */
function newProblems(
  problems: readonly Problem[],
  oldObject: KubernetesObject | null,
  { check }: Partial<Pick<CheckedResource<KubernetesObject>, 'check'>>,
): readonly Problem[] {
  const before = oldObject === null ? undefined : check?.(oldObject);
  // A list can have hundreds of thousands of invalid items, so they are not compared one by one.
  const known = new Set(before?.kind === 'invalid' ? before.problems.map(textOf) : []);
  return problems.filter((problem) => !known.has(textOf(problem)));
}

function textOf({ path, message }: Problem): string {
  return path === '' ? message : `${path}: ${message}`;
}

function mustBeFor(resource: ApiResource<KubernetesObject>, { kind }: AdmissionRequest): void {
  if (kind.group !== resource.group || kind.version !== resource.version || kind.kind !== resource.kind) {
    const sent = `${kind.group === '' ? '' : `${kind.group}/`}${kind.version} ${kind.kind}`;
    throw new Error(
      `the handler is for ${apiVersionOf(resource)} ${resource.kind}, and was asked about ${quoted(sent)}: correct the rules of the webhook configuration`,
    );
  }
}

/** The API server always sends these objects in this form, but other callers might not. */
function objectIn(request: AdmissionRequest, field: 'object' | 'oldObject'): KubernetesObject {
  const object = request[field];
  const metadata: unknown = object?.metadata;
  if (object === null || typeof metadata !== 'object' || metadata === null) {
    throw new Error(`the ${request.operation} of ${request.kind.kind} has no ${field} with metadata`);
  }
  return object;
}

function invalid(
  { kind }: ApiResource<KubernetesObject>,
  { name = '' }: AdmissionRequest,
  problems: readonly Problem[],
): AdmissionAnswer {
  const texts = problems.slice(0, mostShown).map(textOf);
  if (problems.length > mostShown) {
    texts.push(`and ${String(problems.length - mostShown)} more`);
  }
  return {
    kind: 'denied',
    code: 422,
    reason: 'Invalid',
    message: `${kind} ${quoted(name)} is invalid: ${texts.join('; ')}`,
  };
}
