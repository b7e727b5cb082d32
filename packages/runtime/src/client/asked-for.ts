import { apiVersionOf, keyOf, type ApiResource, type KubernetesObject, type ObjectRef } from '@holdfast/core';
import { quoted } from '../logging/quoted.ts';
import type { Identity } from '../wire/unreadable-object.ts';

/*
 * Checks that a response matches the request. A proxy that mixes up responses, or answers for the API server,
 * can send one that is whole and well-formed. If it were believed, a pod in the place of a claim would mean
 * that the claim is gone, and an empty list of another kind that all objects are.
 */

/**
 * @param ref of the requested object. Default: the name is not known, as for an object to be created.
 * @throws Error for an object that states another kind, name or namespace.
 */
export function mustBeAskedFor(
  resource: ApiResource<KubernetesObject>,
  kind: unknown,
  { name, namespace }: Identity,
  ref?: ObjectRef,
): void {
  mustBeOfKind(resource, kind);
  if (ref === undefined) {
    return;
  }
  if (
    name !== ref.name ||
    (typeof namespace === 'string' && namespace !== '' && namespace !== ref.namespace)
  ) {
    const other =
      typeof name === 'string'
        ? keyOf({ name, ...(typeof namespace === 'string' ? { namespace } : {}) })
        : '';
    throw new Error(`${answered} with ${resource.kind} ${quoted(other)} instead of ${quoted(keyOf(ref))}`);
  }
}

/** @throws Error if the response states another kind. */
export function mustBeOfKind({ kind }: ApiResource<KubernetesObject>, found: unknown): void {
  if (typeof found === 'string' && found !== '' && found !== kind) {
    throw new Error(`${answered} with a ${plain(found)} instead of a ${kind}`);
  }
}

/** @throws Error if the response states that it is another list, or none. */
export function mustBeListOf(
  resource: ApiResource<KubernetesObject>,
  { kind, apiVersion }: { readonly kind?: unknown; readonly apiVersion?: unknown },
): void {
  // "List" belongs to no particular kind.
  if (kind === undefined || kind === '' || kind === 'List' || kind === `${resource.kind}List`) {
    return;
  }
  const isNamedByDefinition =
    isCustom(resource) &&
    apiVersion === apiVersionOf(resource) &&
    typeof kind === 'string' &&
    kind.endsWith('List');
  if (!isNamedByDefinition) {
    throw new Error(`${answered} with a ${plain(kind)} instead of a list of ${resource.plural}`);
  }
}

/** A CustomResourceDefinition can give the lists of its kind any name (`names.listKind`). */
function isCustom({ group }: ApiResource<KubernetesObject>): boolean {
  return group.includes('.') && !group.endsWith('.k8s.io');
}

const answered = 'the API server answered';

/** Returns the kind as a plain word if it is one, else quoted. */
function plain(kind: unknown): string {
  return typeof kind === 'string' && /^[A-Za-z]{1,63}$/.test(kind) ? kind : `kind ${quoted(String(kind))}`;
}
