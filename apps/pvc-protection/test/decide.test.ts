import { describe, expect, test } from '@jest/globals';
import type { PersistentVolumeClaim, Pod } from '@holdfast/core';
import fc from 'fast-check';
import { anyNode, decide, type Decision, type Snapshot } from '../src/decide.ts';
import { claim, pod, protection } from './objects.ts';

const node = 'node-1';
const terminating = claim({ finalizers: [protection], deleted: true });
const bound = claim({ finalizers: [protection], deleted: true, volume: 'pv-1' });
const done = pod({ node, phase: 'Succeeded' });
const elsewhere = pod({
  node,
  phase: 'Succeeded',
  volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'other' } }],
});
const ephemeralVolumes = [{ name: 'scratch', ephemeral: {} }];
const owner = pod({ name: 'web', node, volumes: ephemeralVolumes });
const ephemeralClaim = claim({
  name: 'web-scratch',
  finalizers: [protection],
  deleted: true,
  controlledBy: owner,
});

interface Case {
  readonly name: string;
  readonly claim: PersistentVolumeClaim | undefined;
  readonly cached?: readonly Pod[];
  /** undefined: the API server was not asked. */
  readonly live?: readonly Pod[];
  readonly protect?: boolean;
  readonly waitForDetach?: boolean;
  /** Nodes to which the volume is attached. */
  readonly cachedNodes?: readonly string[];
  /** undefined: the API server was not asked. */
  readonly liveNodes?: readonly string[];
  readonly answer: Decision['kind'];
}

