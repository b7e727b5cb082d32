import { objectKey, type ObjectKey, type PersistentVolume } from '@holdfast/core';

/** A volume whose deletion was refused. */
export interface Refused {
  readonly key: ObjectKey;
  readonly uid: string;
}

/** Which volumes wait for which others to be readable or gone. What is forgotten here costs time, and nothing else. */
export interface Refusals {
  /** @param unreadable the name of the volume that can't be read. */
  note(volume: PersistentVolume, unreadable: string): void;
  /** The volumes that wait for that one, which are then forgotten. */
  take(unreadable: ObjectKey): readonly Refused[];
  /** The volume with this UID is gone. */
  forget(uid: string): void;
}

export function createRefusals(): Refusals {
  /** By the UID of the one that waits. */
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
