import { describe, expect, test } from '@jest/globals';
import {
  isTerminating,
  type ObjectKey,
  type PersistentVolumeClaim,
  type Pod,
  type Volume,
  type VolumeAttachment,
} from '@holdfast/core';
import { createLiveLookups } from '../src/live-lookup.ts';
import { systemClock } from '@holdfast/runtime';
import { claim, pod, protection } from './objects.ts';

const signal = new AbortController().signal;

/** A store and a pod list that the test fills, and a lookup over them. */
function stage(keys: readonly ObjectKey[]) {
  const claims = new Map<ObjectKey, PersistentVolumeClaim>();
  const lists: { readonly namespace: string; readonly pods: readonly Pod[] }[] = [];
  let pods: readonly Pod[] = [];
  let failure: Error | undefined;
  let attachments: readonly VolumeAttachment[] = [];
  let attachmentLists = 0;
  const lookup = createLiveLookups({
    claims,
    isServed: isTerminating,
    listPods: async function* (namespace) {
      await Promise.resolve();
      if (failure !== undefined) {
        throw failure;
      }
      lists.push({ namespace, pods });
      yield* pods;
    },
    listAttachments: async function* () {
      await Promise.resolve();
      attachmentLists += 1;
      yield* attachments;
    },
    clock: systemClock,
  })(keys);
  return {
    claims,
    lists,
    lookup,
    setPods: (next: readonly Pod[]): void => {
      pods = next;
    },
    setAttachments: (next: readonly VolumeAttachment[]): void => {
      attachments = next;
    },
    attachmentLists: () => attachmentLists,
    fail: (error: Error | undefined): void => {
      failure = error;
    },
  };
}

const deleted = (name: string): PersistentVolumeClaim =>
  claim({ name, deleted: true, finalizers: [protection] });
const naming = (name: string, claimName: string): Pod =>
  pod({ name, volumes: [{ name: 'v', persistentVolumeClaim: { claimName } }] });

test('list fails in its middle -> the next to ask lists again, however young the look is', async () => {
  const claims = new Map([['ns/a', deleted('a')]]);
  let lists = 0;
  const lookup = createLiveLookups({
    claims,
    isServed: isTerminating,
    listPods: async function* (_namespace, look) {
      look.lookedAt = 0;
      await Promise.resolve();
      lists += 1;
      if (lists === 1) {
        throw new Error('connection reset');
      }
      yield* [];
    },
    listAttachments: async function* () {},
    clock: systemClock,
    lookClock: { now: () => 0 },
  })(['ns/a']);
  await expect(lookup.podsNaming(deleted('a'), signal)).rejects.toThrow('connection reset');
  expect((await lookup.podsNaming(deleted('a'), signal)).pods).toStrictEqual([]);
});

test('claim that was there and not deleted when the list began -> not served by it, however young the look is', async () => {
  const claims = new Map([
    ['ns/a', deleted('a')],
    ['ns/b', claim({ name: 'b', finalizers: [protection] })],
    ['ns/c', deleted('c')],
  ]);
  let lists = 0;
  const lookup = createLiveLookups({
    claims,
    isServed: isTerminating,
    listPods: async function* (_namespace, look) {
      look.lookedAt = 0;
      lists += 1;
      await Promise.resolve();
      yield* [];
    },
    listAttachments: async function* () {},
    clock: systemClock,
    lookClock: { now: () => 0 },
  })(['ns/a', 'ns/b', 'ns/c', 'ns/gone']);
  await lookup.podsNaming(deleted('a'), signal);
  await lookup.podsNaming(deleted('c'), signal);
  expect(lists).toBe(1);
  claims.set('ns/b', deleted('b'));
  await lookup.podsNaming(deleted('b'), signal);
  expect(lists).toBe(2);
});

test('X1: claim that a pod names can not be read -> no claim of its namespace is let go by the list', async () => {
  const { claims, lookup, setPods } = stage(['ns/data']);
  const data = deleted('data');
  claims.set('ns/data', data);
  const odd = { name: 'v', persistentVolumeClaim: { claimName: 7 } } as unknown as Volume;
  setPods([pod({ name: 'odd', node: 'node-1', volumes: [odd] })]);
  await expect(lookup.podsNaming(data, signal)).rejects.toThrow('pod odd: volume "v" names no claim');
});

test('A0: the process was frozen for an hour within a list -> the next look is good for 128 s, and no longer', async () => {
  let now = 0;
  const claims = new Map([['ns/a', deleted('a')]]);
  const openLookup = createLiveLookups({
    claims,
    isServed: isTerminating,
    listPods: async function* (_namespace, look) {
      look.lookedAt = now;
      await Promise.resolve();
      now += 3_600_000;
      yield* [];
    },
    listAttachments: async function* () {},
    clock: systemClock,
    lookClock: { now: () => now },
  });
  await openLookup(['ns/a']).podsNaming(deleted('a'), signal);
  const { look } = await openLookup(['ns/a']).podsNaming(deleted('a'), signal);
  expect(look.maxAge).toBe(128_000);
});

