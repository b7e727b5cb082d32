import { describe, expect, test } from '@jest/globals';
import { parseFeatureGates, type KubernetesObject, type ObjectRef } from '@holdfast/core';
import type { ApiClient, List, ListOptions, Look, RequestOptions } from '@holdfast/runtime';
import { createFakeClock } from '@holdfast/testing/fake-clock';
import { gates } from '../src/gates.ts';
import { createLiveLook, type Question } from '../src/live-look.ts';
import type { KindedWorkload } from '../src/view.ts';
import { workloadsFlag } from '../src/workloads-flag.ts';
import { claim } from './snapshots.ts';

const [resource] = workloadsFlag.schema.parse('apps/v1/StatefulSet');
const owner = {
  resource,
  workload: {
    metadata: { namespace: 'ns', name: 'web', uid: 'uid-of-web', resourceVersion: '100', generation: 5 },
    spec: { replicas: 3 },
  },
} as KindedWorkload;
const question = { claim: claim(), podName: 'web-1', about: 'users' } as const;
const ledAllAlong = { askNothingDueBefore: () => Promise.resolve(undefined) };
const tie = { kind: 'StatefulSet.apps', name: 'web', uid: 'uid-of-web' };

/** Looks at an API server that has this state of the set. */
function seeing({
  replicas = 3,
  ...state
}: Pick<KubernetesObject['metadata'], 'resourceVersion' | 'generation'> & { readonly replicas?: number }) {
  const { metadata } = owner.workload;
  const client = {
    get: () => Promise.resolve({ metadata: { ...metadata, ...state }, spec: { replicas } }),
  } as unknown as ApiClient;
  return createLiveLook(client, parseFeatureGates(gates, ''), [], ledAllAlong);
}

/** Looks at an API server whose lists of pods take this long, milliseconds. */
function lookingFor(...durations: readonly number[]) {
  return lookingIn(durations, ledAllAlong);
}

function lookingIn(durations: readonly number[], tenure: Parameters<typeof createLiveLook>[3]) {
  const clock = createFakeClock();
  const left = [...durations];
  async function* listPages(_resource: unknown, { look }: ListOptions): AsyncGenerator<List<never>> {
    if (look !== undefined) {
      look.lookedAt = clock.now();
    }
    await clock.advance(left.shift() ?? 0);
    yield { metadata: { resourceVersion: '1' }, items: [] };
  }
  const client = {
    listPages,
    get: () => Promise.resolve(owner.workload as KubernetesObject),
  } as unknown as ApiClient;
  return createLiveLook(client, parseFeatureGates(gates, ''), [], tenure, clock);
}

const { signal } = new AbortController();

test('the pods of a namespace were listed for 15 s -> the next look is good for twice as long, and for no longer once they are listed sooner', async () => {
  const look = lookingFor(15_000, 1_000, 1_000);
  const ages: number[] = [];
  for (let times = 0; times < 3; times++) {
    ages.push((await look.ask(owner, [question], signal)).look.maxAge);
  }
  expect(ages).toEqual([10_000, 30_000, 10_000]);
});

test('the same for a claim of a workload that is gone', async () => {
  const look = lookingFor(15_000, 1_000);
  const ages: number[] = [];
  for (let times = 0; times < 2; times++) {
    ages.push((await look.endOf(claim(), tie, 'users', signal)).look.maxAge);
  }
  expect(ages).toEqual([10_000, 30_000]);
});

test('R1: a deletion is asked about -> the lease is asked too, and for nothing else', async () => {
  const tenure = { askNothingDueBefore: () => Promise.resolve(5_000) };
  const look = lookingIn([0, 0], tenure);
  expect((await look.ask(owner, [question], signal)).noneOverBefore).toBe(5_000);
  expect(
    (await look.ask(owner, [{ ...question, about: 'workload' }], signal)).noneOverBefore,
  ).toBeUndefined();
  expect((await look.endOf(claim(), tie, 'users', signal)).noneOverBefore).toBe(5_000);
  expect((await look.endOf(claim(), tie, 'workload', signal)).noneOverBefore).toBeUndefined();
});

test('a process was frozen for an hour within a list -> the next look is not good for two', async () => {
  const look = lookingFor(3_600_000);
  await look.ask(owner, [question], signal);
  expect((await look.ask(owner, [question], signal)).look.maxAge).toBe(128_000);
});

test.each([
  { state: { resourceVersion: '99', generation: 5 }, why: 'version 99, and the cache has 100' },
  { state: { resourceVersion: '101', generation: 4 }, why: 'generation 4, and the cache has 5' },
  {
    state: { resourceVersion: '101', generation: 5, replicas: 2 },
    why: '2 replicas in generation 5, and the cache has 3',
  },
])('the set has $why, as after a restored backup -> each look at it fails', async ({ state, why }) => {
  const look = seeing(state);
  const message = new RegExp(`^StatefulSet ns/web has ${why}: `);
  await expect(look.ask(owner, [{ ...question, about: 'workload' }], signal)).rejects.toThrow(message);
  await expect(look.workload(owner, signal)).rejects.toThrow(message);
});

