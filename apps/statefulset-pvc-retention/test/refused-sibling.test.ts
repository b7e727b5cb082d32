import { expect, test } from '@jest/globals';
import { eventually, useFaultScenes } from '@holdfast/scenario';
import { failuresOf } from './counts.ts';
import { faultyApp, ours } from './faulty-app.ts';
import { createLeapingClock } from './leaping-clock.ts';
import { createScaledDownSet } from './scaled-down-set.ts';

/*
 * Writes to a claim have been refused for long, so that its set is tried again seldom, and what is due for its sibling
 * fails once.
 */

const clock = createLeapingClock();
const open = useFaultScenes({
  ...faultyApp,
  options: {
    featureGates: 'DeletionGracePeriod=true,CollectMissedScaleDown=true',
    ...clock.wallClocks,
  },
});
const minute = 60_000;
const claims = { ...ours, resource: 'persistentvolumeclaims' } as const;

test.each([
  {
    what: 'its deletion is answered with 500',
    request: { ...claims, verb: 'delete' },
    fault: { kind: 'status', code: 500, reason: 'InternalError' },
  },
  {
    what: 'its deletion finds it changed, of which no event tells',
    request: { ...claims, verb: 'delete' },
    fault: { kind: 'status', code: 409, reason: 'Conflict' },
  },
  {
    what: 'the list of pods is answered with 500',
    request: { ...ours, verb: 'list', resource: 'pods' },
    fault: { kind: 'status', code: 500, reason: 'InternalError' },
  },
] as const)(
  'window of a claim ends, and $what, while its sibling is refused -> it goes within a minute',
  async ({ request, fault }) => {
    const { plan, hand, start } = await open();
    plan.on(
      { ...claims, verb: 'patch', name: 'data-web-0' },
      { kind: 'status', code: 403, reason: 'Forbidden', message: 'a policy says no' },
    );
    const controller = await start({ clock });
    const owner = await createScaledDownSet(hand, '10m');
    await hand.createClaim('data-web-0', [owner]);
    await hand.createClaim('data-web-1', [owner]);
    // It waits for the end of the window.
    await hand.marked('data-web-1');
    const delay = async (): Promise<number> => 5 * 2 ** ((await failuresOf(controller)) - 1);
    let waited = 0;
    for (let next = await delay(); waited + next < 10 * minute; next = await delay()) {
      const failed = await failuresOf(controller);
      waited += next;
      clock.leap(next);
      await eventually('it is tried again', async () => (await failuresOf(controller)) > failed);
    }
    plan.on(request, fault, { times: 1 });
    const failed = await failuresOf(controller);
    clock.leap(10 * minute - waited);
    await eventually('it has failed', async () => (await failuresOf(controller)) > failed);
    let left = minute;
    await eventually('it is gone, or a minute is over', async () => {
      const isGone = (await hand.findClaim('data-web-1')) === undefined;
      if (!isGone) {
        clock.leap(5_000);
        left -= 5_000;
      }
      return isGone || left === 0;
    });
    expect(left).toBeGreaterThan(0);
    expect(await hand.dataOf('data-web-0')).toBeDefined();
  },
  60_000,
);
