import {
  persistentVolumes,
  volumeAttachments,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type StorageClass,
  type VolumeAttachment,
} from '@holdfast/core';
import {
  classOf,
  needsStorage,
  undoFactsOf,
  volumesOverlap,
  windowRequestOf,
} from '@holdfast/pv-reclaim-honor/decide';
import { listAll, type ConnectedClient } from '@holdfast/runtime';
import { timeOf } from '../plan/vacancy-wait.ts';
import { attachmentFields } from './projections.ts';
import { listed, nowOf, readClasses } from './read-set.ts';
import { seesClaimsOf, type SeenReclaimer } from './reclaimer.ts';
import { unlessRefused } from './refused.ts';

/** What the other volumes over the storage of a volume mean for it; `unread` if volumes may not be listed. */
export type Sharing =
  | {
      /** The names of those that keep the storage. */
      readonly neededBy: readonly string[];
      /** The nodes to which any other of them is attached. Empty if one keeps the storage. */
      readonly attachedTo: readonly string[];
    }
  | 'unread';

/**
 * The claims of a volume: the one that `claimRef` names, and one elsewhere that has its UID or says that it is bound.
 */
export interface ClaimsOfVolume {
  readonly claim: PersistentVolumeClaim | 'unread' | undefined;
  readonly elsewhere: PersistentVolumeClaim | undefined;
  /** Whether the claims of all namespaces were needed to know the latter, and may not be listed. */
  readonly isElsewhereUnread: boolean;
}

/**
 * Reads which other volumes over the storage of a volume keep it, as pv-reclaim-honor does before it deletes storage.
 * One whose claim pv-reclaim-honor does not see, or whose claim or class may not be read, counts as keeping it.
 */
export async function readSharing(
  client: ConnectedClient,
  volume: PersistentVolume,
  { reclaimer, keeper }: SeenReclaimer,
  claimsOf: (other: PersistentVolume) => Promise<ClaimsOfVolume>,
): Promise<Sharing> {
  const all = await unlessRefused(listed(listAll(client, persistentVolumes, { limit: 5_000 })));
  if (all === undefined) {
    return 'unread';
  }
  const others = all.filter(
    (other) => other.metadata.uid !== volume.metadata.uid && volumesOverlap(volume, other),
  );
  if (others.length === 0) {
    return { neededBy: [], attachedTo: [] };
  }
  const [classes, attachments] = await Promise.all([readClasses(client), readAllAttachments(client)]);
  const now = nowOf(client);
  const enabled = reclaimer?.gates.enabled('ReclaimGracePeriod') ?? true;
  const neededBy: string[] = [];
  const isSeen = ({ metadata }: PersistentVolumeClaim): boolean =>
    reclaimer === undefined || seesClaimsOf(reclaimer, metadata.namespace ?? '');
  const isKnown = ({ spec }: PersistentVolume): boolean => {
    const { namespace = '', name = '', uid = '' } = spec?.claimRef ?? {};
    // A claim of which a part of the name is missing might be anywhere.
    return (
      (uid === '' || (namespace !== '' && name !== '')) &&
      (reclaimer === undefined || seesClaimsOf(reclaimer, name === '' ? '' : namespace))
    );
  };
  for (const other of others) {
    const { claim: named, elsewhere: found, isElsewhereUnread } = await claimsOf(other);
    const elsewhere = found !== undefined && isSeen(found) ? found : undefined;
    const storageClass = classNamed(classes, classOf(other));
    const claim = elsewhere ?? named;
    const around = { enabled, now, serverNow: now, noneOverBefore: timeOf(keeper.wait) };
    const isKept =
      !isKnown(other) ||
      claim === 'unread' ||
      storageClass === 'unread' ||
      elsewhere !== undefined ||
      isElsewhereUnread ||
      needsStorage(
        other,
        claim,
        undoFactsOf(other, claim, windowRequestOf(other, storageClass, enabled), around),
      );
    if (isKept) {
      neededBy.push(other.metadata.name);
    }
  }
  if (neededBy.length > 0) {
    return { neededBy, attachedTo: [] };
  }
  const names = new Set(others.map(({ metadata }) => metadata.name));
  const attachedTo = (attachments ?? [])
    .filter(({ spec }) => names.has(spec.source.persistentVolumeName ?? ''))
    .map(({ spec }) => spec.nodeName);
  return { neededBy, attachedTo };
}

function classNamed(
  classes: readonly StorageClass[] | undefined,
  name: string,
): StorageClass | 'unread' | undefined {
  return name === ''
    ? undefined
    : classes === undefined
      ? 'unread'
      : classes.find(({ metadata }) => metadata.name === name);
}

function readAllAttachments(client: ConnectedClient): Promise<readonly VolumeAttachment[] | undefined> {
  return unlessRefused(
    listed(listAll(client, volumeAttachments, { projection: attachmentFields, limit: 5_000 })),
  );
}
