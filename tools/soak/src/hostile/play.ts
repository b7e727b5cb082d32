import { setTimeout as pause } from 'node:timers/promises';
import type { Hostility, PlannedHostility } from './hostilities.ts';
import type { Stage } from './stage.ts';

const freezeTime = 1_000;
/** Longer than a lease lasts, which is 15 s. */
const leaderlessTime = 25_000;
const stallTime = 4_000;
const stormTime = 6_000;
const slowTime = 5_000;
const answersLost = 3;
const hangTime = 8_000;
const driverSlowness = 2_000;
const driverAway = 2_000;

/**
 * Plays the plan, each item at its time without waiting for earlier ones, until the signal is aborted.
 * Resolves when everything has ended; never rejects.
 *
 * @param played called for each item that took effect
 * @param say called for each item that could not be played
 */
export async function play(
  planned: readonly PlannedHostility[],
  stage: Stage,
  played: (kind: Hostility['kind']) => void,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const began = performance.now();
  const underWay: Promise<void>[] = [];
  for (const { at, hostility } of planned) {
    await pause(Math.max(0, began + at - performance.now()), undefined, { signal }).catch(() => undefined);
    if (signal.aborted) {
      break;
    }
    const { kind } = hostility;
    underWay.push(
      playOne(hostility, stage).then(
        (tookEffect) => {
          if (tookEffect) {
            played(kind);
          }
        },
        (error: unknown) => say(`${kind} could not be played: ${String(error)}`),
      ),
    );
  }
  await Promise.all(underWay);
}

/** @returns whether it took effect: there might be no leader, or no connection to reset */
async function playOne(hostility: Hostility, stage: Stage): Promise<boolean> {
  const { plane, proxy, driver, replicas, access } = stage;
  const frontsOf = (app: string) =>
    replicas.filter((replica) => replica.app === app).map(({ name }) => proxy.front(name));
  const leaderOf = (app: string) => replicas.find((replica) => replica.app === app && replica.leads);
  switch (hostility.kind) {
    case 'freeze':
      await replicas.find(({ name }) => name === hostility.replica)?.freeze(freezeTime);
      return true;
    case 'stall':
      proxy.front(hostility.replica).stall(stallTime);
      return true;
    case 'reset':
      return proxy.front(hostility.replica).reset() > 0;
    case 'halfOpen':
      return proxy.front(hostility.replica).halfOpen() > 0;
    case 'slow':
      proxy.front(hostility.replica).slow(slowTime);
      return true;
    case 'loseAnswers':
      frontsOf(hostility.app).forEach((front) => front.loseAnswers(answersLost));
      return true;
    case 'storm':
      frontsOf(hostility.app).forEach((front) => front.storm(stormTime));
      return true;
    case 'pluginHangs':
      await access.get(hostility.replica)?.setHanging(true);
      await pause(hangTime);
      await access.get(hostility.replica)?.setHanging(false);
      return true;
    case 'rotate':
      await access.get(hostility.replica)?.rotate();
      return true;
    case 'cutOffLeader': {
      const leader = leaderOf(hostility.app);
      if (leader !== undefined) {
        proxy.front(leader.name).stall(leaderlessTime);
      }
      return leader !== undefined;
    }
    case 'freezeLeader': {
      const leader = leaderOf(hostility.app);
      await leader?.freeze(leaderlessTime);
      return leader !== undefined;
    }
    case 'driverCrash':
      await driver.crash();
      await pause(driverAway);
      await driver.start();
      return true;
    case 'driverFails':
      driver.inject({ kind: 'fail', code: 'INTERNAL', message: 'the soak wants it so' }, 5);
      return true;
    case 'driverSlow':
      driver.inject({ kind: 'slow', milliseconds: driverSlowness }, 5);
      return true;
    case 'restartApiServer':
      await plane.restartApiServer();
      return true;
  }
}
