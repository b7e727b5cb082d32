import { expect, test } from '@jest/globals';
import { statefulSets } from '@holdfast/core';
import { createFakeClock } from '@holdfast/testing/fake-clock';
import { createReconcile, type ReconcileOptions } from '../src/reconcile.ts';
import { caches, policy, set } from './caches.ts';
import { silent, unexpected } from './silent-parts.ts';
import { claim } from './snapshots.ts';

test('reference added without an answer, and each write that confirms it hangs for 30 s -> given up within two minutes, the claim stays held', async () => {
  const clock = createFakeClock();
  const began = clock.now();
  const data = claim();
  const { view } = caches({ sets: [set(policy('Delete', 'Retain'))], claims: [data] });
  const owner = view.workload(statefulSets, 'ns/web');
  if (owner === undefined) {
    throw new Error('the set is in the cache');
  }
  const facts = view.snapshot(owner, data).workload;
  const operations: string[] = [];
  const options: ReconcileOptions = {
    view,
    look: {
      ask: () =>
        Promise.resolve({
          of: () => ({ workload: facts, pod: 'notAsked', inUse: 'notAsked', rival: 'notAsked' }),
          noneOverBefore: undefined,
          look: { lookedAt: clock.now(), maxAge: 2_000 },
        }),
      workload: () => Promise.resolve(() => facts),
      controllingPod: unexpected,
      endOf: unexpected,
    },
    writer: {
      setOwners: async ({ operation }) => {
        operations.push(operation);
        await clock.advance(30_000);
        return { kind: 'failed', error: new Error('no answer') };
      },
      annotate: unexpected,
      delete: unexpected,
    },
    ...silent,
    foughtOver: { wait: () => 0, sent: () => undefined, forget: () => undefined },
    clock,
  };
  const reconciling = createReconcile(options).workload(owner, new AbortController().signal);
  let hasEnded = false as boolean;
  const ended = reconciling.then((result) => {
    hasEnded = true;
    return result;
  });
  while (!hasEnded) {
    await clock.advance(100);
  }
  expect(await ended).toMatchObject({ kind: 'failed', delay: 30_000 });
  expect(clock.now() - began).toBeLessThanOrEqual(120_000);
  expect(new Set(operations)).toEqual(new Set(['add', 'confirm']));
});
