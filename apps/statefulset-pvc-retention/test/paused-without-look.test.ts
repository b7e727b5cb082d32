import { expect, test } from '@jest/globals';
import { statefulSets } from '@holdfast/core';
import { ApiError } from '@holdfast/runtime';
import { createFakeClock } from '@holdfast/testing/fake-clock';
import { createReconcile } from '../src/reconcile.ts';
import { caches, pod, policy, set } from './caches.ts';
import { silent, unexpected } from './silent-parts.ts';
import { claim, toPod, toSet } from './snapshots.ts';

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
    ...silent,
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
