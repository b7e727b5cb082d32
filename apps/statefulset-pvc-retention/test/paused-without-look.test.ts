import { expect, test } from '@jest/globals';
import { statefulSets } from '@holdfast/core';
import { ApiError } from '@holdfast/runtime';
import { createFakeClock } from '@holdfast/testing/fake-clock';
import { createReconcile } from '../src/reconcile.ts';
import { caches, pod, policy, set } from './caches.ts';
import { claim, toPod, toSet } from './snapshots.ts';

const unexpected = (): never => {
  throw new Error('not expected');
};

test('ordinal is wanted again, no look is allowed, and the removal of the pod waits since another client undoes it -> tried when the pause ends', async () => {
  const { view } = caches({
    sets: [set(policy('Delete', 'Delete'))],
    claims: [claim([toPod()])],
    pods: [pod([toSet()])],
  });
  const owner = view.workload(statefulSets, 'ns/web');
  if (owner === undefined) {
    throw new Error('the set is in the cache');
  }
  const forbidden = new ApiError('GET /', 403, { reason: 'Forbidden' });
  const waited: string[] = [];
  const reconcile = createReconcile({
    view,
    look: {
      ask: () => Promise.reject(forbidden),
      workload: unexpected,
      controllingPod: unexpected,
      endOf: unexpected,
    },
    writer: { setOwners: unexpected, annotate: unexpected, delete: unexpected },
    notices: {
      hasNews: () => false,
      kept: unexpected,
      warned: unexpected,
      willBeDeleted: unexpected,
      willGoWithWorkload: unexpected,
      left: unexpected,
      forget: unexpected,
    },
    stock: {
      known: 'absent',
      isSuspected: false,
      leftOf: () => undefined,
      sawItAtWork: unexpected,
      sawItLeaveUndone: unexpected,
      leave: unexpected,
      forget: () => undefined,
    },
    foughtOver: {
      wait: (decision) => {
        waited.push(decision.kind === 'setOwners' ? decision.operation : decision.kind);
        return 2_000;
      },
      sent: unexpected,
      forget: unexpected,
    },
    clock: createFakeClock(),
  });
  const result = await reconcile.workload(owner, new AbortController().signal);
  expect(result).toEqual({ kind: 'failed', error: forbidden, delay: 2_000 });
  expect(waited).toEqual(['remove']);
});
