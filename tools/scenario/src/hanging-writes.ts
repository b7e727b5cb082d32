import { afterEach } from '@jest/globals';
import type { FaultMatch, FaultPlan } from '@holdfast/testing';

/** Requests that the API server has taken, and does not answer. */
export interface HangingWrites {
  /** Those that were sent so far. */
  readonly count: number;
}

/**
 * Lets requests hang, as those of a namespace do whose admission webhook is slow. They are answered when the test is over: to be called
 * before `useFaultScenes`, whose scenes end with their last request.
 */
export function useHangingWrites(): (plan: FaultPlan, match: FaultMatch) => HangingWrites {
  let over = Promise.withResolvers<undefined>();
  afterEach(() => {
    over.resolve(undefined);
    over = Promise.withResolvers();
  });
  return (plan, match) => {
    const { promise } = over;
    const fault = { kind: 'call', run: () => promise } as const;
    plan.on(match, fault);
    return {
      get count() {
        return plan.injected.filter((hit) => hit.fault === fault).length;
      },
    };
  };
}
