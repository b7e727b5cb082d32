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

  test.each([
    { name: 'a window that is over', given: { claim: claim([toSet()], { mark }) } },
    {
      name: 'a missed scale-down that is collected',
      given: { claim: claim([toSet()]), workload: { ...workload, grace: undefined }, collectMissed: true },
    },
  ])('R1: led again a moment ago after nobody led for long, $name -> waits', ({ given }) => {
    const now = noon + 2 * hour;
    const noneOverBefore = now + hour;
    const at = (later: number) =>
      decided(
        snapshot({
          ...{ workload, pod: undefined, now: later, serverNow: later, noneOverBefore },
          ...given,
        }),
      );
    expect(at(now)).toEqual({ kind: 'wait', until: noneOverBefore, reason: 'Grace' });
    expect(at(noneOverBefore)).toMatchObject({ kind: 'deleteClaim' });
  });

  test('missed scale-down that is collected, led all the time -> deleted, whatever the clocks say', () => {
    const given = { claim: claim([toSet()]), workload: { ...workload, grace: undefined }, pod: undefined };
    const decision = decided(snapshot({ ...given, collectMissed: true, serverNow: undefined }));
    expect(decision).toMatchObject({ kind: 'deleteClaim', reason: 'ScaleDownMissed' });
  });

  test('R1: the same, and the window ends later -> waits until its own end', () => {
    const given = { claim: claim([toSet()], { mark }), workload, pod: undefined };
    expect(decided(snapshot({ ...given, noneOverBefore: noon + 1 }))).toMatchObject({ until: noon + hour });
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
