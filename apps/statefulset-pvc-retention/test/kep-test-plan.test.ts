import { beforeAll, describe } from '@jest/globals';
import { kepTestPlan } from './kep-test-plan.ts';
import { mixedPolicies } from './policies.ts';
import { useStandInStage } from './stock-stage.ts';

/** On the embedded server; `kep-test-plan.real.test.ts` plays the same on real ones, with all policies. */
describe('KEP-1847 test plan, stand-ins on the embedded API server', () => {
  const stage = useStandInStage(false);

  beforeAll(async () => {
    await stage().startController({});
  });

  kepTestPlan(stage, 'field', true, mixedPolicies);
});