test.each([
  { resourceVersion: '100', generation: 5 },
  { resourceVersion: '101', generation: 5 },
  { resourceVersion: '101', generation: 6, replicas: 2 },
])('the set has $resourceVersion and $generation, and the cache 100 and 5 -> its facts', async (state) => {
  const facts = await seeing(state).workload(owner, signal);
  expect(facts(claim())).toMatchObject({ name: 'web', uid: 'uid-of-web' });
});

describe('each read of one object takes long', () => {
  /** Looks at a pod and its set, at an API server that takes this long for each, in milliseconds. */
  const lookingSlowly = () => {
    const clock = createFakeClock();
    const times = { each: 0 };
    const client = {
      get: async (resource: { readonly plural: string }, { name }: ObjectRef, { look }: RequestOptions) => {
        const sentAt = clock.now();
        await clock.advance(times.each);
        if (look !== undefined) {
          look.lookedAt ??= sentAt;
        }
        return resource.plural === 'pods'
          ? { metadata: { name, uid: `uid-of-${name}`, resourceVersion: '1' } }
          : owner.workload;
      },
      list: async (_resource: unknown, { look }: ListOptions) => {
        const sentAt = clock.now();
        await clock.advance(times.each);
        if (look !== undefined) {
          look.lookedAt ??= sentAt;
        }
        return { metadata: { resourceVersion: '1' }, items: [] };
      },
    } as unknown as ApiClient;
    const kinds = [{ resource: owner.resource, isFollowing: () => true }];
    const look = createLiveLook(client, parseFeatureGates(gates, ''), kinds, ledAllAlong, clock);
    const judged = ({ maxAge, lookedAt = 0 }: Look) => ({ maxAge, isGood: clock.now() - lookedAt <= maxAge });
    const atSet = async (each: number) => {
      times.each = each;
      const questions = [{ claim: claim(), podName: 'web-1', about: 'workload' }] as const;
      return judged((await look.ask(owner, questions, signal)).look);
    };
    const atEnd = async (each: number) => {
      times.each = each;
      return judged((await look.endOf(claim(), tie, 'workload', signal)).look);
    };
    const atPods = async (each: number, ...names: readonly string[]) => {
      times.each = each;
      const questions = (names.length === 0 ? ['web-1'] : names).map((podName): Question => ({
        claim: claim(),
        podName,
        about: 'pod',
      }));
      return judged((await look.ask(owner, questions, signal)).look);
    };
    return { atPods, atSet, atEnd };
  };

  test('longer than a second -> a write may rest on the next look', async () => {
    const { atPods: look } = lookingSlowly();
    expect(await look(1_100)).toEqual({ maxAge: 2_000, isGood: false });
    expect(await look(1_100)).toEqual({ maxAge: 4_400, isGood: true });
    expect(await look(100)).toEqual({ maxAge: 4_400, isGood: true });
    expect(await look(100)).toEqual({ maxAge: 2_000, isGood: true });
  });

  test('longer than two seconds -> a write may rest on the next look at the set alone, or at what is left of it', async () => {
    const { atSet, atEnd } = lookingSlowly();
    expect(await atSet(2_100)).toEqual({ maxAge: 2_000, isGood: false });
    expect(await atSet(2_100)).toEqual({ maxAge: 4_200, isGood: true });
    expect(await atEnd(2_100)).toEqual({ maxAge: 2_000, isGood: false });
    expect(await atEnd(2_100)).toEqual({ maxAge: 4_200, isGood: true });
  });

  test('looks at a pod and at a set alone in turn -> each is good for as long as the last one of its kind took', async () => {
    const { atPods, atSet } = lookingSlowly();
    await atPods(1_500);
    await atSet(1_500);
    expect(await atPods(1_500)).toEqual({ maxAge: 6_000, isGood: true });
  });

  test('much longer, as for a process that was frozen within a look -> good for ten seconds, and no longer', async () => {
    const { atPods: look } = lookingSlowly();
    await look(60_000);
    expect(await look(4_900)).toEqual({ maxAge: 10_000, isGood: true });
    expect(await look(5_100)).toEqual({ maxAge: 10_000, isGood: false });
  });

  test('look at more pods, which a limit of requests makes take long -> good for two seconds', async () => {
    const { atPods: look } = lookingSlowly();
    await look(1_100);
    expect((await look(1_100, 'web-1', 'web-2')).maxAge).toBe(2_000);
    expect((await look(100)).maxAge).toBe(4_400);
  });
});
