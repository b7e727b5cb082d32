import {
  isOlderVersion,
  isTerminating,
  keyOf,
  persistentVolumeClaims,
  persistentVolumes,
  type ApiResource,
  type KubernetesObject,
  type ObjectKey,
  type ObjectRef,
  type PersistentVolume,
  type PersistentVolumeClaim,
} from '@holdfast/core';
import {
  isConflict,
  isNotFound,
  isOutdated,
  type ApiClient,
  type Clock,
  type EventRecorder,
  type ReconcileResult,
  type Store,
} from '@holdfast/runtime';
import type { Logger } from 'pino';
import { DriverNotReadyError } from './csi/csi-drivers.ts';
import { decide } from './decide.ts';
import type { Decision, FinalizerChange } from './decide/decision.ts';
import type { Keeper, Mode, OurKeeper, Snapshot } from './decide/snapshot.ts';
import { finalizerChangePatch } from './finalizer-change.ts';
import type { Metrics } from './metrics.ts';
import { classOf } from './provisioner-secret.ts';
import type { Storage } from './storage.ts';
import type { VolumeMemories } from './volume-memory.ts';

export interface ReconcileOptions {
  readonly client: ApiClient;
  readonly volumes: Store<PersistentVolume>;
  readonly claims: Store<PersistentVolumeClaim>;
  /** Nodes to which the volume is attached, by the cache. */
  readonly nodesInCache: (volume: PersistentVolume) => readonly string[];
  /** The same of several volumes by the API server, by a list begun after the question. */
  readonly nodesNow: (volumeNames: readonly string[]) => Promise<readonly string[]>;
  /** The other volumes of the same storage volume, by the cache. */
  readonly twins: (volume: PersistentVolume) => readonly PersistentVolume[];
  /** Whether the cache has the claims of a namespace. */
  readonly watches: (namespace: string) => boolean;
  readonly keeperOf: (volume: PersistentVolume) => Keeper;
  readonly storage: Storage;
  readonly memories: VolumeMemories;
  /** Gate HonorPVReclaimPolicy. */
  readonly honor: boolean;
  readonly mode: Mode;
  /** No storage is touched; the API client sends no write that lasts. */
  readonly dryRun: boolean;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly events: EventRecorder;
}

/** When to look again at a volume that is held up by what the cache does not have, milliseconds. */
const unseenDelay = 5_000;
/** A volume that is terminating without our finalizer may just be on its way out: so long is waited before it is told of, milliseconds. */
const leakGrace = 5_000;

