import { afterEach } from '@jest/globals';
import type { FaultMatch, FaultPlan } from '@holdfast/testing';

/** Requests that the API server has received and does not answer. */
export interface HangingWrites {
  /** The number of such requests so far. */
  readonly count: number;
}

/**
 * Lets requests hang, like those of a namespace whose admission webhook is slow. They are answered when the
 * test is over. Call this before `useFaultScenes`, whose scenes wait for their last request.
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
