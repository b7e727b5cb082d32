import { describe, expect, test } from '@jest/globals';
import { claim, facts, noon, snapshot, toSet } from '../snapshots.ts';
import { decided } from './decided.ts';

const workload = facts({ whenDeleted: 'Delete', whenScaled: 'Delete', wanted: false, grace: 60_000 });
const past = '2026-01-01T11:59:59Z';

describe('mark of a claim that is due and unused', () => {
  test.each([
    { name: 'written for another claim', mark: past, uid: 'uid-before-the-backup' },
    { name: 'written for no claim', mark: past, uid: '' },
    { name: 'no time', mark: 'tomorrow', uid: 'uid-of-claim' },
    { name: 'a time that is guessed at', mark: '2025', uid: 'uid-of-claim' },
    { name: 'a time with words after it', mark: `${past} (noon)`, uid: 'uid-of-claim' },
    { name: 'no day there is', mark: '2025-13-41T11:59:59Z', uid: 'uid-of-claim' },
    { name: 'a day that its month does not have', mark: '2025-02-30T11:59:59Z', uid: 'uid-of-claim' },
  ])('S4: $name -> void, taken away, the claim is kept', ({ mark, uid }) => {
    const given = claim([toSet()], { mark, markedUid: uid });
    for (const pod of [undefined, { uid: 'uid-of-web-1', ofWorkload: true }]) {
      expect(decided(snapshot({ claim: given, workload, pod, now: noon })).kind).toBe('unmark');
    }
    // And then nothing but the Event.
    expect(decided(snapshot({ claim: claim([toSet()]), workload, pod: undefined }))).toMatchObject({
      reason: 'ScaleDownMissed',
    });
  });

  test.each([past, '2026-01-01T11:59:59.250Z', '2026-01-01T13:59:59+02:00'])(
    'written for this claim, %s -> the claim is deleted',
    (mark) => {
      const given = claim([toSet()], { mark });
      expect(decided(snapshot({ claim: given, workload, pod: undefined }))).toMatchObject({
        kind: 'deleteClaim',
        reason: 'GraceOver',
      });
    },
  );
});
