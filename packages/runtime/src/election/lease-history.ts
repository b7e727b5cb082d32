import { isOlderVersion, type Lease, type ObjectMeta } from '@holdfast/core';

/**
 * Why the API server's data are known to have been restored. `found`: the lease has an older version than it had
 * before, or is gone. `told`: its holder has found that, and says so on the lease.
 */
export type SignOfRestore = 'found' | 'told';

/**
 * What a candidate has seen of its lease, to find out whether a backup of etcd was restored meanwhile. A leader renews
 * its lease every few seconds. So of all objects it is the one that is most likely to differ from what a backup has,
 * and each candidate reads it anyway.
 *
 * A lease that somebody has deleted counts as restored too, since the backup might lack it.
 */
export interface LeaseHistory {
  /**
   * Must be called before the lease is read. An answer is only compared with what was known when it was asked for,
   * since it can be overtaken by a later one.
   *
   * @returns a function of what was read, which returns a sign that nothing has shown before.
   */
  read(): (lease: Lease | undefined) => SignOfRestore | undefined;
  /** Records what this candidate has written. */
  wrote(lease: Lease): void;
}

type Known = Pick<ObjectMeta, 'uid' | 'resourceVersion'>;

/**
 * @param annotations say on the lease when its holder last found that it was restored, and when it was last led again
 *   after a vacancy: a holder that has started since the restore has nothing to compare the lease with. Undefined if
 *   the lease is never stored, as in a dry run, and therefore shows nothing.
 */
export function createLeaseHistory(annotations: readonly string[] | undefined): LeaseHistory {
  /** The newest state that was seen, unless it is gone. */
  let newest: Known | undefined;
  /** Whether the lease was found gone, and is not there again. */
  let isGone = false;
  /** The values of the annotations in the last state that was seen. */
  let said: readonly (string | undefined)[] = [];

  const note = ({ metadata }: Lease): void => {
    newest = metadata;
    isGone = false;
    said = (annotations ?? []).map((name) => metadata.annotations?.[name]);
  };

  return {
    read: () => {
      const known = newest;
      return (lease) => {
        if (annotations === undefined) {
          return undefined;
        }
        if (known !== undefined && isBack(known, newest)) {
          // Another read has found it already.
          return undefined;
        }
        if (known !== undefined && isBack(known, lease?.metadata)) {
          newest = undefined;
          isGone = lease === undefined;
          if (lease !== undefined) {
            note(lease);
          }
          return 'found';
        }
        if (lease === undefined || (newest !== undefined && isBack(newest, lease.metadata))) {
          return undefined;
        }
        const before = said;
        // Who makes a lease again that is gone has found the same, and says so at once.
        const isCompared = known !== undefined || isGone;
        note(lease);
        const isNew = said.some((value, index) => value !== undefined && value !== before[index]);
        return isCompared && isNew ? 'told' : undefined;
      };
    },
    wrote: (lease) => {
      if (newest === undefined || !isBack(newest, lease.metadata)) {
        note(lease);
      }
    },
  };
}

function isBack(known: Known, now: Known | undefined): boolean {
  return (
    now === undefined || now.uid !== known.uid || isOlderVersion(now.resourceVersion, known.resourceVersion)
  );
}
