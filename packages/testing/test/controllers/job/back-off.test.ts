import { expect, test } from '@jest/globals';
import type { Pod } from '@holdfast/core';
import { backOffLeft, noFailures, withEnded } from '../../../src/controllers/job/back-off.ts';

const start = Date.UTC(2030, 0, 1);
const at = (seconds: number): string => new Date(start + seconds * 1000).toISOString();
const minutes = 60_000;

function podWith(status: Pod['status'], more: object = {}): Pod {
  return { metadata: { name: 'p', uid: 'u', resourceVersion: '1', ...more }, ...(status && { status }) };
}

/** Its container ended that many seconds after the start. */
function ended(seconds: number): Pod {
  const state = { terminated: { exitCode: 0, finishedAt: at(seconds) } };
  return podWith({
    containerStatuses: [{ name: 'c', image: '', imageID: '', ready: false, restartCount: 0, state }],
  });
}

test.each([
  [0, 0],
  [1, 10_000],
  [2, 20_000],
  [6, 320_000],
  [7, 10 * minutes],
  [1000, 10 * minutes],
])('%d failures a moment ago -> %d ms are left, and none when they are over', (count, left) => {
  expect(backOffLeft({ count, last: start }, start)).toBe(left);
  expect(backOffLeft({ count, last: start }, start + left)).toBe(0);
});

test('pods failed -> as many more failures, since the last of them', () => {
  expect(withEnded({ count: 2, last: start }, [], [ended(9), ended(5)])).toEqual({
    count: 4,
    last: start + 9000,
  });
});

test('nothing ended -> the failures are as they were', () => {
  expect(withEnded({ count: 2, last: start }, [], [])).toEqual({ count: 2, last: start });
});

test('a pod succeeded -> only failures after it count', () => {
  expect(withEnded({ count: 2, last: start }, [ended(6)], [])).toEqual(noFailures);
  expect(withEnded({ count: 2, last: start }, [ended(6)], [ended(5), ended(7)])).toEqual({
    count: 1,
    last: start + 7000,
  });
});

test.each([
  [
    'was no longer ready',
    podWith({ conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: at(3) }] }),
    3,
  ],
  ['was deleted', podWith({}, { deletionTimestamp: at(33), deletionGracePeriodSeconds: 30 }), 3],
  ['was made', podWith({}, { creationTimestamp: at(3) }), 3],
])('no container says when it ended -> as of when the pod %s', (_what, pod, seconds) => {
  expect(withEnded(noFailures, [], [pod]).last).toBe(start + seconds * 1000);
});
