import { expect, test } from '@jest/globals';
import { eventually, type StagedController } from '@holdfast/scenario';
import { marksOf, writesOf } from './gives-way.ts';
import { createLeapingClock, type LeapingClock } from './leaping-clock.ts';
import { collected, handOf, judged, type Hand, type Policy, type Stage } from './stage.ts';

const hour = 3_600_000;
const window = { 'holdfast.dev/scale-down-grace': '1h' };
const retain: Policy = { whenDeleted: 'Retain', whenScaled: 'Retain' };
/** The policy in annotations, beside a field that says Retain. */
export const byAnnotations = { 'holdfast.dev/when-deleted': 'Delete', 'holdfast.dev/when-scaled': 'Delete' };

/** What a test of undo windows works with. */
export interface WindowScene {
  readonly hand: Hand;
  readonly ours: StagedController;
  readonly clock: LeapingClock;
  /** There is a Warning Event of this reason on the set. */
  warned(reason: string): Promise<boolean>;
}

/** A test with a controller and a namespace of its own, and a clock that leaps. */
export function windowTest(
  stage: () => Stage,
  name: string,
  play: (scene: WindowScene) => Promise<void>,
  featureGates = 'DeletionGracePeriod=true',
): void {
  test(
    name,
    async () => {
      const clock = createLeapingClock();
      const ours = await stage().startController({
        clock,
        ...clock.wallClocks,
        featureGates,
        yieldToStockController: true,
      });
      const hand = handOf(stage(), await stage().namespace());
      await play({
        hand,
        ours,
        clock,
        warned: async (reason) =>
          (await stage().eventsOn(hand.namespace)).some(
            ({ type, reason: said, regarding }) =>
              type === 'Warning' && said === reason && regarding?.kind === 'StatefulSet',
          ),
      });
      await ours.stop();
    },
    60_000,
  );
}

/**
 * Undo windows beside a StatefulSet controller.
 *
 * @param retains that one carries out the field
 */
export function undoWindowPlan(stage: () => Stage, retains: boolean): void {
  windowTest(
    stage,
    'S2: policy by annotations with a window, scaled down -> marked; up -> cleared; an hour after the last -> gone',
    async ({ hand, ours, clock }) => {
      const annotations = { ...byAnnotations, ...window };
      const { metadata } = await hand.createSet({ replicas: 2, policy: retain, annotations });
      expect(metadata.annotations).toEqual(annotations);
      await hand.running('web-0', 'web-1');
      const data = await hand.dataOf('data-web-1');
      for (const replicas of [1, 2, 1]) {
        await hand.scale(replicas);
        await (replicas === 1 ? hand.marked('data-web-1') : hand.unmarked('data-web-1'));
        await hand.running(...(replicas === 1 ? ['web-0'] : ['web-0', 'web-1']));
      }
      clock.leap(hour - 60_000);
      await judged(hand);
      await collected(hand);
      expect(await hand.dataOf('data-web-1')).toBe(data);
      expect(await hand.ownersOf('data-web-1')).toStrictEqual([]);
      clock.leap(60_000);
      await hand.gone('data-web-1');
      // The marker's.
      expect(await writesOf(ours)).toBe(1);
    },
  );

  windowTest(
    stage,
    'S2: policy by annotations, the field says Retain, no window -> kept, a Warning Event says to use the field',
    async ({ hand, ours, warned }) => {
      await hand.createSet({ replicas: 2, policy: retain, annotations: byAnnotations });
      await hand.running('web-0', 'web-1');
      await eventually('an Event says so', () => warned('PolicyIgnored'));
      const data = await hand.dataOf('data-web-1');
      await hand.scale(1);
      await hand.running('web-0');
      await judged(hand);
      await collected(hand);
      expect(await hand.dataOf('data-web-1')).toBe(data);
      expect(await writesOf(ours)).toBe(1);
    },
  );

  if (retains) {
    for (const whenDeleted of ['Delete', 'Retain'] as const) {
      windowTest(
        stage,
        `S2: field says whenDeleted ${whenDeleted}, whenScaled Delete, with a window -> a Warning Event before anything is scaled, no fight`,
        async ({ hand, ours, warned }) => {
          const policy: Policy = { whenDeleted, whenScaled: 'Delete' };
          await hand.createSet({ replicas: 2, policy, annotations: window });
          await eventually('an Event says so', () => warned('UndoWindowNotHeld'));
          await hand.running('web-0', 'web-1');
          await hand.scale(1);
          await hand.gone('data-web-1');
          expect([await writesOf(ours), await marksOf(ours)]).toEqual([0, 0]);
        },
      );
    }
  }
}
