import { beforeAll, describe } from '@jest/globals';
import type { StagedController } from '@holdfast/scenario';
import { givesWay } from './gives-way.ts';
import { evenPolicies } from './policies.ts';
import { useStandInStage } from './stock-stage.ts';

/* With the policies that gives-way.test.ts leaves out. */

describe('beside a stock controller that has the feature', () => {
  const stage = useStandInStage(true);
  let ours: StagedController;

  beforeAll(async () => {
    ours = await stage().startController({ yieldToStockController: true });
  });

  givesWay(stage, () => ours, evenPolicies);
});
