import type { ObjectKey, PersistentVolumeClaim } from '@holdfast/core';
import type { Clock } from '@holdfast/runtime';

/** The claims whose deletion is postponed now, as far as this process has logged it. */
export interface HeldClaims {
  /**
   * Records that the deletion is postponed for this reason and by these pods.
   *
   * @returns whether that is news: the claim was not held before, or by other pods, or for another reason.
   */
  postponed(key: ObjectKey, claim: PersistentVolumeClaim, reason: string, pods: readonly string[]): boolean;
  /** Records that a pod that might have held the claim no longer does. */
  userGone(key: ObjectKey): void;
  /**
   * Returns what is known about the claim with this UID, if it is held. Must be called before the patch that
   * releases it.
   */
  find(key: ObjectKey, claim: PersistentVolumeClaim): Hold | undefined;
  /** The claim is no longer held: our finalizer was removed, or the claim is gone. */
  forget(key: ObjectKey, claim: PersistentVolumeClaim): void;
  /** Returns the number of held claims for each namespace that has any. */
  byNamespace(): ReadonlyMap<string, number>;
}

export interface Hold {
  /** When its last user was seen to go, by the clock; undefined if that was not seen. */
  readonly userGoneAt: number | undefined;
}

interface Held extends Hold {
  readonly uid: string;
  readonly namespace: string;
  readonly holders: string;
}

/**
 * Creates the memory for Events, one for each change, and for metrics. No decision is based on it, so a new
 * process begins without it. It has no more claims than are terminating and in use.
 */
export function createHeldClaims(clock: Clock): HeldClaims {
  const held = new Map<ObjectKey, Held>();
  return {
    postponed: (key, { metadata: { uid, namespace = '' } }, reason, pods) => {
      const known = held.get(key);
      const holders = [reason, ...pods.toSorted()].join();
      // The claim is still held, so the pod that was seen to go was not its last user.
      held.set(key, { uid, namespace, holders, userGoneAt: undefined });
      return known?.uid !== uid || known.holders !== holders;
    },
    userGone: (key) => {
      const known = held.get(key);
      if (known !== undefined) {
        held.set(key, { ...known, userGoneAt: clock.now() });
      }
    },
    find: (key, { metadata }) => {
      const known = held.get(key);
      return known?.uid === metadata.uid ? known : undefined;
    },
    forget: (key, { metadata }) => {
      if (held.get(key)?.uid === metadata.uid) {
        held.delete(key);
      }
    },
    byNamespace: () => {
      const counts = new Map<string, number>();
      for (const { namespace } of held.values()) {
        counts.set(namespace, (counts.get(namespace) ?? 0) + 1);
      }
      return counts;
    },
  };
}
