import { describe } from '@jest/globals';
import { setDeletionWindowPlan } from './set-deletion-window-plan.ts';
import { useStandInStage } from './stock-stage.ts';
import { undoWindowPlan } from './undo-window-plan.ts';

/** On the embedded server; `undo-window-plan.real.test.ts` plays the same on real ones. */
describe.each([{ retention: true }, { retention: false }])(
  'undo windows, stock controller with retention $retention',
  ({ retention }) => {
    const stage = useStandInStage(retention);

    undoWindowPlan(stage, retention);
    setDeletionWindowPlan(stage, retention);
  },
);
