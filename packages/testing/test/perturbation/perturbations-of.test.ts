import { expect, test } from '@jest/globals';
import { describePerturbation, perturbationsOf, type Learned } from '@holdfast/testing/perturbation';

const learned: Learned = {
  requests: [
    { place: 'watch pods #1', effect: 'watch', step: -1 },
    { place: 'get pods a/b #1', effect: 'read', step: 0 },
    { place: 'patch pods a/b #1', effect: 'write', step: 0 },
  ],
  events: [
    { place: 'ADDED Pod a/b #1', object: 'Pod a/b', step: 0 },
    { place: 'ADDED Pod a/c #1', object: 'Pod a/c', step: 0 },
    { place: 'MODIFIED Pod a/b #1', object: 'Pod a/b', step: 1 },
  ],
};

test('a write, a read, a watch and changes of two objects -> each kind at each of its places', () => {
  expect(perturbationsOf(learned).map(describePerturbation)).toEqual([
    'crash-before-write at patch pods a/b #1',
    'crash-after-write at patch pods a/b #1',
    'stale-restart at patch pods a/b #1, before ADDED Pod a/b #1 is seen',
    'stale-restart at patch pods a/b #1, before ADDED Pod a/c #1 is seen',
    'event-delayed: ADDED Pod a/b #1',
    'event-hidden: ADDED Pod a/b #1',
    'event-delayed: ADDED Pod a/b #1 to MODIFIED Pod a/b #1',
    'event-hidden: ADDED Pod a/b #1 to MODIFIED Pod a/b #1',
    'event-delayed: ADDED Pod a/c #1',
    'event-hidden: ADDED Pod a/c #1',
    'event-delayed: MODIFIED Pod a/b #1',
    'event-hidden: MODIFIED Pod a/b #1',
    ...['403', '410', '429', '500'].map((code) => `answer-${code} at watch pods #1`),
    'reset-before at watch pods #1',
    ...['403', '429', '500', '504'].map((code) => `answer-${code} at get pods a/b #1`),
    'reset-before at get pods a/b #1',
    ...['403', '409', '422', '429', '500', '504', '504-after'].map(
      (code) => `answer-${code} at patch pods a/b #1`,
    ),
    'reset-before at patch pods a/b #1',
    'reset-after at patch pods a/b #1',
    'handover-before-write at patch pods a/b #1',
    'handover-after-write at patch pods a/b #1',
  ]);
});

test('requests of a step that come in another order -> the same perturbations in the same order', () => {
  const others = { ...learned, requests: learned.requests.toReversed() };
  expect(perturbationsOf(others)).toEqual(perturbationsOf(learned));
});
