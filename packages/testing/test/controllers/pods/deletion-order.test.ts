import { expect, test } from '@jest/globals';
import type { Pod } from '@holdfast/core';
import { countByNode, inDeletionOrder } from '../../../src/controllers/pods/deletion-order.ts';

const now = Date.UTC(2030, 0, 1);
const secondsAgo = (seconds: number): string => new Date(now - seconds * 1000).toISOString();

interface Given {
  readonly uid?: string;
  readonly node?: string;
  readonly phase?: string;
  /** Seconds for which it has been ready; null for never, undefined for an unknown time. */
  readonly ready?: number | null | undefined;
  readonly cost?: string;
  readonly restarts?: number;
  readonly sidecarRestarts?: number;
  /** Seconds. */
  readonly age?: number;
}

function pod(name: string, given: Given): Pod {
  const { uid = name, node = 'n', phase = 'Running', ready = 100, cost, restarts = 0, age = 1000 } = given;
  const time = ready === null || !('ready' in given && given.ready === undefined) ? ready : undefined;
  return {
    metadata: {
      name,
      uid,
      resourceVersion: '1',
      creationTimestamp: secondsAgo(age),
      ...(cost === undefined ? {} : { annotations: { 'controller.kubernetes.io/pod-deletion-cost': cost } }),
    },
    spec: {
      containers: [],
      initContainers: [{ name: 'side', restartPolicy: 'Always' }, { name: 'once' }],
      ...(node === '' ? {} : { nodeName: node }),
    },
    status: {
      phase,
      conditions:
        ready === null
          ? []
          : [
              {
                type: 'Ready',
                status: 'True',
                ...(time === undefined || time === null ? {} : { lastTransitionTime: secondsAgo(time) }),
              },
            ],
      containerStatuses: [status('main', restarts)],
      initContainerStatuses: [status('side', given.sidecarRestarts ?? 0), status('once', 99)],
    },
  };
}

function status(name: string, restartCount: number) {
  return { name, restartCount, ready: true, image: '', imageID: '' };
}

/** The first goes before the second, whatever the later lines of the table say. */
const table: readonly (readonly [string, Given, Given])[] = [
  ['not bound', { node: '', restarts: 0 }, { phase: 'Pending', ready: null, restarts: 9 }],
  ['Pending', { phase: 'Pending' }, { phase: 'Unknown', ready: null }],
  ['Unknown', { phase: 'Unknown' }, { ready: null }],
  ['not ready', { ready: null, cost: '9' }, { cost: '-9' }],
  ['of lower cost', { cost: '-2', node: 'empty' }, { cost: '1', node: 'crowded' }],
  ['of no cost', { node: 'empty' }, { cost: '1', node: 'crowded' }],
  ['of a cost that is no number, as of none', { cost: '1e9', node: 'crowded' }, { cost: '0', node: 'empty' }],
  ['of a cost that is too great, as of none', { cost: '2147483648', node: 'crowded' }, { node: 'empty' }],
  ['on the crowded node', { node: 'crowded', ready: 500 }, { node: 'empty', ready: 1 }],
  ['ready for a shorter time', { ready: 10, age: 5000 }, { ready: 5000, restarts: 9, age: 10 }],
  ['ready since nobody knows when', { ready: undefined }, { ready: 1 }],
  ['restarted more often', { restarts: 2, age: 5000 }, { restarts: 1, sidecarRestarts: 9, age: 10 }],
  ['whose sidecar was restarted more often', { sidecarRestarts: 1, age: 5000 }, { age: 10 }],
  ['younger', { age: 10 }, { age: 5000 }],
];

const podsOnNode = new Map([
  ['crowded', 2],
  ['empty', 0],
]);

test.each(table)('pod %s -> goes first', (_what, first, second) => {
  const [a, b] = [pod('a', first), pod('b', second)];
  for (const given of [
    [a, b],
    [b, a],
  ]) {
    expect(inDeletionOrder(given, { podsOnNode, now })).toEqual([a, b]);
  }
});

test('ages of one magnitude, with ranks -> by UID; without -> the younger first', () => {
  const young = pod('young', { uid: '2', ready: 100 });
  const old = pod('old', { uid: '1', ready: 101 });
  expect(inDeletionOrder([young, old], { podsOnNode, now })).toEqual([old, young]);
  expect(inDeletionOrder([old, young])).toEqual([young, old]);
});

test('no ranks -> costs and nodes say nothing', () => {
  const dear = pod('dear', { cost: '9', ready: 1 });
  const cheap = pod('cheap', { cost: '1', ready: 9 });
  expect(inDeletionOrder([cheap, dear])).toEqual([dear, cheap]);
});

test('alike in all -> in the order given', () => {
  const [a, b] = [pod('a', {}), pod('b', {})];
  expect(inDeletionOrder([b, a], { podsOnNode, now })).toEqual([b, a]);
});

test('pods on nodes and on none -> counted by node', () => {
  const pods = [pod('a', { node: 'x' }), pod('b', { node: 'x' }), pod('c', { node: '' })];
  expect(countByNode(pods)).toEqual(
    new Map([
      ['x', 2],
      ['', 1],
    ]),
  );
});
