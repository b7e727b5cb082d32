import { callWitness, eventually } from '@holdfast/scenario';
import { answer } from '../../src/answers/answer.ts';
import type { AssumableName } from '../../src/command-line/request.ts';
import type { Explanation } from '../../src/explain/explanation.ts';
import { record, type History, type Recorder, type State } from './history.ts';
import { clientOf } from './state-client.ts';
import { owed, type Ask, type PlannedClaim } from './verdict.ts';

/** Of the controllers of kube-controller-manager that ours stand for, none plays in the stories. */
const assume = new Map<AssumableName, boolean>([['kube-controller-manager', false]]);

/** Asks as `kubectl holdfast explain` and `plan` do, of a state in which this app runs or not. */
export function askerOf(app: string): Ask {
  const ask = async (
    state: State,
    namespace: string,
    request: Parameters<typeof answer>[1],
  ): Promise<unknown> => {
    const { object } = await answer(clientOf(app, state), request, {
      ...{ namespace, allNamespaces: false, assume, workloads: [] },
    });
    return object;
  };
  return {
    explain: async (state, of, { namespace = 'default', name }) =>
      (await ask(state, namespace, { kind: 'explain', of, name })) as Explanation,
    plan: async (state, { namespace, name }, action) => {
      const planned = await ask(state, namespace, { ...action, of: undefined, name });
      return (planned as { readonly claims: readonly PlannedClaim[] }).claims;
    },
  };
}

/** Listens to all stages on embedded control planes that are opened from now on. */
export function listen(): {
  /** What was told since this was called last. */
  taken(): readonly History[];
  dismiss(): void;
} {
  let recorders: Recorder[] = [];
  const dismiss = callWitness({
    opened: async (plane, app) => {
      const ask = askerOf(app);
      const recorder = await record(plane, app, async (state) => {
        try {
          await eventually('nothing is owed', async () => (await owed(state(), ask)).every(isDone), 5_000);
        } catch {
          // What is still owed then is named by the judge.
        }
      });
      recorders.push(recorder);
      return recorder;
    },
  });
  return {
    taken: () => {
      const histories = recorders.map((recorder) => recorder.history());
      recorders = [];
      return histories;
    },
    dismiss,
  };
}

function isDone({ words }: { readonly words: string }): boolean {
  return words === '';
}
