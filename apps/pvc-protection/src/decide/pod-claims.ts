import { claimUses, keyOf, type ObjectKey, type Pod } from '@holdfast/core';

/** How a pod names one claim; both at once is possible. */
export interface Naming {
  /** By a volume of the pod's that is the claim. */
  readonly direct: boolean;
  /** As the claim that is made for a generic ephemeral volume. */
  readonly ephemeral: boolean;
}

/** What a pod of more volumes than this names is remembered: for others that would cost more memory than it saves time. */
const few = 16;

/** Pods are never changed in place. */
const known = new WeakMap<Pod, ReadonlyMap<string, Naming>>();

/**
 * The claims that a pod's volumes name, by their names, each once. The API server takes a pod of fifty thousand volumes, which all name the
 * same claim or each another: were they looked through for each volume, or for each claim, the process would do nothing else for minutes.
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

/** The keys of these claims, in the order of the volumes. */
export function claimKeysOf(pod: Pod): readonly ObjectKey[] {
  const { namespace = '' } = pod.metadata;
  return [...claimsNamedBy(pod).keys()].map((name) => keyOf({ namespace, name }));
}
