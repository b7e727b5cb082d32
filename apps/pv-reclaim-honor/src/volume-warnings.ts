import { persistentVolumes, type PersistentVolume } from '@holdfast/core';
import {
  quoted,
  type Clock,
  type EventRecorder,
  type EventText,
  type ReconcileResult,
} from '@holdfast/runtime';
import type { Logger } from 'pino';
import type { LeakWarning, Postponement, StuckWarning } from './decide/decision.ts';
import { ownHolds } from './decide/held-by.ts';
import type { Metrics } from './metrics.ts';
import { inTreePluginOf } from './volume-source.ts';

/** What the deletion of a volume depends on could not be asked for: the API server does not say it, or not readably. */
export interface LookFailure {
  readonly kind: 'lookFailed';
  readonly volume: PersistentVolume;
  readonly reason: 'LookFailed';
  readonly why: string;
}

type Warning = LeakWarning | StuckWarning | Postponement | LookFailure;

/** Since when a problem exists, or that it was reported. */
interface Problem extends Pick<Warning, 'kind' | 'reason'> {
  readonly since: number | 'warned';
}

/**
 * Warns about volumes whose storage might be left behind, each once in the life of this process, and about
 * those whose deletion waits for something for long, once for each wait.
 */
export interface VolumeWarnings {
  /** Warns about a volume if the same problem lasts for its grace time. Until then it might end by itself. */
  warn(warning: Warning): ReconcileResult;
  /** Notes that the volume waits for nothing now: a claim might get it back, and release it much later. */
  goesOn(uid: string): void;
  forget(uid: string): void;
}

export interface VolumeWarningsOptions {
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn'>;
  readonly metrics: Pick<Metrics, 'leakRisk'>;
  readonly events: Pick<EventRecorder, 'record'>;
}

/** How long a wait is before it is worth a warning, in milliseconds: detaching alone takes minutes. */
const longWait = 300_000;

/**
 * How long a warning is held back, in milliseconds. A terminating volume without a finalizer might be about
 * to go, and a keeper that is away might return, or be in another process.
 */
const grace: Readonly<Record<Warning['reason'], number>> = {
  TerminatingUnheld: 5_000,
  NobodyCanDelete: 5_000,
  PolicyUnknown: 5_000,
  KeeperAway: longWait,
  DriverAway: longWait,
  Attached: longWait,
  StorageShared: longWait,
  ClaimLives: longWait,
  ClaimBound: longWait,
  BoundElsewhere: longWait,
  LookFailed: longWait,
  ClaimsUnlisted: longWait,
};

export function createVolumeWarnings({
  clock,
  logger,
  metrics,
  events,
}: VolumeWarningsOptions): VolumeWarnings {
  /** The problem of a volume that the last look showed, by UID. */
  const known = new Map<string, Problem>();
  /**
   * Looks at a volume that have failed since one succeeded, by UID. A failed look does not show that what the last
   * one showed is over.
   */
  const failing = new Map<string, Problem>();

  return {
    warn: (warning) => {
      const { volume, kind, reason } = warning;
      const { name, uid } = volume.metadata;
      const problems = kind === 'lookFailed' ? failing : known;
      if (problems === known) {
        failing.delete(uid);
      }
      const before = problems.get(uid);
      const since = before?.reason === reason ? before.since : clock.now();
      if (since === 'warned') {
        return { kind: 'done' };
      }
      const left = since + grace[reason] - clock.now();
      if (left > 0) {
        problems.set(uid, { kind, reason, since });
        return { kind: 'requeueAfter', delay: left };
      }
      problems.set(uid, { kind, reason, since: 'warned' });
      events.record(persistentVolumes, volume, { type: 'Warning', ...textOf(warning) });
      if (warning.kind === 'warnOfLeak') {
        metrics.leakRisk();
        logger.warn({ volume: name, reason }, 'Volume may leak');
      } else if (warning.kind === 'lookFailed') {
        logger.warn({ volume: name, reason, problem: warning.why }, 'Volume waits for a look');
      } else if (warning.kind === 'postpone') {
        logger.warn({ volume: name, reason, by: warning.by }, 'Reclaim postponed for long');
      } else if (warning.reason === 'KeeperAway' || warning.reason === 'DriverAway') {
        logger.warn({ volume: name, reason, plugin: warning.keeper.name }, 'Volume waits for its driver');
      } else {
        logger.warn({ volume: name, reason, held: warning.held }, 'Volume waits for a policy');
      }
      return { kind: 'done' };
    },
    goesOn: (uid) => {
      failing.delete(uid);
      if (known.get(uid)?.kind !== 'warnOfLeak') {
        known.delete(uid);
      }
    },
    forget: (uid) => {
      failing.delete(uid);
      known.delete(uid);
    },
  };
}

