import {
  isControlledBy,
  isScheduled,
  isTerminating,
  type PersistentVolumeClaim,
  type Pod,
} from '@holdfast/core';
import { claimsNamedBy } from '@holdfast/pvc-protection/decide';

/** Describes the state of a pod: `Running on node-1, being deleted`. */
export function podWords(pod: Pod): string {
  const { phase = 'of no phase' } = pod.status ?? {};
  const where = isScheduled(pod) ? ` on ${pod.spec?.nodeName ?? ''}` : ', bound to no node';
  return `${phase}${where}${isTerminating(pod) ? ', being deleted' : ''}`;
}

/** Whether the claim is one of the pod's volumes, including ephemeral ones. */
export function namesClaim(pod: Pod, claim: PersistentVolumeClaim): boolean {
  const naming = claimsNamedBy(pod).get(claim.metadata.name);
  return naming !== undefined && (naming.direct || (naming.ephemeral && isControlledBy(claim, pod)));
}

/**
 * Whether a pod holds a claim by the rules of kube-controller-manager (podUsesPVCForDeletion in
 * pvc_protection_controller.go, 1.31 and 1.36). A pod does from the time it is bound to a node until it is
 * gone, even after it has ended. It holds the claim of an ephemeral volume only until the kubelet is done
 * with the pod.
 */
export function holdsByStock(pod: Pod, claim: PersistentVolumeClaim): boolean {
  const naming = claimsNamedBy(pod).get(claim.metadata.name);
  const isDone = isTerminating(pod) && pod.metadata.deletionGracePeriodSeconds === 0;
  return (
    isScheduled(pod) &&
    naming !== undefined &&
    (naming.direct || (naming.ephemeral && !isDone && isControlledBy(claim, pod)))
  );
}
