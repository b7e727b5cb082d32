import { claimUses, keyOf, type ObjectKey, type Pod } from '@holdfast/core';

/** How a pod names one claim; it can do both at once. */
export interface Naming {
  /** Whether a volume of the pod refers to the claim. */
  readonly direct: boolean;
  /** Whether it is the claim of a generic ephemeral volume. */
  readonly ephemeral: boolean;
}

/**
 * The result is cached for a pod with more volumes than this; for others that would cost more memory than it
 * saves time.
 */
const few = 16;

/** The cache is valid because pods are never changed in place. */
const known = new WeakMap<Pod, ReadonlyMap<string, Naming>>();

/**
 * Returns the claims that a pod's volumes name, by name, each once. The API server accepts a pod of fifty
 * thousand volumes, which can all name the same claim or different ones. Searching them for each volume, or
 * for each claim, would occupy the process for minutes.
 */
export function claimsNamedBy(pod: Pod): ReadonlyMap<string, Naming> {
  if ((pod.spec?.volumes?.length ?? 0) <= few) {
    return readNames(pod);
  }
  let named = known.get(pod);
  if (named === undefined) {
    named = readNames(pod);
    known.set(pod, named);
  }
  return named;
}

function readNames(pod: Pod): ReadonlyMap<string, Naming> {
  const named = new Map<string, Naming>();
  for (const { claimName, ephemeral } of claimUses(pod)) {
    const before = named.get(claimName);
    named.set(claimName, {
      direct: !ephemeral || before?.direct === true,
      ephemeral: ephemeral || before?.ephemeral === true,
    });
  }
  return named;
}

/** Returns the keys of these claims, in the order of the volumes. */
export function claimKeysOf(pod: Pod): readonly ObjectKey[] {
  const { namespace = '' } = pod.metadata;
  return [...claimsNamedBy(pod).keys()].map((name) => keyOf({ namespace, name }));
}
