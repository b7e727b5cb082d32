import { describe, expect, test } from '@jest/globals';
import { isScheduled, isTerminated, type Pod } from '@holdfast/core';
import { stored } from './stored.ts';

test.each<{ state: string; pod: Pod; scheduled: boolean }>([
  { state: 'no spec', pod: stored(), scheduled: false },
  { state: 'no node', pod: { ...stored(), spec: { containers: [] } }, scheduled: false },
  {
    state: 'empty node name',
    pod: { ...stored(), spec: { containers: [], nodeName: '' } },
    scheduled: false,
  },
  { state: 'node', pod: { ...stored(), spec: { containers: [], nodeName: 'node-1' } }, scheduled: true },
])('$state -> scheduled: $scheduled', ({ pod, scheduled }) => {
  expect(isScheduled(pod)).toBe(scheduled);
});

test.each<{ phase: string | undefined; terminated: boolean }>([
  { phase: undefined, terminated: false },
  { phase: 'Pending', terminated: false },
  { phase: 'Running', terminated: false },
  { phase: 'Unknown', terminated: false },
  { phase: 'Succeeded', terminated: true },
  { phase: 'Failed', terminated: true },
])('phase $phase -> terminated: $terminated', ({ phase, terminated }) => {
  expect(isTerminated({ ...stored(), status: phase === undefined ? {} : { phase } })).toBe(terminated);
});

test('no status yet -> not terminated', () => {
  expect(isTerminated(stored())).toBe(false);
});

const running = [
  { name: 'c', image: 'i', imageID: '', ready: false, restartCount: 0, state: { running: {} } },
];
const ended = running.map((each) => ({ ...each, state: { terminated: { exitCode: 137 } } }));

describe.each(['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'] as const)(
  'C1: phase Failed, %s',
  (list) => {
    test.each([
      { state: 'one runs, another has ended', containers: [...ended, ...running], terminated: false },
      { state: 'all have ended', containers: ended, terminated: true },
      {
        state: 'of unknown state',
        containers: running.map((each) => ({ ...each, state: {} })),
        terminated: true,
      },
    ])('$state -> terminated: $terminated', ({ containers, terminated }) => {
      expect(isTerminated({ ...stored(), status: { phase: 'Failed', [list]: containers } })).toBe(terminated);
    });
  },
);
