import type { PersistentVolumeClaim } from '@holdfast/core';
import type { Clock } from '@holdfast/runtime';
import type { Logger } from 'pino';
import type { Left, StockController } from './decide/snapshot.ts';

/**
 * What this process has learned about the stock controller, and what it has left to it.
 *
 * | known     | seen                                              | known then                   |
 * |-----------|---------------------------------------------------|------------------------------|
 * | any       | it wrote the reference that a claim should have   | at work                      |
 * | unknown   | it left undone what it would have done            | absent                       |
 * | at work   | the same, for much longer                         | unknown                      |
 * | absent    | an hour has passed                                | unknown: it is tried again   |
 *
 * It is kept in memory only: a new process or leader learns it again.
 */
export interface StockWatch {
  readonly known: StockController;
  /** Whether it is at work, or was never seen to leave anything undone. */
  readonly isSuspected: boolean;
  sawItAtWork(): void;
  sawItLeaveUndone(): void;
  /** Returns what is left to it for this claim; undefined if nothing is. */
  leftOf(claim: PersistentVolumeClaim): Left | undefined;
  /** Leaves this to it from now on, unless it already is. */
  leave(claim: PersistentVolumeClaim, wanted: string): void;
  /** Call when the claim is as it should be, or gone. */
  forget(claim: PersistentVolumeClaim): void;
}

/**
 * How long it is considered absent, in milliseconds: its gate might be turned on, or kube-controller-manager
 * upgraded.
 */
const absence = 3_600_000;

export interface StockWatchOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Whether anything is left to it. Otherwise it is considered absent forever. */
  readonly yields: boolean;
}

export function createStockWatch({ clock, logger, yields }: StockWatchOptions): StockWatch {
  const leftByClaim = new Map<string, { readonly wanted: string; readonly since: number }>();
  let knowledge: StockController = yields ? 'unknown' : 'absent';
  let learned = clock.now();
  let isSuspected = yields;

  const learn = (news: StockController): void => {
    if (!yields) {
      return;
    }
    learned = clock.now();
    isSuspected = news === 'unknown' ? isSuspected : news === 'atWork';
    if (news !== knowledge) {
      knowledge = news;
      logger.info({ stockController: news }, 'Learned whether the stock controller retains claims');
    }
  };
  const current = (): StockController => {
    if (yields && knowledge === 'absent' && clock.now() - learned >= absence) {
      learn('unknown');
    }
    return knowledge;
  };

  return {
    get known() {
      return current();
    },
    get isSuspected() {
      return isSuspected;
    },
    sawItAtWork: () => learn('atWork'),
    sawItLeaveUndone: () => learn(current() === 'atWork' ? 'unknown' : 'absent'),
    leftOf: ({ metadata }) => {
      const left = leftByClaim.get(metadata.uid);
      return left && { wanted: left.wanted, for: clock.now() - left.since };
    },
    leave: ({ metadata }, wanted) => {
      if (leftByClaim.get(metadata.uid)?.wanted !== wanted) {
        leftByClaim.set(metadata.uid, { wanted, since: clock.now() });
      }
    },
    forget: ({ metadata }) => {
      leftByClaim.delete(metadata.uid);
    },
  };
}