test('pod names a claim by a thousand volumes -> it is one pod that names the claim', async () => {
  const { claims, lookup, setPods } = stage(['ns/a']);
  claims.set('ns/a', deleted('a'));
  const volumes = Array.from({ length: 1_000 }, (_, index) => ({
    name: `v${String(index)}`,
    persistentVolumeClaim: { claimName: 'a' },
  }));
  setPods([pod({ name: 'p1', volumes }), naming('p2', 'a'), pod({ name: 'p3', volumes })]);
  const { pods } = await lookup.podsNaming(deleted('a'), signal);
  expect(pods.map(({ metadata }) => metadata.name)).toEqual(['p1', 'p2', 'p3']);
});

describe('live pods of a batch', () => {
  test('many deleted claims, asked at once -> one list serves all, each with its own pods', async () => {
    const { claims, lists, lookup, setPods } = stage(['ns/a', 'ns/b', 'ns/c']);
    for (const name of ['a', 'b', 'c']) {
      claims.set(`ns/${name}`, deleted(name));
    }
    setPods([naming('p1', 'a'), naming('p2', 'b'), naming('p3', 'b')]);
    const answers = await Promise.all(
      ['a', 'b', 'c'].map((name) => lookup.podsNaming(deleted(name), signal)),
    );
    expect(lists).toHaveLength(1);
    expect(lists[0]?.namespace).toBe('ns');
    expect(answers.map((answer) => answer.pods.map((each) => each.metadata.name))).toEqual([
      ['p1'],
      ['p2', 'p3'],
      [],
    ]);
  });

  test('claim deleted after the list began -> a list of its own, which sees the pod that came between', async () => {
    const { claims, lists, lookup, setPods } = stage(['ns/a', 'ns/b']);
    claims.set('ns/a', deleted('a'));
    claims.set('ns/b', claim({ name: 'b', finalizers: [protection] }));
    await lookup.podsNaming(deleted('a'), signal);

    setPods([naming('late', 'b')]);
    claims.set('ns/b', deleted('b'));
    const answer = await lookup.podsNaming(deleted('b'), signal);
    expect(answer.pods.map((each) => each.metadata.name)).toEqual(['late']);
    expect(lists).toHaveLength(2);
  });

  test('claim deleted and made again since the list -> asked anew for the new one', async () => {
    const { claims, lists, lookup } = stage(['ns/a']);
    claims.set('ns/a', deleted('a'));
    await lookup.podsNaming(deleted('a'), signal);
    const again = claim({ name: 'a', uid: 'another', deleted: true, finalizers: [protection] });
    claims.set('ns/a', again);
    expect((await lookup.podsNaming(again, signal)).pods).toStrictEqual([]);
    expect(lists).toHaveLength(2);
  });

  test('list fails -> all who wait fail, and the next to ask lists again', async () => {
    const { claims, lists, lookup, fail } = stage(['ns/a', 'ns/b']);
    claims.set('ns/a', deleted('a'));
    claims.set('ns/b', deleted('b'));
    fail(new Error('connection reset'));
    const both = await Promise.allSettled(['a', 'b'].map((name) => lookup.podsNaming(deleted(name), signal)));
    expect(both.map((each) => each.status)).toEqual(['rejected', 'rejected']);
    fail(undefined);
    expect((await lookup.podsNaming(deleted('a'), signal)).pods).toStrictEqual([]);
    expect(lists).toHaveLength(1);
  });

  test('pod names the claim twice -> it is in the answer, once or twice', async () => {
    const { claims, lookup, setPods } = stage(['ns/a']);
    claims.set('ns/a', deleted('a'));
    setPods([
      pod({
        name: 'twice',
        volumes: [
          { name: 'v', persistentVolumeClaim: { claimName: 'a' } },
          { name: 'w', persistentVolumeClaim: { claimName: 'a' } },
        ],
      }),
    ]);
    expect((await lookup.podsNaming(deleted('a'), signal)).pods[0]?.metadata.name).toBe('twice');
  });

  test('attachments of many claims -> one list, each claim with the nodes of its own volume', async () => {
    const { claims, lookup, setAttachments, attachmentLists } = stage(['ns/a', 'ns/b']);
    const [a, b] = ['a', 'b'].map((name) =>
      claim({ name, deleted: true, finalizers: [protection], volume: `pv-${name}` }),
    ) as [PersistentVolumeClaim, PersistentVolumeClaim];
    claims.set('ns/a', a).set('ns/b', b);
    const attached = (volume: string, nodeName: string): VolumeAttachment => ({
      metadata: { name: `${volume}-${nodeName}`, uid: 'u', resourceVersion: '1' },
      spec: { attacher: 'csi', nodeName, source: { persistentVolumeName: volume } },
    });
    setAttachments([attached('pv-a', 'node-1'), attached('pv-a', 'node-2'), attached('pv-x', 'node-3')]);
    const nodes = await Promise.all([a, b].map((each) => lookup.nodesAttachedTo(each, signal)));
    expect(nodes.map((answer) => answer.nodes)).toEqual([new Set(['node-1', 'node-2']), new Set()]);
    expect(attachmentLists()).toBe(1);
  });
});
