import { expect, test } from '@jest/globals';
import type { OwnerReference, PersistentVolumeClaim } from '@holdfast/core';
import { ApiError, openLook, type ReconcileResult, type Written } from '@holdfast/runtime';
import { createFakeClock, settled } from '@holdfast/testing/fake-clock';
import type { OwnersDecision } from '../src/decide/decision.ts';
import type { Snapshot, WorkloadFacts } from '../src/decide/snapshot.ts';
import type { LiveLook } from '../src/live-look.ts';
import { createReconcile } from '../src/reconcile.ts';
import { createStockWatch } from '../src/stock-watch.ts';
import type { KindedWorkload, View } from '../src/view.ts';
import { agreeing, claim, facts, snapshot, toPod } from './snapshots.ts';
import { workloadsFlag } from '../src/workloads-flag.ts';

/* A set that has more claims to be written than share a live look. */

/** What becomes of the write for a claim, after a look at this many. */
type Answer = (
  claim: PersistentVolumeClaim,
  looked: number,
) => Written<PersistentVolumeClaim> | Promise<Written<PersistentVolumeClaim>>;

/**
 * A scale-down of a whole set: each claim is to be given its pod's reference.
 *
 * @param mostLookedAt a look at more claims does not end before the reconcile is aborted.
 */
function scaleDown(claims: number, answer: Answer, mostLookedAt = Infinity) {
  const workload = facts({ whenScaled: 'Delete', wanted: false });
  return manyClaims(claims, answer, { workload, owners: () => [], mostLookedAt });
}

/** The set is scaled up again, and no look succeeds: each claim is to lose its pod's reference. */
function scaleUpUnseen(claims: number, answer: Answer) {
  const workload = facts({ whenScaled: 'Delete', whenDeleted: 'Delete' });
  return manyClaims(claims, answer, {
    workload,
    owners: (name) => [toPod({ name, uid: `uid-of-${name}` })],
    looksFail: true,
  });
}

interface Plot {
  readonly workload: WorkloadFacts;
  readonly owners: (podName: string) => readonly OwnerReference[];
  readonly mostLookedAt?: number;
  readonly looksFail?: boolean;
}

function manyClaims(
  claims: number,
  answer: Answer,
  { workload, owners, mostLookedAt = Infinity, looksFail = false }: Plot,
) {
  const snapshots = new Map<string, Snapshot>();
  for (let ordinal = 0; ordinal < claims; ordinal++) {
    const podName = `web-${String(ordinal)}`;
    const { metadata } = claim(owners(podName), { uid: `uid-of-claim-${String(ordinal)}` });
    const name = `data-${podName}`;
    snapshots.set(
      name,
      snapshot({
        claim: { metadata: { ...metadata, name } },
        podName,
        pod: { uid: `uid-of-${podName}`, ofWorkload: true },
        workload,
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
  let looked = 0;
  let timeout = new AbortController();
  const look: Pick<LiveLook, 'ask' | 'workload'> = {
    ask: (_owner, questions) => {
      looked = questions.length;
      if (looksFail) {
        return Promise.reject(new Error('the API server does not answer'));
      }
      if (looked > mostLookedAt) {
        timeout.abort(new Error('it took too long'));
        return Promise.reject(timeout.signal.reason as Error);
      }
      return Promise.resolve({
        of: (each) => agreeing(of(each)),
        noneOverBefore: undefined,
        look: openLook(),
      });
    },
    workload: () => Promise.resolve((each) => of(each).workload),
  };
  const setOwners = async (decision: OwnersDecision): Promise<Written<PersistentVolumeClaim>> => {
    const written = await answer(decision.claim, looked);
    if (written.kind === 'written') {
      const { metadata } = decision.claim;
      const owned = { metadata: { ...metadata, ownerReferences: decision.references } };
      snapshots.set(metadata.name, { ...of(decision.claim), claim: owned });
      return { kind: 'written', object: owned };
    }
    return written;
  };
  const clock = createFakeClock();
  const view: Pick<View, 'claimsOf' | 'snapshot'> = {
    claimsOf: () => [...snapshots.values()].flatMap((each) => each.claim ?? []),
    snapshot: (_owner, each) => of(each),
  };
  const reconcile = createReconcile({
    view: view as View,
    look: { ...look, controllingPod: notAsked, endOf: notAsked },
    writer: { setOwners, annotate: notAsked, delete: notAsked },
    notices: {
      hasNews: () => false,
      kept: () => undefined,
      warned: () => undefined,
      willBeDeleted: () => undefined,
      willGoWithWorkload: () => undefined,
      left: () => undefined,
      forget: () => undefined,
    },
    stock: createStockWatch({ clock, logger: { info: () => undefined } as never, yields: false }),
    foughtOver: { wait: () => 0, sent: () => undefined, forget: () => undefined },
    clock,
  });
  const [resource] = workloadsFlag.schema.parse('apps/v1/StatefulSet');
  const owner = {
    resource,
    workload: { metadata: { namespace: 'ns', name: 'web', uid: 'uid-of-web', resourceVersion: '1' } },
  } as KindedWorkload;
  return {
    once: (): Promise<ReconcileResult> => {
      timeout = new AbortController();
      return reconcile.workload(owner, timeout.signal);
    },
    /** How many claims have an owner. */
    owned: () =>
      view
        .claimsOf(owner.workload)
        .filter(({ metadata: { ownerReferences = [] } }) => ownerReferences.length > 0).length,
  };
}

const notAsked = (): Promise<never> => Promise.reject(new Error('only owners are written'));

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

test('the credentials are not accepted for one claim, another is refused for good -> tried again within half a minute', async () => {
  const unauthorized = new ApiError('PATCH', 401, { code: 401, reason: 'Unauthorized' });
  const { once } = scaleDown(2, ({ metadata }) => ({
    kind: 'failed',
    error: metadata.name === 'data-web-0' ? forbidden : unauthorized,
  }));
  expect(await once()).toMatchObject({ kind: 'failed', delay: 30_000 });
});

test('a look at more than ten claims does not end before its time -> fewer are looked at, and all get their owner', async () => {
  const { once, owned } = scaleDown(100, () => written, 10);
  for (let times = 0; times < 20 && owned() < 100; times++) {
    await once().catch(() => undefined);
  }
  expect(owned()).toBe(100);
});

test('a look at more than ten claims is too old for its writes -> all get their owner in the end', async () => {
  const { once, owned } = scaleDown(100, (_claim, looked) =>
    looked > 10 ? { kind: 'outdated', reason: 'the look is too old' } : written,
  );
  let result: ReconcileResult | undefined;
  for (let times = 0; times < 20 && result?.kind !== 'done'; times++) {
    result = await once();
  }
  expect({ owned: owned(), result }).toEqual({ owned: 100, result: { kind: 'done' } });
});

test('no look at a set of 1,000 claims succeeds, and some writes hang -> the others lose their pod, 64 at a time', async () => {
  let underWay = 0;
  let most = 0;
  const answers: (() => void)[] = [];
  const { once, owned } = scaleUpUnseen(1_000, async ({ metadata }) => {
    underWay += 1;
    most = Math.max(most, underWay);
    const hangs = /^data-web-[0-4]$/.test(metadata.name);
    await (hangs ? new Promise<void>((resolve) => answers.push(resolve)) : Promise.resolve());
    underWay -= 1;
    return written;
  });
  const reconciling = once();
  await settled();
  expect({ most, owned: owned() }).toEqual({ most: 64, owned: 5 });
  answers.forEach((answer) => answer());
  await expect(reconciling).resolves.toMatchObject({ kind: 'failed' });
  expect(owned()).toBe(0);
});