const cases: readonly Case[] = [
  { name: 'claim gone -> nothing', claim: undefined, answer: 'none' },

  { name: 'new claim without finalizer -> added', claim: claim(), answer: 'addFinalizer' },
  {
    name: 'claim with a foreign finalizer only -> added',
    claim: claim({ finalizers: ['a/b'] }),
    answer: 'addFinalizer',
  },
  {
    name: 'claim in use without finalizer -> added',
    claim: claim(),
    cached: [pod({ node })],
    answer: 'addFinalizer',
  },
  { name: 'claim with finalizer -> nothing', claim: claim({ finalizers: [protection] }), answer: 'none' },
  {
    name: 'claim with finalizer and unused, not deleted -> nothing',
    claim: claim({ finalizers: [protection] }),
    live: [],
    answer: 'none',
  },
  { name: 'gate off, claim without finalizer -> nothing', claim: claim(), protect: false, answer: 'none' },
  {
    name: 'gate off, deleted claim unused -> still released',
    claim: terminating,
    live: [],
    protect: false,
    answer: 'removeFinalizer',
  },
  {
    name: 'gate off, deleted claim in use -> still held',
    claim: terminating,
    cached: [pod({ node })],
    protect: false,
    answer: 'postpone',
  },

  { name: 'deleted claim without finalizer -> nothing', claim: claim({ deleted: true }), answer: 'none' },
  {
    name: 'deleted claim with a foreign finalizer only -> nothing',
    claim: claim({ deleted: true, finalizers: ['a/b'] }),
    live: [],
    answer: 'none',
  },

  {
    name: 'deleted claim, scheduled pod in cache -> held',
    claim: terminating,
    cached: [pod({ node })],
    answer: 'postpone',
  },
  {
    name: 'deleted claim, no pod in cache, API server not asked -> asked',
    claim: terminating,
    answer: 'askPods',
  },
  {
    name: 'deleted claim, no pod anywhere -> released',
    claim: terminating,
    live: [],
    answer: 'removeFinalizer',
  },
  {
    name: 'deleted claim, scheduled pod seen only live -> held',
    claim: terminating,
    live: [pod({ node })],
    answer: 'postpone',
  },
  {
    name: 'deleted claim, scheduled pod still in cache but not live -> held until the cache agrees',
    claim: terminating,
    cached: [pod({ node })],
    live: [],
    answer: 'postpone',
  },
  {
    name: 'deleted claim, pod not scheduled -> released',
    claim: terminating,
    cached: [pod()],
    live: [pod()],
    answer: 'removeFinalizer',
  },
  {
    name: 'deleted claim, pod with an empty node name -> released',
    claim: terminating,
    live: [pod({ node: '' })],
    answer: 'removeFinalizer',
  },
  {
    name: 'deleted claim, pod not scheduled in cache but scheduled live -> held',
    claim: terminating,
    cached: [pod()],
    live: [pod({ node })],
    answer: 'postpone',
  },
  ...(['Pending', 'Running', 'Unknown'] as const).map((phase) => ({
    name: `deleted claim, scheduled pod is ${phase} -> held`,
    claim: terminating,
    cached: [pod({ node, phase })],
    live: [pod({ node, phase })],
    answer: 'postpone' as const,
  })),
  ...(['Succeeded', 'Failed'] as const).map((phase) => ({
    name: `deleted claim, pod is ${phase} -> released`,
    claim: terminating,
    cached: [pod({ node, phase })],
    live: [pod({ node, phase })],
    answer: 'removeFinalizer' as const,
  })),
  {
    name: 'deleted claim, pod is being deleted gracefully -> held',
    claim: terminating,
    cached: [pod({ node, deletedWithGrace: 30 })],
    live: [pod({ node, deletedWithGrace: 30 })],
    answer: 'postpone',
  },
  {
    name: 'deleted claim named by a pod that is deleted with grace 0 but still there -> held',
    claim: terminating,
    live: [pod({ node, deletedWithGrace: 0 })],
    answer: 'postpone',
  },
  {
    name: 'deleted claim, pod uses another claim -> released',
    claim: terminating,
    live: [pod({ node, volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'other' } }] })],
    answer: 'removeFinalizer',
  },
  {
    name: 'deleted claim is the second of three volumes -> held',
    claim: terminating,
    live: [
      pod({
        node,
        volumes: [
          { name: 'a', emptyDir: {} },
          { name: 'b', persistentVolumeClaim: { claimName: 'data' } },
          { name: 'c', persistentVolumeClaim: { claimName: 'other' } },
        ],
      }),
    ],
    answer: 'postpone',
  },
  {
    name: 'deleted claim, one pod done and one running -> held',
    claim: terminating,
    live: [pod({ name: 'done', node, phase: 'Succeeded' }), pod({ name: 'on', node })],
    answer: 'postpone',
  },

  {
    name: 'pod is done, volume attached to its node in cache -> held',
    claim: bound,
    cached: [done],
    cachedNodes: [node],
    answer: 'postpone',
  },
  {
    name: 'pod is done, no attachment in cache, API server not asked -> asked for attachments',
    claim: bound,
    cached: [done],
    live: [done],
    answer: 'askAttachments',
  },
  {
    name: 'pod is done, volume attached to its node live -> held',
    claim: bound,
    cached: [done],
    live: [done],
    liveNodes: [node],
    answer: 'postpone',
  },
  {
    name: 'pod seen done only live, attachments not asked -> asked',
    claim: bound,
    live: [done],
    answer: 'askAttachments',
  },
  {
    name: 'pod is done, volume detached -> released',
    claim: bound,
    cached: [done],
    live: [done],
    liveNodes: [],
    answer: 'removeFinalizer',
  },
  {
    name: 'pod is done, volume attached to another node only -> released',
    claim: bound,
    cached: [done],
    cachedNodes: ['node-2'],
    live: [done],
    liveNodes: ['node-2'],
    answer: 'removeFinalizer',
  },
  {
    name: 'pod is gone, volume still attached -> released',
    claim: bound,
    cachedNodes: [node],
    live: [],
    answer: 'removeFinalizer',
  },
  {
    name: 'pod is done, volume attached, gate off -> released',
    claim: bound,
    cached: [done],
    cachedNodes: [node],
    live: [done],
    waitForDetach: false,
    answer: 'removeFinalizer',
  },
  {
    name: 'pod is done, volume attached live, gate off -> released',
    claim: bound,
    cached: [done],
    live: [done],
    liveNodes: [node],
    waitForDetach: false,
    answer: 'removeFinalizer',
  },
  {
    name: 'pod seen done only in cache, attachments not asked -> asked, since its kubelet might not have unmounted yet',
    claim: bound,
    cached: [done],
    live: [],
    answer: 'askAttachments',
  },
  {
    name: 'pod is done, an attachment that can not be read might be of any node -> held',
    claim: bound,
    cached: [done],
    cachedNodes: [anyNode],
    answer: 'postpone',
  },
  {
    name: 'pod of another claim is done on the node to which the volume is attached -> released',
    claim: bound,
    cached: [elsewhere],
    cachedNodes: [node],
    live: [elsewhere],
    liveNodes: [node],
    answer: 'removeFinalizer',
  },
  {
    name: 'pod is done and never had a node, an attachment can not be read -> released',
    claim: bound,
    cached: [pod({ phase: 'Failed' })],
    cachedNodes: [anyNode],
    live: [],
    answer: 'removeFinalizer',
  },
  {
    name: 'pod is done, claim was never bound -> released without asking for attachments',
    claim: terminating,
    cached: [done],
    live: [done],
    answer: 'removeFinalizer',
  },

  {
    name: 'ephemeral claim controlled by the running pod -> held',
    claim: ephemeralClaim,
    cached: [owner],
    answer: 'postpone',
  },
  {
    name: 'claim with the name of an ephemeral one but no controller -> released',
    claim: claim({ name: 'web-scratch', finalizers: [protection], deleted: true }),
    cached: [owner],
    live: [owner],
    answer: 'removeFinalizer',
  },
  {
    name: 'ephemeral claim owned but not controlled by the pod -> released',
    claim: claim({ name: 'web-scratch', finalizers: [protection], deleted: true, ownedBy: owner }),
    live: [owner],
    answer: 'removeFinalizer',
  },
  {
    name: 'ephemeral claim of an earlier pod of the same name -> released',
    claim: ephemeralClaim,
    cached: [pod({ name: 'web', uid: 'a-later-one', node, volumes: ephemeralVolumes })],
    live: [pod({ name: 'web', uid: 'a-later-one', node, volumes: ephemeralVolumes })],
    answer: 'removeFinalizer',
  },
  {
    name: 'ephemeral claim, its pod deleted with grace 0 -> released',
    claim: ephemeralClaim,
    cached: [pod({ name: 'web', node, volumes: ephemeralVolumes, deletedWithGrace: 0 })],
    live: [pod({ name: 'web', node, volumes: ephemeralVolumes, deletedWithGrace: 0 })],
    answer: 'removeFinalizer',
  },
  {
    name: 'ephemeral claim, its pod deleted gracefully -> held',
    claim: ephemeralClaim,
    live: [pod({ name: 'web', node, volumes: ephemeralVolumes, deletedWithGrace: 30 })],
    answer: 'postpone',
  },
  {
    name: 'ephemeral claim that another pod names outright -> held',
    claim: ephemeralClaim,
    live: [
      pod({
        name: 'guest',
        node,
        volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'web-scratch' } }],
      }),
    ],
    answer: 'postpone',
  },
];

