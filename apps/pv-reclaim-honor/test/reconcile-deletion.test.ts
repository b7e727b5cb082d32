import { expect, test } from '@jest/globals';
import { pino } from 'pino';
import type { Snapshot } from '../src/decide/snapshot.ts';
import { createDeletionReconcile } from '../src/reconcile-deletion.ts';
import { csiFinalizer, volume } from './objects.ts';

const noon = Date.parse('2026-01-01T12:00:00Z');
const hour = 3_600_000;
const released = volume({
  finalizers: [csiFinalizer],
  claimUid: 'c',
  phase: 'Released',
  annotations: {
    'holdfast.dev/delete-after': new Date(noon).toISOString(),
    'holdfast.dev/delete-after-uid': 'uid-of-pv',
    'holdfast.dev/delete-after-claim-uid': 'c',
  },
});

const unexpected = (): never => {
  throw new Error('the API server or a driver was asked');
};

test('S4: undo window was over when the volume was handed over, and is open again by a clock that was set back -> looked at again when it is over', async () => {
  const reconcile = createDeletionReconcile({
    volumes: { get: () => released },
    observeInCache: () => ({
      source: 'cache',
      volume: released,
      claimUid: undefined,
      attachedTo: [],
      sharedWith: [],
      undo: { enabled: true, grace: hour, askedBack: false, now: noon, serverNow: noon - 60_000 },
    }),
    observeOnServer: unexpected,
    takeSnapshot: (observation): Snapshot => ({
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
    isReady: () => true,
    progress: { wait: () => 0, lookAge: unexpected },
    deleter: { prepare: unexpected },
    reclaimer: { reclaim: unexpected, finish: unexpected, refuse: unexpected },
    writeUndo: unexpected,
    inTreeTogether: unexpected,
    logger: pino({ level: 'silent' }),
  });
  expect(await reconcile('csi.example.com', 'pv', new AbortController().signal)).toEqual({
    kind: 'requeueAfter',
    delay: 60_000,
  });
});
