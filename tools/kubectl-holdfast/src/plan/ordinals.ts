import type { PersistentVolumeClaim, Pod, StatefulSet } from '@holdfast/core';
import { parseClaimName } from '@holdfast/statefulset-pvc-retention/decide';

/** The ordinal in a claim's name, which must be of a template's form. */
export function ordinalOf(claim: PersistentVolumeClaim): number {
  return parseClaimName(claim)?.ordinal ?? 0;
}

/** The ordinal in the name of a set's pod; undefined: it is not named as one of the set's. */
export function ordinalOfPod({ metadata }: StatefulSet, pod: Pod): number | undefined {
  const prefix = `${metadata.name}-`;
  const digits = pod.metadata.name.startsWith(prefix) ? pod.metadata.name.slice(prefix.length) : '';
  return /^(0|[1-9]\d*)$/.test(digits) ? Number(digits) : undefined;
}
