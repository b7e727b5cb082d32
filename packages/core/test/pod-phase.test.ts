import { expect, test } from '@jest/globals';
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
