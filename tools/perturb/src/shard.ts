import { learn, play } from '@holdfast/testing/perturbation';
import { findScenario } from './apps.ts';
import type { Answer, Job, Order } from './job.ts';

/* A process that plays the runs that it is sent. It is started by shards.ts. */

async function carryOut(job: Job): Promise<Extract<Answer, { readonly result: unknown }>['result']> {
  const [app, scenario] = findScenario(job.app, job.scenario);
  const operator = app.operator(job.bundle);
  switch (job.kind) {
    case 'learn':
      return learn(operator, scenario);
    case 'play': {
      const { perturbations, ends } = job;
      const { outcome, problem, isReached, ownEnds, trace } = await play({
        operator,
        scenario,
        perturbations,
        ends,
      });
      return { outcome, problem, isReached, ownEnds, trace: outcome === 'held' ? [] : trace };
    }
  }
}

async function answer({ id, job }: Order): Promise<Answer> {
  try {
    return { id, result: await carryOut(job) };
  } catch (error) {
    return { id, error: error instanceof Error ? error.message : String(error) };
  }
}

process.on('message', (order: Order) => {
  void answer(order).then((result) => process.send?.(result));
});
// Ctrl-C signals all processes of the terminal; the runner ends the shards when their runs are over.
process.on('SIGINT', () => undefined);
// The runner is gone: the guards end the worlds and processes.
process.on('disconnect', () => process.exit()).on('error', () => process.exit());
