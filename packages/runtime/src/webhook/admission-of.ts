import {
  apiVersionOf,
  isTerminating,
  type ApiResource,
  type KubernetesObject,
  type ObjectMeta,
} from '@holdfast/core';
import { quoted } from '../logging/quoted.ts';
import type { AdmissionAnswer, AdmissionHandler, AdmissionRequest } from './admission.ts';

/** An object to be created: what the API server fills in later may be missing in its metadata, such as the UID, and the name where there is a generateName. */
export type ObjectToCreate<T extends KubernetesObject> = Omit<T, 'metadata'> & {
  readonly metadata: Partial<ObjectMeta>;
};

/**
 * What the API server asks about one write of one kind.
 *
 * @typeParam Old what is stored: of a kind with a check not known to pass it, since another schema may have been in force when it was written.
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

/** Decides on one request for one kind; {@link admissionOf} makes an {@link AdmissionHandler} of it. */
export type AdmissionHandlerOf<T extends KubernetesObject, Old extends KubernetesObject = T> = (
  request: AdmissionRequestOf<T, Old>,
  signal: AbortSignal,
) => AdmissionAnswer | Promise<AdmissionAnswer>;

/** A kind that can tell whether an object is of it, as `defineResource` makes it. */
export interface CheckedResource<T extends KubernetesObject> extends ApiResource<T> {
  check(object: unknown):
    | { readonly kind: 'valid'; readonly object: T }
    | {
        readonly kind: 'invalid';
        readonly problems: readonly { readonly path: string; readonly message: string }[];
      };
}

/**
 * A handler of one kind, as a route of {@link createWebhookServer}. It is asked about this kind and version only, and its objects are of the type that it names:
 * the API server vouches for those of built-in kinds, `check` of the resource for those of a kind that was defined by `defineResource`. An object that fails this check is
 * denied with 422 before the handler is asked: mutating webhooks see objects that the API server has yet to check. Where nothing is wrong but what was wrong in the stored object
 * already, and where the object is terminating, it is allowed and the handler not asked: a schema may have become narrower, and labels and finalizers are to be written all the same. Nobody vouches for a kind of your own
 * without a check.
 *
 *     routes: {
 *       '/validate-sites': admissionOf(sites, ({ operation, object }) =>
 *         operation !== 'DELETE' && object.spec.host.endsWith('.test')
 *           ? { kind: 'denied', message: 'no sites in .test' }
 *           : { kind: 'allowed' },
 *       ),
 *     }
 *
 * What it is not for is thrown, and failurePolicy decides: another kind, which the rules of the webhook configuration should not send here, CONNECT, and what is no review.
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

type Problem = Extract<
  ReturnType<CheckedResource<KubernetesObject>['check']>,
  { kind: 'invalid' }
>['problems'][number];

/** Those that the stored object does not have: the API server takes what stays as it was, too (KEP-4008, ratcheting). */
function newProblems(
  problems: readonly Problem[],
  oldObject: KubernetesObject | null,
  { check }: Partial<Pick<CheckedResource<KubernetesObject>, 'check'>>,
): readonly Problem[] {
  const before = oldObject === null ? undefined : check?.(oldObject);
  const known = before?.kind === 'invalid' ? before.problems : [];
  return problems.filter(
    ({ path, message }) => !known.some((each) => each.path === path && each.message === message),
  );
}

function mustBeFor(resource: ApiResource<KubernetesObject>, { kind }: AdmissionRequest): void {
  if (kind.group !== resource.group || kind.version !== resource.version || kind.kind !== resource.kind) {
    const sent = `${kind.group === '' ? '' : `${kind.group}/`}${kind.version} ${kind.kind}`;
    throw new Error(
      `the handler is for ${apiVersionOf(resource)} ${resource.kind}, and was asked about ${quoted(sent)}: correct the rules of the webhook configuration`,
    );
  }
}

/** The API server vouches for what is in it, and that it is there; whoever else calls does not. */
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
  const texts = problems.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  return {
    kind: 'denied',
    code: 422,
    reason: 'Invalid',
    message: `${kind} ${quoted(name)} is invalid: ${texts.join('; ')}`,
  };
}
