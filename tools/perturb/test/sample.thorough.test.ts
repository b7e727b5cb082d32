import { expect, test } from '@jest/globals';
import {
  describePerturbation,
  learn,
  perturbationsOf,
  play,
  type PerturbationKind,
} from '@holdfast/testing/perturbation';
import { apps } from '../src/apps.ts';

/*
 * `npm run perturb` plays all there is, in minutes. This is a sample, the same each time: that each app's bundle, its
 * scenarios and the runner fit together, and hold.
 */

const kinds: readonly PerturbationKind[] = [
  'crash-after-write',
  'stale-restart',
  'event-hidden',
  'reset-after',
];

test.concurrent.each(apps.map(({ name }) => name))(
  '%s, perturbed once in each of four ways -> every state is safe, the end is the same',
  async (name) => {
    const app = apps.find((each) => each.name === name);
    const scenario = app?.scenarios[0];
    if (app === undefined || scenario === undefined) {
      throw new Error(`${name} has no scenario`);
    }
    const operator = app.operator(undefined);
    const { ends, ...learned } = await learn(operator, scenario);
    const all = perturbationsOf(learned);
    for (const kind of kinds) {
      const ofKind = all.filter((each) => each.kind === kind);
      const perturbation = ofKind[Math.floor(ofKind.length / 2)];
      expect(perturbation).toBeDefined();
      const perturbations = perturbation === undefined ? [] : [perturbation];
      const { outcome, problem, trace } = await play({ operator, scenario, perturbations, ends });
      expect({
        perturbation: perturbations.map(describePerturbation),
        outcome,
        problem,
        trace: outcome === 'held' ? [] : trace,
      }).toEqual({
        perturbation: perturbations.map(describePerturbation),
        outcome: 'held',
        problem: '',
        trace: [],
      });
    }
  },
  120_000,
);
