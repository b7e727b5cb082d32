import type { PersistentVolumeClaim, Pod, StatefulSet } from '@holdfast/core';
import { parseClaimName } from '@holdfast/statefulset-pvc-retention/decide';

/** The ordinal in a claim's name, which must have the form of a template's claims. */
export function ordinalOf(claim: PersistentVolumeClaim): number {
  return parseClaimName(claim)?.ordinal ?? 0;
}

/** The ordinal in the name of a set's pod; undefined if it does not have the form of the set's names. */
export function ordinalOfPod({ metadata }: StatefulSet, pod: Pod): number | undefined {
  const prefix = `${metadata.name}-`;
  const digits = pod.metadata.name.startsWith(prefix) ? pod.metadata.name.slice(prefix.length) : '';
  return /^(0|[1-9]\d*)$/.test(digits) ? Number(digits) : undefined;
}
