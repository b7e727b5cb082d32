import { describe, expect, test } from '@jest/globals';
import { claim, facts, noon, snapshot, toSet } from '../snapshots.ts';
import { decided } from './decided.ts';

const workload = facts({ whenDeleted: 'Delete', whenScaled: 'Delete', wanted: false, grace: 60_000 });
const hour = 3_600_000;
const mark = new Date(noon + hour).toISOString();

describe("undo window by this machine's clock and the API server's", () => {
  test.each([
    { name: "this machine's leapt forward", now: noon + 2 * hour, serverNow: noon, expected: 'wait' },
    { name: "the API server's leapt forward", now: noon, serverNow: noon + 2 * hour, expected: 'wait' },
    { name: "the API server's is not known", now: noon + 2 * hour, serverNow: undefined, expected: 'wait' },
    { name: 'both are past it', now: noon + hour, serverNow: noon + hour, expected: 'deleteClaim' },
  ])('S5: $name -> $expected', ({ now, serverNow, expected }) => {
    const given = { claim: claim([toSet()], { mark }), workload, pod: undefined, now, serverNow };
    expect(decided(snapshot(given)).kind).toBe(expected);
  });

  test('S5: marked while one clock is behind -> the whole window by the one ahead', () => {
    for (const [now, serverNow] of [
      [noon, noon + hour],
      [noon + hour, noon],
    ] as const) {
      expect(decided(snapshot({ claim: claim([toSet()]), workload, now, serverNow }))).toMatchObject({
        kind: 'mark',
        deleteAfter: new Date(noon + hour + 60_000).toISOString(),
      });
    }
  });
});
