import { describe, expect, test } from '@jest/globals';
import type { FaultMatch } from '@holdfast/testing';
import { faultCases, madeBy, type FaultCase } from './fault-cases.ts';
import type { FaultScene } from './fault-scene.ts';

/** An app's work from beginning to end, which no fault must spoil. */
export interface FaultStory<Scene> {
  /** The app, as its requests call themselves. */
  readonly app: string;
  /** What the app asks the API server itself before a write that its cache alone does not allow. */
  readonly liveRead: FaultMatch;
  /** Faults of this app alone, on top of those of all. Default none. */
  readonly more?: readonly FaultCase[];
  /** A new control plane without controllers. */
  open(): Promise<Scene>;
  /** Resolves when the controllers have seen and judged everything that was done before. Leaves nothing that the story minds. */
  settle(scene: Scene): Promise<void>;
  /**
   * Does what users do, waits for what the app must do about it, and expects that it did nothing else.
   *
   * @param between must be called between the steps.
   */
  play(scene: Scene, between: () => void): Promise<void>;
}

/** Five at a time have one thread, perhaps of a busy machine. Milliseconds. */
const patience = 120_000;

/**
 * Defines the tests: the story is played once under each fault. Several at a time, each on a control plane of its own, since under most faults
 * it waits for a second that the client or the API server asks for.
 */
export function testFaultStories<Scene extends FaultScene<unknown, unknown>>(story: FaultStory<Scene>): void {
  const cases = [...faultCases(madeBy(story.app), story.liveRead), ...(story.more ?? [])];

  describe('the story holds', () => {
    test.concurrent.each(cases)(
      '$name',
      async ({ rules, from = 'start', streamPause, clientClock }) => {
        await using scene = await story.open();
        const spoil = (): void => {
          for (const { match, fault, schedule } of rules) {
            scene.plan.on(match, fault, schedule);
          }
        };
        if (from === 'start') {
          spoil();
        }
        await scene.start({
          ...(streamPause === undefined ? {} : { streamPause }),
          ...(clientClock === undefined ? {} : { clientClock }),
        });
        if (from === 'settled') {
          await story.settle(scene);
          spoil();
          scene.plane.apiServer.cutWatches();
        }
        await story.play(scene, () => undefined);
        for (const { fault } of rules) {
          expect(scene.plan.injected.map((hit) => hit.fault)).toContain(fault);
        }
      },
      patience,
    );

    test.concurrent(
      'all watches cut and history compacted between steps',
      async () => {
        await using scene = await story.open();
        await scene.start();
        let count = 0;
        await story.play(scene, () => {
          count += 1;
          scene.plane.apiServer.compact();
          scene.plane.apiServer.cutWatches();
        });
        expect(count).toBeGreaterThan(1);
      },
      patience,
    );
  });
}
