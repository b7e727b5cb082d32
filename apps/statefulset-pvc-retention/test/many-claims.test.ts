import { expect, test } from '@jest/globals';
import type { PersistentVolumeClaim } from '@holdfast/core';
import { ApiError, openLook, type ReconcileResult, type Written } from '@holdfast/runtime';
import { createFakeClock } from '@holdfast/testing/fake-clock';
import type { ClaimWriter } from '../src/claim-writer.ts';
import type { OwnersDecision } from '../src/decide/decision.ts';
import type { Snapshot } from '../src/decide/snapshot.ts';
import type { LiveLook } from '../src/live-look.ts';
import { createReconcile } from '../src/reconcile.ts';
import { createStockWatch } from '../src/stock-watch.ts';
import type { KindedWorkload, View } from '../src/view.ts';
import { agreeing, claim, facts, snapshot } from './snapshots.ts';
import { workloadsFlag } from '../src/workloads-flag.ts';

/* A set that has more claims to be written than share a live look. */

/** What becomes of the write for a claim. */
type Answer = (claim: PersistentVolumeClaim) => Written<PersistentVolumeClaim>;

/** A scale-down of a whole set: each claim is to be given its pod's reference. */
function scaleDown(claims: number, answer: Answer) {
  const snapshots = new Map<string, Snapshot>();
  for (let ordinal = 0; ordinal < claims; ordinal++) {
    const { metadata } = claim([], { uid: `uid-of-claim-${String(ordinal)}` });
    const name = `data-web-${String(ordinal)}`;
    snapshots.set(
      name,
      snapshot({
        claim: { metadata: { ...metadata, name } },
        podName: `web-${String(ordinal)}`,
        pod: { uid: `uid-of-web-${String(ordinal)}`, ofWorkload: true },
        workload: facts({ whenScaled: 'Delete', wanted: false }),
      }),
    );
  }
  const of = ({ metadata: { name } }: PersistentVolumeClaim): Snapshot => {
    const found = snapshots.get(name);
    if (found === undefined) {
      throw new Error(`there is no claim ${name}`);
    }
    return found;
  };
  const look: Pick<LiveLook, 'ask' | 'workload'> = {
    ask: () => Promise.resolve({ of: (each) => agreeing(of(each)), look: openLook() }),
    workload: () => Promise.resolve((each) => of(each).workload),
  };
  const setOwners = (decision: OwnersDecision): Promise<Written<PersistentVolumeClaim>> => {
    const written = answer(decision.claim);
    if (written.kind === 'written') {
      const { metadata } = decision.claim;
      const owned = { metadata: { ...metadata, ownerReferences: decision.references } };
      snapshots.set(metadata.name, { ...of(decision.claim), claim: owned });
      return Promise.resolve({ kind: 'written', object: owned });
    }
    return Promise.resolve(written);
  };
  const clock = createFakeClock();
  const view: Pick<View, 'claimsOf' | 'snapshot'> = {
    claimsOf: () => [...snapshots.values()].flatMap((each) => each.claim ?? []),
    snapshot: (_owner, each) => of(each),
  };
  const reconcile = createReconcile({
    view: view as View,
    look: look as LiveLook,
    writer: { setOwners } as ClaimWriter,
    notices: {
      hasNews: () => false,
      kept: () => undefined,
      warned: () => undefined,
      willBeDeleted: () => undefined,
      willGoWithWorkload: () => undefined,
      endUnseen: () => undefined,
      forget: () => undefined,
    },
    stock: createStockWatch({ clock, logger: { info: () => undefined } as never, yields: false }),
    clock,
  });
  const [resource] = workloadsFlag.schema.parse('apps/v1/StatefulSet');
  const owner = {
    resource,
    workload: { metadata: { namespace: 'ns', name: 'web', uid: 'uid-of-web', resourceVersion: '1' } },
  } as KindedWorkload;
  return {
    once: (): Promise<ReconcileResult> => reconcile.workload(owner, new AbortController().signal),
    /** How many claims have an owner. */
    owned: () =>
      view.claimsOf(owner.workload).filter(({ metadata }) => metadata.ownerReferences !== undefined).length,
  };
}

const written: Written<PersistentVolumeClaim> = { kind: 'written', object: claim() };
const forbidden = new ApiError('PATCH', 403, { code: 403, reason: 'Forbidden', message: 'a policy says no' });

test('the first 64 claims are refused for good -> the others get their owner, and the refusal is the error', async () => {
  const refused = new Set(Array.from({ length: 64 }, (_, at) => `data-web-${String(at)}`));
  const { once, owned } = scaleDown(70, ({ metadata }) =>
    refused.has(metadata.name) ? { kind: 'failed', error: forbidden } : written,
  );
  await expect(once()).rejects.toThrow(forbidden);
  expect(owned()).toBe(6);
});