/** Takes a snapshot, has it decided on, and carries the answer out. */
export function createReconcile(options: ReconcileOptions) {
  const { client, volumes, claims, nodesInCache, nodesNow, twins, watches } = options;
  const { keeperOf, storage, memories } = options;
  const { honor, mode, dryRun, clock, logger, metrics, events } = options;

  const find = async <T extends KubernetesObject>(
    resource: ApiResource<T>,
    ref: ObjectRef,
    signal: AbortSignal,
  ): Promise<T | undefined> => {
    try {
      return await client.get(resource, ref, { signal });
    } catch (error) {
      if (isNotFound(error)) {
        return undefined;
      }
      throw error;
    }
  };

  const snapshotOf = (
    volume: PersistentVolume | undefined,
    facts: Pick<Snapshot, 'claimUid' | 'attachedTo' | 'sharedWith' | 'source'>,
  ): Snapshot => ({
    ...facts,
    volume,
    keeper: volume === undefined ? { kind: 'foreign' } : keeperOf(volume),
    storageDeleted: volume !== undefined && memories.peek(volume.metadata.uid)?.storageDeleted === true,
    honor,
    mode,
  });

  const cachedClaimUid = ({ spec }: PersistentVolume): string | undefined =>
    claims.get(keyOf(claimRefOf(spec)))?.metadata.uid;

  const fromCache = (volume: PersistentVolume | undefined): Snapshot => {
    if (volume === undefined) {
      return snapshotOf(volume, { claimUid: undefined, attachedTo: [], sharedWith: [], source: 'cache' });
    }
    const sharing = twins(volume).filter(
      (twin) =>
        needsStorage(twin, cachedClaimUid(twin)) ||
        nodesInCache(twin).length > 0 ||
        // Of claims that are not watched any may be there.
        !watches(claimRefOf(twin.spec).namespace),
    );
    return snapshotOf(volume, {
      claimUid: cachedClaimUid(volume),
      attachedTo: nodesInCache(volume),
      sharedWith: sharing.map(({ metadata }) => metadata.name),
      source: 'cache',
    });
  };

  const claimUidNow = async (
    { spec }: PersistentVolume,
    signal: AbortSignal,
  ): Promise<string | undefined> => {
    const ref = claimRefOf(spec);
    return ref.name === '' ? undefined : (await find(persistentVolumeClaims, ref, signal))?.metadata.uid;
  };

  const fromServer = async (cached: PersistentVolume, signal: AbortSignal): Promise<Snapshot> => {
    const { name } = cached.metadata;
    const volume = await find(persistentVolumes, { name }, signal);
    if (volume === undefined) {
      return snapshotOf(volume, { claimUid: undefined, attachedTo: [], sharedWith: [], source: 'server' });
    }
    const claimUid = await claimUidNow(volume, signal);
    const names = [name];
    const sharedWith: string[] = [];
    for (const { metadata } of twins(volume)) {
      const twin = await find(persistentVolumes, { name: metadata.name }, signal);
      names.push(metadata.name);
      if (twin !== undefined && needsStorage(twin, await claimUidNow(twin, signal))) {
        sharedWith.push(metadata.name);
      }
    }
    // After the claims: while they were there the volume could still be attached for them.
    const attachedTo = await nodesNow(names);
    signal.throwIfAborted();
    return snapshotOf(volume, { claimUid, attachedTo, sharedWith, source: 'server' });
  };

  const changeFinalizers = async (
    { volume, add, remove, reason }: FinalizerChange,
    signal: AbortSignal,
  ): Promise<ReconcileResult> => {
    const { name, uid } = volume.metadata;
    const what = `${add.join()} -${remove.join()}`;
    switch (memories.mayWrite(uid, what)) {
      case 'stopped':
        return { kind: 'done' };
      case 'stop': {
        const note = `Finalizers are left alone: another undoes ${[...add.map((each) => `adding ${each}`), ...remove.map((each) => `removing ${each}`)].join(' and ')}; the storage may be left behind`;
        events.record(persistentVolumes, volume, {
          type: 'Warning',
          reason: 'VolumeMayLeak',
          action: 'Hold',
          note,
        });
        metrics.fight();
        metrics.leakRisk();
        logger.warn({ volume: name, add, remove, reason }, 'Fight over finalizers given up');
        return { kind: 'done' };
      }
      case 'write':
    }
    const result = await patchFinalizers(volume, add, remove, signal);
    if (result.kind !== 'patched') {
      return result.answer;
    }
    if (!dryRun) {
      memories.wrote(uid, what, result.resourceVersion);
    }
    logger.info({ volume: name, add, remove, reason }, 'Finalizers changed');
    return { kind: 'done' };
  };

  const patchFinalizers = async (
    volume: PersistentVolume,
    add: readonly string[],
    remove: readonly string[],
    signal: AbortSignal,
  ): Promise<
    | { readonly kind: 'patched'; readonly resourceVersion: string }
    | { readonly kind: 'gone' | 'changed'; readonly answer: ReconcileResult }
  > => {
    const { name } = volume.metadata;
    const operation = add.length > 0 ? 'add' : 'remove';
    try {
      const patched = await client.patch(
        persistentVolumes,
        { name },
        finalizerChangePatch(volume, { add, remove }),
        { signal },
      );
      metrics.finalizer(operation, 'success');
      return { kind: 'patched', resourceVersion: patched.metadata.resourceVersion };
    } catch (error) {
      if (isNotFound(error)) {
        metrics.finalizer(operation, 'gone');
        return { kind: 'gone', answer: { kind: 'done' } };
      }
      if (isOutdated(error)) {
        metrics.finalizer(operation, 'conflict');
        return { kind: 'changed', answer: { kind: 'lookAgain', reason: error.message } };
      }
      metrics.finalizer(operation, 'error');
      throw error;
    }
  };

  const warnOfLeak = (volume: PersistentVolume): ReconcileResult => {
    const memory = memories.of(volume.metadata.uid);
    if (memory.leakTold) {
      return { kind: 'done' };
    }
    memory.atRiskSince ??= clock.now();
    const left = memory.atRiskSince + leakGrace - clock.now();
    if (left > 0) {
      return { kind: 'requeueAfter', delay: left };
    }
    memory.leakTold = true;
    const { name } = volume.metadata;
    events.record(persistentVolumes, volume, {
      type: 'Warning',
      reason: 'VolumeMayLeak',
      action: 'Hold',
      note: 'The volume was deleted before it was held by a finalizer, and none can be added any more: its storage may be left behind',
    });
    metrics.leakRisk();
    logger.warn({ volume: name, reason: 'TerminatingUnheld' }, 'Volume may leak');
    return { kind: 'done' };
  };

  const reclaim = async (
    volume: PersistentVolume,
    keeper: OurKeeper,
    signal: AbortSignal,
  ): Promise<ReconcileResult> => {
    const { name, uid } = volume.metadata;
    if (dryRun) {
      logger.info({ volume: name, plugin: keeper.name }, 'Storage would be deleted');
      return { kind: 'done' };
    }
    const memory = memories.of(uid);
    const started = clock.now();
    memory.reclaimingSince ??= started;
    try {
      await storage.delete(volume, keeper, signal);
    } catch (error) {
      signal.throwIfAborted();
      const delay = memories.failed(uid);
      if (error instanceof DriverNotReadyError) {
        logger.info({ volume: name, plugin: keeper.name }, 'Driver is away');
        return { kind: 'requeueAfter', delay };
      }
      const note = error instanceof Error ? error.message : String(error);
      events.record(persistentVolumes, volume, {
        type: 'Warning',
        reason: 'VolumeFailedDelete',
        action: 'Delete',
        note,
      });
      metrics.operationFailed(keeper.name);
      logger.error({ volume: name, plugin: keeper.name, err: error, delay }, 'Storage not deleted');
      return { kind: 'requeueAfter', delay };
    }
    memory.storageDeleted = true;
    metrics.volumeDeleted(classOf(volume), (clock.now() - started) / 1000);
    logger.info({ volume: name, plugin: keeper.name }, 'Storage deleted');
    return finish(volume, keeper, signal);
  };

  const finish = async (
    { metadata }: PersistentVolume,
    keeper: OurKeeper,
    signal: AbortSignal,
  ): Promise<ReconcileResult> => {
    const { name, uid } = metadata;
    const { reclaimingSince = clock.now() } = memories.peek(uid) ?? {};
    const volume = await find(persistentVolumes, { name }, signal);
    if (volume?.metadata.uid !== uid) {
      return { kind: 'done' };
    }
    if (!isTerminating(volume)) {
      try {
        await client.delete(persistentVolumes, { name }, { preconditions: { uid }, signal });
      } catch (error) {
        if (isConflict(error)) {
          return { kind: 'lookAgain', reason: error.message };
        }
        if (!isNotFound(error)) {
          throw error;
        }
      }
    }
    const ours = [keeper.finalizer, keeper.stale];
    const held = (volume.metadata.finalizers ?? []).filter((finalizer) => ours.includes(finalizer));
    if (held.length === 0) {
      return { kind: 'done' };
    }
    const result = await patchFinalizers(volume, [], held, signal);
    if (result.kind === 'changed') {
      return result.answer;
    }
    metrics.operationDone(keeper.name, (clock.now() - reclaimingSince) / 1000);
    events.record(persistentVolumes, volume, {
      type: 'Normal',
      reason: 'VolumeReclaimed',
      action: 'Delete',
      note: `${keeper.name} has deleted the storage of the volume`,
    });
    logger.info({ volume: name, plugin: keeper.name, reason: 'StorageDeleted' }, 'Volume reclaimed');
    return { kind: 'done' };
  };

  const carryOut = async (
    decision: Exclude<Decision, { kind: 'askServer' }>,
    key: ObjectKey,
    signal: AbortSignal,
  ): Promise<ReconcileResult> => {
    switch (decision.kind) {
      case 'none':
        logger.debug({ key, reason: decision.reason }, 'Nothing to do');
        return { kind: 'done' };
      case 'postpone':
        logger.info({ volume: key, reason: decision.reason, by: decision.by }, 'Reclaim postponed');
        return decision.source === 'cache' ? { kind: 'done' } : { kind: 'requeueAfter', delay: unseenDelay };
      case 'changeFinalizers':
        return changeFinalizers(decision, signal);
      case 'warnOfLeak':
        return warnOfLeak(decision.volume);
      case 'reclaim':
        return reclaim(decision.volume, decision.keeper, signal);
      case 'finish':
        return finish(decision.volume, decision.keeper, signal);
    }
  };

  return async (key: ObjectKey, _batch: unknown, signal: AbortSignal): Promise<ReconcileResult> => {
    const cached = volumes.get(key);
    if (cached !== undefined) {
      const { writtenVersion } = memories.peek(cached.metadata.uid) ?? {};
      if (writtenVersion !== undefined && isOlderVersion(cached.metadata.resourceVersion, writtenVersion)) {
        // What we wrote ourselves is still to come, and will wake the volume.
        return { kind: 'done' };
      }
    }
    const decision = decide(fromCache(cached));
    if (decision.kind !== 'askServer') {
      return carryOut(decision, key, signal);
    }
    const wait = memories.wait(decision.volume.metadata.uid);
    if (wait > 0) {
      return { kind: 'requeueAfter', delay: wait };
    }
    const answer = decide(await fromServer(decision.volume, signal));
    if (answer.kind === 'askServer') {
      throw new Error(`volume ${key}: the API server was asked, and is to be asked again`);
    }
    return carryOut(answer, key, signal);
  };
}

function claimRefOf(spec: PersistentVolume['spec']): { readonly namespace: string; readonly name: string } {
  const { namespace = '', name = '' } = spec?.claimRef ?? {};
  return { namespace, name };
}

/** Whether the storage must stay for the sake of this volume. */
function needsStorage({ spec }: PersistentVolume, claimUid: string | undefined): boolean {
  const uid = spec?.claimRef?.uid ?? '';
  return spec?.persistentVolumeReclaimPolicy !== 'Delete' || uid === '' || uid === claimUid;
}