function textOf(warning: Warning): Pick<EventText, 'reason' | 'action' | 'note'> {
  switch (warning.reason) {
    case 'TerminatingUnheld':
      return {
        reason: 'VolumeMayLeak',
        action: 'Hold',
        note: 'The volume was deleted before it was held by a finalizer, and none can be added any more: its storage may be left behind',
      };
    case 'NobodyCanDelete':
      return {
        reason: 'VolumeMayLeak',
        action: 'Hold',
        note: `Nothing deletes the storage of static volumes of ${inTreePluginOf(warning.volume) ?? 'this kind'}: the volume is not held, its policy Delete has no effect, and its storage is left behind`,
      };
    case 'PolicyUnknown': {
      const { persistentVolumeReclaimPolicy: policy } = warning.volume.spec ?? {};
      return {
        reason: 'VolumeFailedDelete',
        action: 'Delete',
        note: `The volume is held by ${warning.held.join(', ')}, since its persistentVolumeReclaimPolicy is ${policy === undefined ? 'missing' : quoted(policy)}: set it to Delete to have the storage deleted, or to Retain, which takes the finalizer off and leaves the storage behind`,
      };
    }
    case 'DriverAway':
      return waiting(
        `CSI driver ${warning.keeper.name} is not connected any more. It is called when it is connected again; if it does not come back, give the volume the policy Retain, which takes the finalizer off and leaves the storage behind`,
      );
    case 'Attached':
      return waiting(
        `the volume is attached to ${warning.by.join(', ')}. If that node is gone, delete the VolumeAttachment`,
      );
    case 'StorageShared':
      return waiting(`its storage, or a part of it, is needed by ${warning.by.join(', ')}`);
    case 'ClaimLives':
      return waiting(
        `the claim with the UID in its claimRef (${warning.by.join()}) exists. If claimRef was changed by hand, set its namespace and name to those of that claim`,
      );
    case 'ClaimBound':
      return waiting(
        `the claim that its claimRef names says that it is bound to the volume, although its UID (${warning.by.join()}) is not the one in claimRef. If claimRef was changed by hand, set its uid to that one; if the storage may go, delete the claim`,
      );
    case 'BoundElsewhere':
      return waiting(
        `claim ${warning.by.join()} says that it is bound to the volume, although claimRef names another one. If claimRef was changed by hand, set its namespace, name and uid to those of that claim; if the storage may go, delete the claim`,
      );
    case 'LookFailed':
      return waiting(`what it depends on can not be read: ${warning.why}`);
    case 'ClaimsUnlisted':
      return waiting(
        `the claims of namespace ${warning.by.join()} could not be listed yet, and one of them might be bound to the volume`,
      );
    case 'KeeperAway': {
      const { volume, keeper } = warning;
      const held = ownHolds(volume, keeper.csiFinalizer).join(', ');
      return {
        reason: 'VolumeFailedDelete',
        action: 'Delete',
        note: `The volume is held by ${held}, and what deletes it (${keeper.name}) is not here: start pv-reclaim-honor with its --csi-address or --host-path-root; or give the volume the policy Retain, which takes the finalizer off and leaves the storage behind`,
      };
    }
  }
}

function waiting(why: string): Pick<EventText, 'reason' | 'action' | 'note'> {
  return {
    reason: 'VolumeFailedDelete',
    action: 'Delete',
    note: `The deletion of the storage has waited for ${String(longWait / 60_000)} min: ${why}`,
  };
}
