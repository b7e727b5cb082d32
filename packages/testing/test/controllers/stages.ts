import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { systemTimer } from '@holdfast/apiserver';
import { configMaps } from '@holdfast/core';
import { setTimeout as pause } from 'node:timers/promises';
import type { ControlPlane } from '../../src/plane/control-plane.ts';
import { chosenBackend, controlPlaneMissing } from '../../src/start-control-plane.ts';
import { createApiClient, type ApiClient } from '../../src/controllers/api-client.ts';
import {
  allIdle,
  startController,
  type Controller,
  type RunningController,
} from '../../src/controllers/controller.ts';
import { startEmbeddedControlPlane } from '../../src/embedded-control-plane.ts';
import { startRealControlPlane } from '../../src/real/real-control-plane.ts';
import { startControllerManagerBeside } from './controller-manager-beside.ts';

/** Where a scenario plays: a plane, with the stand-ins or with kube-controller-manager's own controllers. */
export interface Stage {
  readonly plane: ControlPlane;
  readonly client: ApiClient;
  /** The stand-ins started here, which may be paused; empty where kube-controller-manager plays their part. */
  readonly standIns: readonly RunningController[];
  readonly extras: readonly RunningController[];
  /**
   * Has the extras rest, such as the kubelet. Scenarios side by side share them: they go on when the last that had them
   * rest is done.
   */
  withoutExtras(during: () => Promise<void>): Promise<void>;
  /** Waits for the end state: what `state` gives once nobody has anything left to do must be what is expected. */
  settles(state: () => Promise<unknown>, expected: unknown): Promise<void>;
}

/** Declares a scenario, as jest's `test` does a test. */
export interface DeclareScenario {
  (title: string, play: () => Promise<void>): void;
  each<T>(rows: readonly T[]): (title: string, play: (row: T) => Promise<void>) => void;
}

export interface Cast {
  /** kube-controller-manager's names of those that are compared. */
  readonly controllers: readonly string[];
  /** The stand-ins of those, new ones for each stage. */
  readonly standIns: () => readonly Controller[];
  /** The stand-ins that every stage needs, such as the kubelet, since no control plane has the like. */
  readonly extras?: () => readonly Controller[];
  readonly disableAdmissionPlugins?: readonly string[];
  /** Stand-ins on the embedded API server speak TLS with it, for those that look at its certificates. Default false. */
  readonly tls?: boolean;
}

const pace = 20;

/**
 * A second takes a twentieth of one, so that back-offs and deadlines of seconds need not be waited for: nobody but the
 * embedded server and the stand-ins keeps time.
 */
const swift = {
  now: () => Date.UTC(2030, 0, 1) + performance.now() * pace,
  after: (delay: number, callback: () => void) => systemTimer(delay / pace, callback),
};

/**
 * The same scenarios on four stages, of which `npm test` plays the first and `npm run test:real` the others: stand-ins
 * on the embedded API server, stand-ins on a real one, kube-controller-manager on the embedded one, and on a real one.
 * The last says what is right; the third, that no controller of Kubernetes' own can tell the embedded API server from a
 * real one.
 *
 * Scenarios declared by the suite's second argument play side by side where kube-controller-manager does, which works
 * in batches a second apart and says nothing when it is done: each for itself would wait most of its time. They need
 * namespaces of their own.
 */
