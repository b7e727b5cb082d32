import { objectKey, type ObjectKey, type PersistentVolume } from '@holdfast/core';

/** A volume whose deletion was refused. */
export interface Refused {
  readonly key: ObjectKey;
  readonly uid: string;
}

/** Which volumes wait for which others to become readable or go. Forgetting an entry only costs time. */
export interface Refusals {
  /** @param unreadable the name of the unreadable volume. */
  note(volume: PersistentVolume, unreadable: string): void;
  /** Returns the volumes that wait for that one, and forgets them. */
  take(unreadable: ObjectKey): readonly Refused[];
  /** Call when the volume with this UID is gone. */
  forget(uid: string): void;
}

export function createRefusals(): Refusals {
  /** By the UID of the waiting volume. */
  const refused = new Map<string, Refused & { readonly unreadable: string }>();
  return {
    note: (volume, unreadable) => {
      const { uid } = volume.metadata;
      refused.set(uid, { key: objectKey(volume), uid, unreadable });
    },
    take: (unreadable) => {
      const waiting =
        refused.size === 0 ? [] : [...refused.values()].filter((each) => each.unreadable === unreadable);
      waiting.forEach(({ uid }) => refused.delete(uid));
      return waiting;
    },
    forget: (uid) => {
      refused.delete(uid);
    },
  };
}
