import {
  allIdle,
  startController,
  type Controller,
  type Plane,
  type RunningController,
} from '@holdfast/testing';
import type { Furniture } from '@holdfast/testing/perturbation';

/** Stand-ins for the stock controllers, as the furniture of a world. */
export interface StandIns<Name extends string> extends Furniture {
  readonly controllers: Readonly<Record<Name, RunningController>>;
}

/** @param controllers by names of the caller's choice */
export async function startStandIns<Name extends string>(
  plane: Plane,
  controllers: Readonly<Record<Name, Controller>>,
): Promise<StandIns<Name>> {
  const entries = await Promise.all(
    Object.entries<Controller>(controllers).map(
      async ([name, controller]) => [name, await startController(plane, controller)] as const,
    ),
  );
  const running = entries.map(([, controller]) => controller);
  return {
    controllers: Object.fromEntries(entries) as Record<Name, RunningController>,
    idle: () => allIdle(running),
    stop: async () => {
      await Promise.all(running.map((each) => each.stop()));
    },
  };
}
