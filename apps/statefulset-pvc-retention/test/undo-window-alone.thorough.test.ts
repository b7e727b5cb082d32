import { describe } from '@jest/globals';
import { setDeletionWindowPlan } from './set-deletion-window-plan.ts';
import { useStandInStage } from './stock-stage.ts';
import { undoWindowPlan } from './undo-window-plan.ts';

describe('undo windows, stock controller with retention false', () => {
  const stage = useStandInStage(false);

  undoWindowPlan(stage, false);
  setDeletionWindowPlan(stage, false);
});
