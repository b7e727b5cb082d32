import {
  persistentVolumes,
  type ObjectKey,
  type PersistentVolume,
  type PersistentVolumeClaim,
} from '@holdfast/core';
import { find, type Look } from '@holdfast/runtime';
import type { Observation, UndoFacts, UnreadableVolume } from '../decide/snapshot.ts';
import { volumesOverlap } from '../storage-identity.ts';
import type { UndoWindows } from '../undo/undo-windows.ts';
import type { LiveLook } from './live-look.ts';
import { isBoundTo } from './bound-claim.ts';
import { findBoundElsewhere } from './bound-elsewhere.ts';
import type { UncachedVolume } from './uncached-volumes.ts';
import { unreadable } from '../unreadable-volume.ts';
import { findClaim, type ClaimSources } from './live-need.ts';
import { needsStorage } from './needs-storage.ts';

export interface ServerObserverOptions extends ClaimSources {
  readonly lookAt: (volumes: number) => Promise<LiveLook>;
  /** Returns the nodes to which any of these volumes is attached, from a list begun after the call. */
  readonly nodesOf: (volumes: readonly PersistentVolume[]) => Promise<readonly string[]>;
  /** Returns the other volumes whose storage overlaps, from the cache. */
  readonly overlapping: (volume: PersistentVolume) => readonly ObjectKey[];
  /**
   * Returns those that the cache lacks, or does not have in the newest state, from a list that might be
   * seconds old (`createUncachedVolumes`).
   */
  readonly uncached: (volume: PersistentVolume) => Promise<readonly UncachedVolume[]>;
  readonly undoWindows: Pick<UndoWindows, 'openLook'>;
}

export interface ServerObservationOptions {
  /**
   * Passed to the requests. The observation shows what the API server had at {@link Look.lookedAt} or later.
   */
  readonly look: Look;
  readonly signal: AbortSignal;
}

/** Another volume over the storage that does not need it, as far as is known without the lease. */
interface Free {
  readonly key: ObjectKey;
  readonly volume: PersistentVolume;
  readonly claim: PersistentVolumeClaim | undefined;
  readonly facts: UndoFacts | undefined;
}

/**
 * Observes a volume by asking the API server itself, as must be done before anything is deleted.
 *
 * The order matters: the volume, then its claim, and its class if that might ask for an undo window; then the
 * same for the volumes whose storage overlaps, including those that the cache lacks, until one of them needs
 * it; then the lease, if the undo window of any of them is over without it; then the attachments. A claim whose UID is
 * gone does not come back, and without it the volume cannot be attached again.
 *
 * @returns a function that throws what the client throws, and the signal's reason when aborted.
 */
export function createServerObserver(
  options: ServerObserverOptions,
): (volumeName: string, options: ServerObservationOptions) => Promise<Observation> {
  const { client, claims, lookAt, nodesOf, overlapping, uncached, undoWindows } = options;

  return async (name, asking) => {
    const volume = await find(client, persistentVolumes, { name }, asking);
    if (volume === undefined) {
      return {
        source: 'server',
        volume,
        claimUid: undefined,
        claimBound: false,
        boundElsewhere: undefined,
        unlisted: undefined,
        attachedTo: [],
        sharedWith: [],
        freeOver: [],
      };
    }
    const claim = await findClaim({ client, claims }, volume, asking);
    const seen = {
      source: 'server',
      volume,
      claimUid: claim?.metadata.uid,
      claimBound: claim !== undefined && isBoundTo(claim, volume),
      boundElsewhere: await findBoundElsewhere({ client, claims }, volume, asking),
      // Only the cache knows what it lacks, and is asked first.
      unlisted: undefined,
    } as const;
    const notFree = { ...seen, attachedTo: [], freeOver: [] };
    const windows = undoWindows.openLook();
    const facts = await windows.facts(volume, claim, asking);
    const confirmed = (): Promise<UndoFacts | undefined> => windows.confirmed(volume, facts, asking);
    const free: Free[] = [];
    const listed = new Map((await uncached(volume)).map((each) => [each.key, each.listed]));
    const others = [...new Set([...listed.keys(), ...overlapping(volume)])];
    const live = await lookAt(others.length);
    for (const other of others) {
      // It might still exist even if nothing can be read by the name under which it was listed.
      const found = other === '' ? undefined : ((await live.volume(other, asking)) ?? listed.get(other));
      const odd = found === undefined ? nameless(other) : unreadable(found);
      // Another volume might have taken the name.
      if (odd !== undefined && (found === undefined || volumesOverlap(volume, found))) {
        return { ...notFree, sharedWith: [], unreadable: odd, undo: await confirmed() };
      }
      if (found !== undefined && volumesOverlap(volume, found)) {
        const itsClaim = await live.claim(found, asking);
        const itsFacts = await windows.facts(found, itsClaim, asking);
        if (
          needsStorage(found, itsClaim, itsFacts) ||
          (await findBoundElsewhere({ client, claims }, found, asking)) !== undefined
        ) {
          return { ...notFree, sharedWith: [other], undo: await confirmed() };
        }
        free.push({ key: other, volume: found, claim: itsClaim, facts: itsFacts });
      }
    }
    const undo = await confirmed();
    for (const other of free) {
      const itsUndo = await windows.confirmed(other.volume, other.facts, asking);
      if (needsStorage(other.volume, other.claim, itsUndo)) {
        return { ...notFree, sharedWith: [other.key], undo };
      }
    }
    const attachedTo = await nodesOf([volume, ...free.map((other) => other.volume)]);
    asking.signal.throwIfAborted();
    return { ...seen, attachedTo, sharedWith: [], freeOver: free.map((other) => other.volume), undo };
  };
}

/** A volume that a list has without a name cannot be read, and might use any storage. */
function nameless(key: ObjectKey): UnreadableVolume | undefined {
  return key === '' ? { name: '', why: 'it has no name' } : undefined;
}
