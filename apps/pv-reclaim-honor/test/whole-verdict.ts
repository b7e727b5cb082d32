import {
  objectKey,
  type FeatureGates,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type VolumeAttachment,
} from '@holdfast/core';
import { openLook, type ApiClient } from '@holdfast/runtime';
import { decide } from '../src/decide.ts';
import type { Decision } from '../src/decide/decision.ts';
import type { Mode, Observation } from '../src/decide/snapshot.ts';
import type { GateName } from '../src/gates.ts';
import { keeperOf } from '../src/keeper.ts';
import { createAttachmentList } from '../src/observe/attachment-list.ts';
import { claimsByVolume } from '../src/observe/bound-elsewhere.ts';
import { createCacheObserver } from '../src/observe/cache.ts';
import { createCachedNeed, type CachedClaims } from '../src/observe/cached-need.ts';
import { claimsByUid } from '../src/observe/claim-elsewhere.ts';
import { createLiveLook } from '../src/observe/live-look.ts';
import { createServerObserver } from '../src/observe/server.ts';
import { createStorageIndex } from '../src/storage-index.ts';
import { withUndoFinalizer } from '../src/undo/undo-finalizer.ts';
import { createUndoWindows } from '../src/undo/undo-windows.ts';

/** A cluster that does not change. */
export interface StillCluster {
  readonly client: Pick<ApiClient, 'get' | 'listPages'>;
  readonly volumes: readonly PersistentVolume[];
  readonly claims: readonly PersistentVolumeClaim[];
  readonly attachments: readonly VolumeAttachment[];
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The flags of a process. */
export interface VerdictFlags {
  readonly namespaces: readonly string[];
  readonly csiFinalizer: string;
  readonly gates: FeatureGates<GateName>;
  readonly mode: Mode;
}

/**
 * Returns what pv-reclaim-honor, whose cache has all of its namespaces, decides about a volume of a driver that is
 * connected: from the cache, or from the API server where that is asked. `unclear`: the API server is asked in vain.
 */
export async function wholeVerdict(
  { client, volumes, claims, attachments, now }: StillCluster,
  volume: PersistentVolume,
  { namespaces, csiFinalizer, gates, mode }: VerdictFlags,
): Promise<Decision | 'unclear'> {
  const serves = (namespace = ''): boolean => namespaces.length === 0 || namespaces.includes(namespace);
  const cached = cacheOf(claims.filter(({ metadata }) => serves(metadata.namespace)));
  const nodesOf = ({ metadata }: PersistentVolume): readonly string[] =>
    attachments
      .filter(({ spec }) => spec.source.persistentVolumeName === metadata.name)
      .map(({ spec }) => spec.nodeName);
  const undoWindows = createUndoWindows({
    enabled: gates.enabled('ReclaimGracePeriod'),
    client,
    classes: { get: () => undefined },
    now: () => new Date(now),
    serverTime: () => new Date(now),
    tenure: { nothingDueBefore: () => undefined, askNothingDueBefore: () => Promise.resolve(undefined) },
    onLiveRequest: () => undefined,
  });
  const need = createCachedNeed({ claims: cached, nodesOf, hasClaimsOf: serves, undoWindows });
  const storages = createStorageIndex();
  volumes.forEach((each) => storages.set(each, need.might(each)));
  const verdict = (seen: Observation): Decision =>
    decide({
      ...seen,
      keeper: withUndoFinalizer(
        keeperOf(volume, {
          mode,
          hasSockets: true,
          hasDriver: () => true,
          migratedPlugins: [],
          canDeleteInTree: () => false,
          csiFinalizer,
          namespaces,
        }),
        volume,
      ),
      storageDeleted: false,
      honor: gates.enabled('HonorPVReclaimPolicy'),
      mode,
    });
  const inCache = verdict(
    createCacheObserver({
      claims: cached,
      nodesOf,
      neededBy: (each) => storages.neededBy(each, 3),
      undoWindows,
      unlisted: () => undefined,
    })(volume),
  );
  if (inCache.kind !== 'askServer') {
    return inCache;
  }
  try {
    return verdict(
      await createServerObserver({
        client,
        claims: cached,
        lookAt: createLiveLook(client, cached, () => (namespaces.length === 0 ? [undefined] : namespaces)),
        nodesOf: createAttachmentList(async function* () {
          yield* await Promise.resolve(attachments);
        }),
        overlapping: storages.overlapping,
        uncached: () => Promise.resolve([]),
        undoWindows,
      })(volume.metadata.name, { look: openLook(), signal: new AbortController().signal }),
    );
  } catch {
    return 'unclear';
  }
}

function cacheOf(claims: readonly PersistentVolumeClaim[]): CachedClaims {
  const indexes: Readonly<Record<string, (claim: PersistentVolumeClaim) => readonly string[]>> = {
    ...claimsByUid,
    ...claimsByVolume,
  };
  return {
    get: (key) => claims.find((each) => objectKey(each) === key),
    byIndex: (index, value) => claims.filter((each) => indexes[index]?.(each).includes(value)),
  };
}
