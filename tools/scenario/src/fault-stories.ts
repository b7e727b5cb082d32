import { describe, expect, test } from '@jest/globals';
import type { FaultMatch } from '@holdfast/testing';
import { madeBy, requestFaults, watchFaults, type FaultCase } from './fault-cases.ts';
import type { FaultScene } from './fault-scene.ts';

/** An app's work from beginning to end, which must succeed under every fault. */
export interface FaultStory<Scene> {
  /** The name in the User-Agent of the app's requests. */
  readonly app: string;
  /** Matches what the app reads live before a write for which its cache is not enough. */
  readonly liveRead: FaultMatch;
  /** Faults for this app only, in addition to those for all apps. Default none. */
  readonly more?: readonly FaultCase[];
  /**
   * Which faults: all, the default; those of requests, which the app's own code survives, and watches that
   * are all cut at once; or the other faults of watches. An app whose story takes long plays the latter in a
   * thorough test, since pvc-protection meets each of them in `npm test`.
   */
  readonly faults?: 'all' | 'of requests' | 'of watches';
  /** Opens a new control plane without controllers. */
  open(): Promise<Scene>;
  /**
   * Resolves when the controllers have seen and judged everything that was done before. Leaves behind nothing
   * that affects the story.
   */
  settle(scene: Scene): Promise<void>;
  /**
   * Does what users do, waits for the app's reaction, and expects that the app does nothing else.
   *
   * @param between must be called between the steps
   */
  play(scene: Scene, between: () => void): Promise<void>;
}

/** Five stories run at a time and share one thread, possibly of a busy machine. Milliseconds. */
const patience = 120_000;

/**
 * Defines the tests: the story is played once under each of its faults. Several stories run at a time, each on its
 * own control plane, because under most faults a story mainly waits for a second that the client or the API
 * server prescribes.
 */
export function testFaultStories<Scene extends FaultScene<unknown, unknown>>(story: FaultStory<Scene>): void {
  const { faults = 'all', more = [] } = story;
  const requests = madeBy(story.app);
  const cases = [
    ...(faults === 'of watches' ? [] : [...requestFaults(requests, story.liveRead), ...more]),
    ...(faults === 'of requests' ? [] : watchFaults(requests)),
  ];

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

    if (faults !== 'of watches') {
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
    }
  });
}
