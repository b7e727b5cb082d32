import { finalizers, isTerminating, persistentVolumes, type PersistentVolume } from '@holdfast/core';
import {
  ApiError,
  isRefused,
  resultOfWrite,
  type EventRecorder,
  type Fights,
  type ReconcileResult,
} from '@holdfast/runtime';
import type { Logger } from 'pino';
import type { FinalizerChange } from './decide/decision.ts';
import { hostPathFinalizer } from './decide/held-by.ts';
import { statedPolicyOf } from './decide/stated-policy.ts';
import { meansDelete, reclaimPolicyAnnotation } from './decide/undo-window.ts';
import type { FinalizerWriter } from './finalizer-writer.ts';
import type { Metrics } from './metrics.ts';
import type { OwnWrites } from './own-writes.ts';
import { storageNameOf } from './storage-name.ts';

/** How long a volume is left alone that another client fights over, in milliseconds. */
export const fightPause = { first: 60_000, longest: 3_600_000 };

export interface ChangeFinalizersOptions {
  readonly writeFinalizers: FinalizerWriter;
  readonly ownWrites: Pick<OwnWrites, 'begin' | 'wrote'>;
  readonly fights: Pick<Fights, 'next' | 'wrote'>;
  /** Whether the API client sends only dry runs. */
  readonly dryRun: boolean;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  readonly metrics: Pick<Metrics, 'fight' | 'leakRisk'>;
  readonly events: Pick<EventRecorder, 'record'>;
}

/**
 * Carries out a change of finalizers. If another client undoes it again and again, it warns about that and
 * pauses. It also warns of a volume that goes with the change, while its storage stays.
 */
export function createChangeFinalizers(
  options: ChangeFinalizersOptions,
): (change: FinalizerChange, signal: AbortSignal) => Promise<ReconcileResult> {
  const { writeFinalizers, ownWrites, fights, dryRun, logger, metrics, events } = options;

  const warnOfPause = ({ volume, add, remove, reason }: FinalizerChange, pause: number): void => {
    const undone = [...add.map((each) => `adding ${each}`), ...remove.map((each) => `removing ${each}`)];
    events.record(persistentVolumes, volume, {
      type: 'Warning',
      reason: 'VolumeMayLeak',
      action: 'Hold',
      note: `Finalizers are left alone for ${String(pause / 60_000)} min: another client undoes ${undone.join(' and ')}; what is deleted meanwhile may be left behind on the storage`,
    });
    metrics.fight();
    metrics.leakRisk();
    logger.warn({ volume: volume.metadata.name, add, remove, reason, pause }, 'Fight over finalizers paused');
  };

  const warnOfLeak = ({ volume, remove, reason }: FinalizerChange, why: string): void => {
    events.record(persistentVolumes, volume, {
      type: 'Warning',
      reason: 'VolumeMayLeak',
      action: 'Hold',
      note: `The volume is being deleted, and is not held any more: ${why}. Its storage is left behind unless another provisioner deletes it: ${storageNameOf(volume)}`,
    });
    metrics.leakRisk();
    logger.warn({ volume: volume.metadata.name, remove, reason }, 'Volume may leak');
  };

  const warnOfRefusal = (volume: PersistentVolume, says: string): void =>
    events.record(persistentVolumes, volume, {
      type: 'Warning',
      reason: 'VolumeMayLeak',
      action: 'Hold',
      note: `The volume is not held, since the API server refuses that; if it is deleted before its claim, its storage may be left behind: ${says}`,
    });

  return async (change, signal) => {
    const { volume, add, remove, reason } = change;
    const { name, uid } = volume.metadata;
    const what = `${add.join()} -${remove.join()}`;
    const answer = fights.next(uid, what);
    if (answer.kind === 'pause') {
      if (answer.begins) {
        warnOfPause(change, answer.left);
      }
      return { kind: 'requeueAfter', delay: answer.left };
    }
    ownWrites.begin(uid);
    const written = await writeFinalizers(volume, change, { signal });
    if (written.kind === 'written') {
      if (!dryRun) {
        ownWrites.wrote(uid, written.object.metadata.resourceVersion);
        fights.wrote(uid, what);
        const why = whyLeftBehind(change);
        if (why !== undefined) {
          warnOfLeak(change, why);
        }
      }
      logger.info({ volume: name, add, remove, reason }, 'Finalizers changed');
    }
    if (written.kind === 'failed' && add.length > 0 && isRefusedForGood(written.error)) {
      warnOfRefusal(volume, written.error.message);
    }
    return resultOfWrite(written);
  };
}

/**
 * Returns whether the server would answer the same again: a policy forbids the write, or the object has no room for the
 * record, whose annotations are 256 KiB at most.
 */
function isRefusedForGood(error: unknown): error is ApiError {
  if (!(error instanceof ApiError)) {
    return false;
  }
  // A webhook that gives no code denies with 400, and often without a reason.
  const isOfWebhook = error.status.message?.startsWith('admission webhook "') === true;
  return [400, 403, 413, 422].includes(error.code) && (isOfWebhook || isRefused(error));
}

/**
 * Returns why the storage of a volume that is still to be deleted stays when its finalizers are removed;
 * undefined if it does not stay because of that.
 */
function whyLeftBehind({ volume, remove, reason }: FinalizerChange): string | undefined {
  const left = volume.metadata.finalizers?.filter((each) => !remove.includes(each)) ?? [];
  const isHeld =
    left.includes(finalizers.externalProvisioner) ||
    // kube-controller-manager does not wait for the folders of volumes that have a second finalizer.
    (left.includes(finalizers.pvController) && !remove.includes(hostPathFinalizer));
  const isLast = remove.length > 0 && !isHeld;
  const isMeant = statedPolicyOf(volume) === 'Delete' || meansDelete(volume);
  if (!isTerminating(volume) || !isLast || !isMeant) {
    return undefined;
  }
  if (reason === 'NeverBound') {
    // It was held, so it had a claim once, or was copied from one that had.
    return 'spec.claimRef names no claim, and a volume that no claim had is not reclaimed';
  }
  if ((volume.spec?.claimRef?.uid ?? '') === '') {
    return undefined;
  }
  switch (reason) {
    case 'GateOff':
      return 'feature gate HonorPVReclaimPolicy is off';
    case 'NobodyCanDelete':
      return 'with these flags pv-reclaim-honor does not delete volumes of its kind';
    case 'PolicyNotDelete':
      return meansDelete(volume)
        ? `${reclaimPolicyAnnotation} counts only with gate ReclaimGracePeriod and an undo window`
        : undefined;
    case 'Bound':
    case 'Migrated':
    case 'Renamed':
      return undefined;
  }
}