export function onEveryStage(
  name: string,
  cast: Cast,
  suite: (stage: () => Stage, scenario: DeclareScenario) => void,
): void {
  const { controllers, standIns, extras = () => [], disableAdmissionPlugins = [], tls = false } = cast;
  const missing = controlPlaneMissing({ backend: 'real', controllers });
  const everyStage = [
    [
      'stand-ins, embedded API server',
      undefined,
      () => startEmbeddedControlPlane({ tls, disableAdmissionPlugins, ...swift }),
      'stand-ins',
      swift,
    ],
    [
      'stand-ins, real API server',
      missing,
      () => startRealControlPlane({ disableAdmissionPlugins }),
      'stand-ins',
      {},
    ],
    [
      'kube-controller-manager, embedded API server',
      missing,
      () => startEmbeddedControlPlane({ disableAdmissionPlugins }),
      'beside',
      {},
    ],
    [
      'kube-controller-manager',
      missing,
      () => startRealControlPlane({ controllers, disableAdmissionPlugins }),
      'own',
      {},
    ],
  ] as const;
  const stages = chosenBackend() === 'embedded' ? everyStage.slice(0, 1) : everyStage.slice(1);
  for (const [title, reason, start, players, clock] of stages) {
    const hasStandIns = players === 'stand-ins';
    const block = reason === undefined ? describe : describe.skip;
    block(`${name}: ${title}${reason === undefined ? '' : ` (skipped: ${reason})`}`, () => {
      let plane: ControlPlane | undefined;
      let stage: Stage | undefined;
      let manager: { stop(): Promise<void> } | undefined;
      let running: readonly RunningController[] = [];
      const opening = Promise.withResolvers<undefined>();
      // Whoever awaits it hears of it.
      opening.promise.catch(() => undefined);
      const open = async (): Promise<void> => {
        const opened = (plane = await start());
        if (players === 'beside') {
          manager = await startControllerManagerBeside(plane, controllers);
        }
        const startAll = (controllers: readonly Controller[]): Promise<readonly RunningController[]> =>
          Promise.all(controllers.map((each) => startController(opened, each, clock)));
        const started = hasStandIns ? await startAll(standIns()) : [];
        const added = await startAll(extras());
        running = [...started, ...added];
        const client = createApiClient(plane.kubeconfig, 'scenario');
        if (!hasStandIns && controllers.includes('garbage-collector-controller')) {
          await untilCollecting(client);
        }
        stage = {
          plane,
          client,
          standIns: started,
          extras: added,
          withoutExtras: restTogether(added),
          settles: (state, expected) =>
            hasStandIns ? settlesByIdleness(running, state, expected) : settlesInTime(state, expected),
        };
      };
      beforeAll(async () => {
        try {
          await open();
          opening.resolve(undefined);
        } catch (error) {
          opening.reject(error);
          throw error;
        }
      }, 90_000);
      afterAll(async () => {
        stage?.client.close();
        await Promise.all(running.map((controller) => controller.stop()));
        await manager?.stop();
        await plane?.stop();
      });
      suite(
        () => {
          if (stage === undefined) {
            throw new Error('the stage is set up before the tests only');
          }
          return stage;
        },
        hasStandIns ? oneByOne : sideBySide(opening.promise),
      );
    });
  }
}

const oneByOne: DeclareScenario = Object.assign(
  (title: string, play: () => Promise<void>): void => test(title, play),
  {
    each:
      <T>(rows: readonly T[]) =>
      (title: string, play: (row: T) => Promise<void>): void =>
        test.each(rows)(title, play),
  },
);

/** @param open settles with the stage: jest begins such tests before it calls any `beforeAll`. */
function sideBySide(open: Promise<unknown>): DeclareScenario {
  return Object.assign(
    (title: string, play: () => Promise<void>): void =>
      test.concurrent(title, async () => {
        await open;
        await play();
      }),
    {
      each:
        <T>(rows: readonly T[]) =>
        (title: string, play: (row: T) => Promise<void>): void =>
          test.concurrent.each(rows)(title, async (row) => {
            await open;
            await play(row);
          }),
    },
  );
}

/**
 * Waits until kube-controller-manager's garbage collector has read all kinds, which it has not when the controller
 * reports that it runs. Until then it can see the foreground deletion of an owner before an older dependent, and then
 * leaves the dependent alone.
 */
async function untilCollecting(client: ApiClient): Promise<void> {
  const name = `without-owner-${crypto.randomUUID()}`;
  const ref = { namespace: 'default', name };
  const absent = { apiVersion: 'v1', kind: 'ConfigMap', name: 'absent', uid: crypto.randomUUID() };
  await client.create(configMaps, { metadata: { ...ref, ownerReferences: [absent] } });
  for (const deadline = Date.now() + 60_000; (await client.get(configMaps, ref)) !== undefined;) {
    if (Date.now() > deadline) {
      throw new Error('the garbage collector did not begin within a minute');
    }
    await pause(50);
  }
}

function restTogether(extras: readonly RunningController[]): Stage['withoutExtras'] {
  let resting = 0;
  return async (during) => {
    resting += 1;
    try {
      await Promise.all(extras.map((extra) => extra.pause()));
      await during();
    } finally {
      resting -= 1;
      if (resting === 0) {
        for (const extra of extras) {
          extra.resume();
        }
      }
    }
  };
}

async function settlesByIdleness(
  running: readonly RunningController[],
  state: () => Promise<unknown>,
  expected: unknown,
): Promise<void> {
  await allIdle(running);
  expect(await state()).toEqual(expected);
}

/** kube-controller-manager doesn't say when it is done: the state must come, and stay for a while. */
async function settlesInTime(state: () => Promise<unknown>, expected: unknown): Promise<void> {
  const deadline = Date.now() + 30_000;
  for (;;) {
    try {
      expect(await state()).toEqual(expected);
      break;
    } catch (error) {
      if (Date.now() > deadline) {
        throw error;
      }
      await pause(50);
    }
  }
  await pause(500);
  expect(await state()).toEqual(expected);
}
