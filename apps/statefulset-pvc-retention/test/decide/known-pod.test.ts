import { expect, test } from '@jest/globals';
import { knownLivePod, type KnownPod } from '../../src/decide/known-pod.ts';
import type { Live } from '../../src/decide/snapshot.ts';

const own: KnownPod = { kind: 'present', uid: 'own', ofWorkload: true };
const foreign: KnownPod = { kind: 'present', uid: 'foreign', ofWorkload: false };
const seenToGo: KnownPod = { kind: 'gone', lastUid: 'last' };

test.each<{ name: string; live: Live['pod']; cached: KnownPod; known: KnownPod }>([
  { name: 'not asked for', live: 'notAsked', cached: own, known: own },
  { name: 'there', live: { uid: 'new', ofWorkload: false }, cached: own, known: { ...foreign, uid: 'new' } },
  {
    name: "gone, the cache still has it, the workload's own",
    live: 'gone',
    cached: own,
    known: { kind: 'gone', lastUid: 'own' },
  },
  {
    name: 'the same, and in doubt',
    live: 'gone',
    cached: { ...own, isInDoubt: true },
    known: { kind: 'gone', lastUid: undefined },
  },
  {
    name: "gone, the cache still has it, somebody else's",
    live: 'gone',
    cached: foreign,
    known: { kind: 'gone', lastUid: undefined },
  },
  { name: 'gone, as the cache says', live: 'gone', cached: seenToGo, known: seenToGo },
])('live pod is $name -> $known', ({ live, cached, known }) => {
  expect(knownLivePod(live, cached)).toEqual(known);
});