function snapshotOf(each: Case): Snapshot {
  const { claim: subject, cached = [], live, protect = true, waitForDetach = true } = each;
  const { cachedNodes = [], liveNodes } = each;
  const uid = subject?.metadata.uid ?? '';
  return {
    claim: subject,
    cachedPods: cached,
    cachedNodes: new Set(cachedNodes),
    live: live && { claimUid: uid, pods: live, nodes: liveNodes && new Set(liveNodes) },
    protect,
    waitForDetach,
  };
}

describe('decision', () => {
  test.each(cases)('$name', (each) => {
    expect(decide(snapshotOf(each)).kind).toBe(each.answer);
  });

  test('held claim -> the answer names the pods that hold it, and no other', () => {
    const snapshot = snapshotOf({
      name: '',
      claim: terminating,
      live: [
        pod({ name: 'done', node, phase: 'Failed' }),
        pod({ name: 'a', node }),
        pod({ name: 'b', node }),
      ],
      answer: 'postpone',
    });
    expect(decide(snapshot)).toMatchObject({
      kind: 'postpone',
      reason: 'InUse',
      pods: ['a', 'b'],
      seen: 'live',
    });
  });

  test('claim held by a pod that the cache has -> the answer says so, since its end will come as an event', () => {
    const cached = [pod({ node })];
    expect(decide(snapshotOf({ name: '', claim: terminating, cached, answer: 'postpone' }))).toMatchObject({
      kind: 'postpone',
      reason: 'InUse',
      pods: ['web'],
      seen: 'cache',
    });
  });

  test('claim held by an attachment -> the answer names the pods of its node that are done', () => {
    const cached = [done, pod({ name: 'other', node: 'node-2', phase: 'Failed' })];
    const snapshot = snapshotOf({ name: '', claim: bound, cached, cachedNodes: [node], answer: 'postpone' });
    expect(decide(snapshot)).toMatchObject({ reason: 'StillAttached', pods: ['web'] });
  });

  test('live answer is about an earlier claim of the same name -> asked again', () => {
    const snapshot: Snapshot = {
      claim: terminating,
      cachedPods: [],
      cachedNodes: new Set(),
      live: { claimUid: 'an-earlier-one', pods: [], nodes: undefined },
      protect: true,
      waitForDetach: true,
    };
    expect(decide(snapshot).kind).toBe('askPods');
  });
});

