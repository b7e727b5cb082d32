import {
  storageClasses,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type StorageClass,
} from '@holdfast/core';
import { find, type ApiClient, type RequestOptions, type Store, type Tenure } from '@holdfast/runtime';
import type { UndoFacts } from '../decide/snapshot.ts';
import { undoMarkOf } from '../decide/undo-mark.ts';
import { mayBeGivenBack } from '../decide/undo-window.ts';
import { classOf } from '../provisioner-secret.ts';
import { slimClass } from '../slim.ts';
import { undoFactsOf } from './undo-facts.ts';
import { windowRequestOf, type WindowRequest } from './window-request.ts';

/** What the undo windows of volumes depend on, apart from the volumes themselves. */
export interface UndoWindows {
  /** Returns the window that a volume asks for, according to the cache. */
  request(volume: PersistentVolume): WindowRequest;
  /**
   * Returns the facts according to the cache; with the gate off, without looking at the class.
   *
   * @param claim the claim with the namespace and name in the volume's `claimRef`.
   * @returns undefined if the volume has neither a window nor a mark.
   */
  cached(volume: PersistentVolume, claim: PersistentVolumeClaim | undefined): UndoFacts | undefined;
  /** Opens a look that reads each class from the API server once, and the lease at most once. */
  openLook(): LiveUndoWindows;
}

/** One look at the undo windows of some volumes. Both functions throw what the client throws. */
export interface LiveUndoWindows {
  /** Returns the same as {@link UndoWindows.cached}, with the class as the API server has it. */
  facts(
    volume: PersistentVolume,
    claim: PersistentVolumeClaim | undefined,
    options: RequestOptions,
  ): Promise<UndoFacts | undefined>;
  /**
   * Returns these facts by the lease as the API server has it now, if the volume's window is over without it. Must be
   * called before that counts, and not before all volumes of this look have been read: a volume that was read later
   * can come from a backup that was restored since the lease was read.
   */
  confirmed(
    volume: PersistentVolume,
    facts: UndoFacts | undefined,
    options: RequestOptions,
  ): Promise<UndoFacts | undefined>;
}

export interface UndoWindowsOptions {
  /** Whether gate ReclaimGracePeriod is on. */
  readonly enabled: boolean;
  readonly client: Pick<ApiClient, 'get'>;
  /** Empty if the gate is off. */
  readonly classes: Pick<Store<StorageClass>, 'get'>;
  /** This machine's wall clock. */
  readonly now: () => Date;
  /** Returns the API server's time; undefined if it is not known. */
  readonly serverTime: () => Date | undefined;
  readonly tenure: Pick<Tenure, 'nothingDueBefore' | 'askNothingDueBefore'>;
  /** Receives what each volume asks for that is looked at live. */
  readonly onLiveRequest: (volume: PersistentVolume, request: WindowRequest) => void;
}

export function createUndoWindows(options: UndoWindowsOptions): UndoWindows {
  const { enabled, client, classes, now, serverTime, tenure, onLiveRequest } = options;

  const factsOf = (
    volume: PersistentVolume,
    claim: PersistentVolumeClaim | undefined,
    request: WindowRequest,
  ): UndoFacts | undefined =>
    undoFactsOf(volume, claim, request, {
      enabled,
      now: now().getTime(),
      serverNow: serverTime()?.getTime(),
      noneOverBefore: tenure.nothingDueBefore(),
    });
  const cachedRequest = (volume: PersistentVolume): WindowRequest => {
    const className = classOf(volume);
    return windowRequestOf(volume, className === '' ? undefined : classes.get(className), enabled);
  };

  return {
    request: cachedRequest,
    cached: (volume, claim) => factsOf(volume, claim, cachedRequest(volume)),
    openLook: () => {
      const asked = new Map<string, Promise<StorageClass | undefined>>();
      const classOnce = (name: string, options: RequestOptions): Promise<StorageClass | undefined> => {
        const found =
          asked.get(name) ?? find(client, storageClasses, { name }, { ...options, projection: slimClass });
        asked.set(name, found);
        return found;
      };
      let byLease: Promise<number | undefined> | undefined;
      return {
        facts: async (volume, claim, options) => {
          const name = classOf(volume);
          const storageClass = name === '' ? undefined : await classOnce(name, options);
          const request = windowRequestOf(volume, storageClass, enabled);
          onLiveRequest(volume, request);
          return factsOf(volume, claim, request);
        },
        confirmed: async (volume, facts, { signal = new AbortController().signal }) => {
          const isGivenBack = facts?.askedBack === true && mayBeGivenBack(volume);
          if (facts === undefined || isGivenBack || !isDue(volume, facts)) {
            return facts;
          }
          byLease ??= tenure.askNothingDueBefore(signal);
          return { ...facts, noneOverBefore: await byLease };
        },
      };
    },
  };
}

/** Returns whether the time of the volume's mark has passed by both clocks, so that its storage might go. */
function isDue(volume: PersistentVolume, { now, serverNow = now }: UndoFacts): boolean {
  const mark = undoMarkOf(volume);
  return mark?.kind === 'valid' && mark.due <= Math.min(now, serverNow);
}
