import { beforeAll, describe } from '@jest/globals';
import { kepTestPlan } from './kep-test-plan.ts';
import { evenPolicies } from './policies.ts';
import { useStandInStage } from './stock-stage.ts';

/** With the policies that kep-test-plan.test.ts leaves out. */
describe('KEP-1847 test plan, stand-ins on the embedded API server', () => {
  const stage = useStandInStage(false);

  beforeAll(async () => {
    await stage().startController({});
  });

  kepTestPlan(stage, 'field', true, evenPolicies);
});
