import { apiVersionOf, keyOf, type ApiResource, type KubernetesObject, type ObjectRef } from '@holdfast/core';
import { quoted } from '../logging/quoted.ts';
import type { Identity } from '../wire/unreadable-object.ts';

/*
 * Whether an answer is the one to what was asked. A proxy that mixes up answers, or answers for the API server, sends what is whole and well-formed:
 * believed, a pod in a claim's place says that the claim is gone, and an empty list of something else that all are.
 */

/**
 * @param ref of the object that was asked for. Default: its name is not known, as when it is made.
 * @throws Error for an object that says that it is of another kind, or another one.
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

/** @throws Error for what says that it is of another kind. */
export function mustBeOfKind({ kind }: ApiResource<KubernetesObject>, found: unknown): void {
  if (typeof found === 'string' && found !== '' && found !== kind) {
    throw new Error(`${answered} with a ${plain(found)} instead of a ${kind}`);
  }
}

/** @throws Error for what says that it is another list, or none. */
export function mustBeListOf(
  resource: ApiResource<KubernetesObject>,
  { kind, apiVersion }: { readonly kind?: unknown; readonly apiVersion?: unknown },
): void {
  // "List" is that of no kind.
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

/** A CustomResourceDefinition can call the lists of its kind as it likes (`names.listKind`). */
function isCustom({ group }: ApiResource<KubernetesObject>): boolean {
  return group.includes('.') && !group.endsWith('.k8s.io');
}

const answered = 'the API server answered';

/** As a word of a sentence where it is one. */
function plain(kind: unknown): string {
  return typeof kind === 'string' && /^[A-Za-z]{1,63}$/.test(kind) ? kind : `kind ${quoted(String(kind))}`;
}