const anyPod: fc.Arbitrary<Pod> = fc
  .record({
    name: fc.constantFrom('web', 'db'),
    uid: fc.constantFrom('u1', 'u2'),
    node: fc.constantFrom('', node),
    phase: fc.constantFrom('Pending', 'Running', 'Succeeded', 'Failed', 'Unknown'),
    claimName: fc.constantFrom('data', 'other'),
    grace: fc.constantFrom(undefined, 0, 30),
  })
  .map(({ claimName, grace, ...shape }) =>
    pod({
      ...shape,
      volumes: [{ name: 'v', persistentVolumeClaim: { claimName } }],
      ...(grace === undefined ? {} : { deletedWithGrace: grace }),
    }),
  );

describe('invariants', () => {
  const anyNodes = fc.subarray([node, 'node-2']);
  const anySnapshot = fc.record({
    claim: fc
      .record({
        deleted: fc.boolean(),
        finalizers: fc.subarray([protection, 'a/b', 'c/d']),
        volume: fc.constantFrom(undefined, 'pv-1'),
      })
      .map(({ volume, ...shape }) => claim({ ...shape, ...(volume === undefined ? {} : { volume }) })),
    cachedPods: fc.array(anyPod),
    cachedNodes: anyNodes,
    live: fc.option(fc.array(anyPod), { nil: undefined }),
    liveNodes: fc.option(anyNodes, { nil: undefined }),
    protect: fc.boolean(),
    waitForDetach: fc.boolean(),
  });

  const namesIt = (each: Pod): boolean =>
    (each.spec?.volumes ?? []).some((volume) => volume.persistentVolumeClaim?.claimName === 'data');
  const isOver = (each: Pod): boolean =>
    each.status?.phase === 'Succeeded' || each.status?.phase === 'Failed';
  /** The design's words: bound to a node, not terminated, and naming the claim. */
  const uses = (each: Pod): boolean => each.spec?.nodeName === node && !isOver(each) && namesIt(each);
  const lingers = (each: Pod): boolean => each.spec?.nodeName === node && isOver(each) && namesIt(each);

  test('whatever is known, a finalizer goes only from a deleted claim that nobody uses or has attached', () => {
    fc.assert(
      fc.property(anySnapshot, ({ claim: subject, live, liveNodes, ...rest }) => {
        const { kind } = decide({
          ...rest,
          claim: subject,
          cachedNodes: new Set(rest.cachedNodes),
          live: live && {
            claimUid: subject.metadata.uid,
            pods: live,
            nodes: liveNodes && new Set(liveNodes),
          },
        });
        if (kind === 'removeFinalizer') {
          const known = [...rest.cachedPods, ...(live ?? [])];
          expect(subject.metadata.deletionTimestamp).toBeDefined();
          expect(subject.metadata.finalizers).toContain(protection);
          expect(live).toBeDefined();
          expect(known.filter(uses)).toStrictEqual([]);
          if (rest.waitForDetach && subject.spec?.volumeName !== undefined && known.some(lingers)) {
            expect(liveNodes).toBeDefined();
          }
          if (rest.waitForDetach && subject.spec?.volumeName !== undefined && (live ?? []).some(lingers)) {
            expect(liveNodes).not.toContain(node);
          }
          if (rest.waitForDetach && subject.spec?.volumeName !== undefined && rest.cachedPods.some(lingers)) {
            expect(rest.cachedNodes).not.toContain(node);
          }
        }
        if (kind === 'addFinalizer') {
          expect(subject.metadata.deletionTimestamp).toBeUndefined();
          expect(subject.metadata.finalizers).not.toContain(protection);
        }
      }),
      { numRuns: 2000 },
    );
  });

  test('whatever is known, a deleted held claim that nobody uses is released once the API server was asked', () => {
    fc.assert(
      fc.property(fc.array(anyPod), fc.array(anyPod), fc.boolean(), (cached, live, protect) => {
        fc.pre(![...cached, ...live].some(uses));
        const each: Case = {
          name: '',
          claim: terminating,
          cached,
          live,
          liveNodes: [],
          protect,
          answer: 'removeFinalizer',
        };
        expect(decide(snapshotOf(each)).kind).toBe(each.answer);
      }),
    );
  });
});
