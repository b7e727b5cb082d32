import type { ObjectKey, PersistentVolumeClaim } from '@holdfast/core';
import type { Clock } from '@holdfast/runtime';

/** The claims whose deletion is postponed now, as far as this process has told of it. */
export interface HeldClaims {
  /**
   * The deletion is postponed for this reason and these pods.
   *
   * @returns whether that is news: the claim was not held before, or by others, or otherwise.
   */
  postponed(key: ObjectKey, claim: PersistentVolumeClaim, reason: string, pods: readonly string[]): boolean;
  /** A pod that may have held the claim does so no longer. */
  userGone(key: ObjectKey): void;
  /** What is known of this very claim, if it is held. To be asked before the patch that makes an end of it. */
  find(key: ObjectKey, claim: PersistentVolumeClaim): Hold | undefined;
  /** The claim is held no longer: our finalizer is off, or the claim is gone. */
  forget(key: ObjectKey, claim: PersistentVolumeClaim): void;
  /** Held claims of each namespace that has any. */
  byNamespace(): ReadonlyMap<string, number>;
}

export interface Hold {
  /** When its last user was seen to go, by the clock; undefined: it was not seen. */
  readonly userGoneAt: number | undefined;
}

interface Held extends Hold {
  readonly uid: string;
  readonly namespace: string;
  readonly holders: string;
}

/**
 * What is kept is for those who look (events once per change, metrics); no decision rests on it, so that a new process may
 * begin with none. It holds no more claims than are terminating and in use.
 */
export function createHeldClaims(clock: Clock): HeldClaims {
  const held = new Map<ObjectKey, Held>();
  return {
    postponed: (key, { metadata: { uid, namespace = '' } }, reason, pods) => {
      const known = held.get(key);
      const holders = [reason, ...pods.toSorted()].join();
      // Who still holds it was not the last user after all.
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
