import { describe } from '@jest/globals';
import { setDeletionWindowPlan } from './set-deletion-window-plan.ts';
import { useStandInStage } from './stock-stage.ts';
import { undoWindowPlan } from './undo-window-plan.ts';

/* On the embedded server; `undo-window-plan.real.test.ts` plays the same on real ones. */

describe('undo windows, stock controller with retention true', () => {
  const stage = useStandInStage(true);

  undoWindowPlan(stage, true);
  setDeletionWindowPlan(stage, true);
});

// Where the policy is in annotations, the stock controller has nothing to carry out: a thorough test plays all the
// others beside this one.
describe('undo windows, stock controller with retention false', () => {
  setDeletionWindowPlan(useStandInStage(false), false, 'field');
});
