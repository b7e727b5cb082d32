import { describe, expect, test } from '@jest/globals';
import { judgeActs, longestGap, tenuresOf, type LeaseWrite } from '../../src/hostile/tenure.ts';

const duration = 15_000;

/** A lease's writes, in the order given: who, as what process, and when; no process: released. */
function writes(
  ...all: readonly (readonly [replica: string, holder: string, at: number])[]
): readonly LeaseWrite[] {
  return all.map(([replica, holder, receivedAt], version) => ({
    replica,
    holder,
    duration: holder === '' ? 1_000 : duration,
    receivedAt,
    version,
  }));
}

const handedOver = writes(['a', 'a1', 0], ['a', 'a1', 2_000], ['a', '', 3_000], ['b', 'b1', 4_000]);
const ranOut = writes(['a', 'a1', 0], ['a', 'a1', 2_000], ['b', 'b1', 18_000]);

describe('tenuresOf', () => {
  test.each([
    {
      state: 'renewed, released, taken by the other',
      lease: handedOver,
      tenures: [
        { replica: 'a', from: 0, renewedAt: 2_000, until: 3_000, end: 'released' },
        { replica: 'b', from: 4_000, renewedAt: 4_000, until: 19_000, end: 'ran out' },
      ],
    },
    {
      state: 'not renewed any more, taken by the other when it has run out',
      lease: ranOut,
      tenures: [
        { replica: 'a', from: 0, until: 17_000, end: 'ran out' },
        { replica: 'b', from: 18_000, until: 33_000 },
      ],
    },
    {
      state: 'taken by the next process of the same replica',
      lease: writes(['a', 'a1', 0], ['a', '', 1_000], ['a', 'a2', 2_000]),
      tenures: [
        { holder: 'a1', until: 1_000 },
        { holder: 'a2', from: 2_000 },
      ],
    },
    {
      state: 'released after it had run out',
      lease: writes(['a', 'a1', 0], ['a', '', 20_000]),
      tenures: [{ until: 15_000, end: 'released' }],
    },
    { state: 'never taken', lease: [], tenures: [] },
  ])('$state -> its tenures, nothing stolen', ({ lease, tenures }) => {
    expect(tenuresOf(lease)).toMatchObject({ tenures, stolen: [] });
  });

  test('log in another order than etcd took the writes -> by the order of etcd', () => {
    expect(tenuresOf(handedOver.toReversed())).toEqual(tenuresOf(handedOver));
  });

  test('taken 1 ms before it has run out -> stolen', () => {
    expect(tenuresOf(writes(['a', 'a1', 0], ['b', 'b1', duration - 1])).stolen).toEqual([
      'b took the lease 1 ms before that of a ran out',
    ]);
  });
});

describe('judgeActs', () => {
  const act = (replica: string, sentAt: number, receivedAt = sentAt) => ({
    replica,
    what: 'patch claims x',
    sentAt,
    receivedAt,
  });

  test.each([
    { state: 'within the tenure', one: act('a', 1_000), verdict: 'lawful' },
    { state: 'at the moment of the release', one: act('a', 3_000), verdict: 'lawful' },
    { state: '1 ms after the release', one: act('a', 3_001), verdict: 'unlawful' },
    { state: 'while the other leads', one: act('a', 5_000), verdict: 'unlawful' },
    { state: 'sent before the release, received after it', one: act('a', 2_900, 3_500), verdict: 'late' },
    {
      state: '5 ms before it takes the lease, which is what timestamps might differ by',
      one: act('b', 3_995),
      verdict: 'lawful',
    },
    { state: '6 ms before it takes the lease', one: act('b', 3_994), verdict: 'unlawful' },
    {
      state: 'sent before it takes the lease, received after',
      one: act('b', 3_500, 4_500),
      verdict: 'unlawful',
    },
    { state: 'by one that never leads', one: act('c', 1_000), verdict: 'unlawful' },
  ])('$state -> $verdict', ({ one, verdict }) => {
    const { unlawful, late, acts } = judgeActs([one], tenuresOf(handedOver).tenures);
    expect(acts).toBe(1);
    expect({ unlawful: unlawful.length, late: late.length }).toEqual({
      unlawful: verdict === 'unlawful' ? 1 : 0,
      late: verdict === 'late' ? 1 : 0,
    });
  });

  test.each([
    { state: 'before the lease has run out', at: 17_000, unlawful: [] },
    {
      state: 'after it has run out, though nobody else has it yet',
      at: 17_001,
      unlawful: ['a: patch claims x, sent 1 ms after its lease ended'],
    },
  ])('not renewed any more, write $state -> $unlawful.length unlawful', ({ at, unlawful }) => {
    expect(judgeActs([act('a', at)], tenuresOf(ranOut).tenures).unlawful).toEqual(unlawful);
  });

  test('second tenure of a replica -> writes in both are lawful, those in between are not', () => {
    const { tenures } = tenuresOf(
      writes(['a', 'a1', 0], ['a', '', 1_000], ['b', 'b1', 2_000], ['b', '', 3_000], ['a', 'a2', 4_000]),
    );
    const { unlawful } = judgeActs([act('a', 500), act('a', 2_500), act('a', 4_500)], tenures);
    expect(unlawful).toHaveLength(1);
  });
});

describe('longestGap', () => {
  test.each([
    { state: 'released', lease: handedOver, gap: 1_000 },
    { state: 'ran out: from its last renewal', lease: ranOut, gap: 16_000 },
    { state: 'one tenure', lease: writes(['a', 'a1', 0]), gap: 0 },
    { state: 'never taken', lease: [], gap: 0 },
  ])('$state -> $gap ms', ({ lease, gap }) => {
    expect(longestGap(tenuresOf(lease).tenures)).toBe(gap);
  });
});
