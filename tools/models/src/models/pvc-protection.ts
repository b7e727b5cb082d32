import { byUid, firstTime, now, type History, type State } from '../history.ts';
import type { Model } from '../model.ts';
import { has, isEnding, names, uidOf, type PersistentVolumeClaim, type Pod } from '../objects.ts';

/*
 * A claim that is deleted while a pod uses it stays until no pod does (design-pvc-protection).
 *
 * - A pod uses the claims that its volumes name from when it has a node until it is gone or terminated; while the
 *   claim's volume is attached to that node, a terminated pod still does.
 * - Must survive: a protected claim whose user had its node before the claim was deleted, and a claim that was not
 *   deleted keeps its protection.
 * - Left open: a pod that gets a node when the claim is terminating. Scheduler and kubelet refuse that, by caches of
 *   their own.
 * - Must go: a terminating claim without a user. Must come: the finalizer, on each claim that is not terminating.
 */
export const pvcProtection: Model = {
  app: 'pvc-protection',
  lost: ({ history, after }) => {
    const before = now(history).state;
    return [...before.claims.values()].flatMap((claim) => {
      const { name } = claim.metadata;
      const next = byUid(after.claims, uidOf(claim));
      if (!has(claim, names.pvcProtection) || (next !== undefined && has(next, names.pvcProtection))) {
        return [];
      }
      if (!isEnding(claim)) {
        return [`claim ${name} was not deleted and has lost its protection`];
      }
      return usersOf(claim, before)
        .filter((pod) => began(pod, claim, history))
        .map((pod) => `claim ${name} has lost its protection while pod ${pod.metadata.name} uses it`);
    });
  },
  owed: (history) => {
    const { state } = now(history);
    return [...state.claims.values()].flatMap((claim) => {
      const { name } = claim.metadata;
      if (!isEnding(claim)) {
        return has(claim, names.pvcProtection) ? [] : [`claim ${name} is to be protected`];
      }
      return has(claim, names.pvcProtection) && usersOf(claim, state).length === 0
        ? [`claim ${name} is deleted, no pod uses it: it is to be let go`]
        : [];
    });
  },
};

export function usersOf(claim: PersistentVolumeClaim, state: State): readonly Pod[] {
  const attachedTo = [...state.attachments.values()]
    .filter(({ spec }) => spec.source.persistentVolumeName === claim.spec?.volumeName)
    .map(({ spec }) => spec.nodeName);
  return [...state.pods.values()].filter(({ spec, status }) => {
    const node = spec?.nodeName ?? '';
    const names =
      spec?.volumes?.some((v) => v.persistentVolumeClaim?.claimName === claim.metadata.name) === true;
    const isTerminated = status?.phase === 'Succeeded' || status?.phase === 'Failed';
    return node !== '' && names && (!isTerminated || attachedTo.includes(node));
  });
}

/** Whether the pod had its node before the claim was deleted. */
function began(pod: Pod, claim: PersistentVolumeClaim, history: History): boolean {
  const placed = firstTime(history, ({ pods }) => (byUid(pods, uidOf(pod))?.spec?.nodeName ?? '') !== '');
  const ended = firstTime(history, ({ claims }) => {
    const then = byUid(claims, uidOf(claim));
    return then !== undefined && isEnding(then);
  });
  return placed !== undefined && (ended === undefined || placed < ended);
}
