import { expect, test } from '@jest/globals';
import { pino } from 'pino';
import type { Observation } from '../src/decide/snapshot.ts';
import { createReconcile } from '../src/reconcile.ts';
import { csiFinalizer, volume } from './objects.ts';

const unexpected = (): never => {
  throw new Error('not to be called');
};

test.each<{ what: string; seen: Partial<Observation>; phase?: string; told: readonly string[] }>([
  { what: 'claim has the volume', seen: { claimUid: 'c' }, phase: 'Bound', told: ['goes on'] },
  { what: 'released and attached', seen: { attachedTo: ['node-1'] }, told: ['Attached'] },
  { what: 'released, and nothing in the way', seen: {}, told: ['handed over'] },
])('$what -> $told', async ({ seen, phase = 'Released', told }) => {
  const cached = volume({ finalizers: [csiFinalizer], claimUid: 'c', phase });
  const steps: string[] = [];
  const reconcile = createReconcile({
    volumes: { get: () => cached },
    observeInCache: () => ({
      source: 'cache',
      volume: cached,
      claimUid: undefined,
      attachedTo: [],
      claimBound: false,
      sharedWith: [],
      ...seen,
    }),
    takeSnapshot: (observation) => ({
      ...observation,
      keeper: {
        kind: 'csi',
        name: 'csi.example.com',
        finalizer: csiFinalizer,
        stale: undefined,
        canDelete: true,
      },
      storageDeleted: false,
      honor: true,
      mode: 'reclaim',
    }),
    ownWrites: { isBehind: () => false },
    changeFinalizers: unexpected,
    warnings: {
      warn: ({ reason }) => {
        steps.push(reason);
        return { kind: 'done' };
      },
      goesOn: () => steps.push('goes on'),
    },
    deletions: { add: () => steps.push('handed over') },
    settleUndo: { ask: unexpected, wait: unexpected },
    onLook: () => undefined,
    logger: pino({ level: 'silent' }),
  });
  await reconcile('pv', undefined, new AbortController().signal);
  expect(steps).toEqual(told);
});
