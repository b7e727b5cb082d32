import type { ApiResource, KubernetesObject } from '@holdfast/core';
import { quoted } from '../logging/quoted.ts';

/**
 * Which objects of a collection to delete: those that a selector matches, or, stated explicitly, `all`. A
 * selector that matches everything is refused, since it mostly comes from a variable that was not set.
 */
export type CollectionChoice =
  | 'all'
  | { readonly labelSelector: string; readonly fieldSelector?: string }
  | { readonly fieldSelector: string; readonly labelSelector?: string };

/** The part of a list request that selects objects. */
interface Selectors {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/**
 * Returns the selectors to send for a choice.
 *
 * @throws Error for a selector that matches everything; for a namespaced resource without a namespace, since
 *   the objects of all namespaces cannot be deleted at once; and for a cluster-scoped resource with a
 *   namespace, since objects everywhere would be deleted.
 */
export function selectorsOf(
  { plural, namespaced }: ApiResource<KubernetesObject>,
  namespace: string | undefined,
  choice: CollectionChoice,
): Selectors {
  if (namespaced && namespace === undefined) {
    throw new Error(
      `can't delete ${plural} of all namespaces: the API server takes one namespace at a time; call deleteCollection for each`,
    );
  }
  if (!namespaced && namespace !== undefined) {
    throw new Error(
      `can't delete ${plural} of namespace ${quoted(namespace)}: they have none, and those of the whole cluster would go; give undefined as namespace to mean these`,
    );
  }
  if (choice === 'all') {
    return {};
  }
  const { labelSelector, fieldSelector } = choice;
  refuseEverything(plural, 'labelSelector', labelSelector, labelSelector?.trim() === '');
  // kube-apiserver ignores empty terms between commas.
  refuseEverything(plural, 'fieldSelector', fieldSelector, /^[\s,]*$/u.test(fieldSelector ?? 'none'));
  if (labelSelector === undefined && fieldSelector === undefined) {
    throw new Error(
      `can't delete ${plural}: neither labelSelector nor fieldSelector is given; say 'all' to delete all of them`,
    );
  }
  return {
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
  };
}

function refuseEverything(
  plural: string,
  name: string,
  selector: string | undefined,
  isEverything: boolean,
): void {
  if (isEverything) {
    throw new Error(
      `can't delete ${plural}: ${name} ${quoted(selector ?? '')} selects everything; name labels or fields, or say 'all' to delete all of them`,
    );
  }
}
