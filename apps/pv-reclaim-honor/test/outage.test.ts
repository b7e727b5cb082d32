import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { startEmbeddedControlPlane, type CsiDriver, type EmbeddedControlPlane } from '@holdfast/testing';
import { csiFinalizer } from './objects.ts';
import { createPassingTime, type PassingTime } from './passing-time.ts';
import { handOf, settled, type Hand, type Options, type Stage, type Storage } from './stage.ts';
import { useBinderScenes } from './storage-scene.ts';

const open = useBinderScenes(afterEach);
let plane: EmbeddedControlPlane;
let stage: Stage;
let storage: Storage;
let driver: CsiDriver;
let time: PassingTime;
let hand: Hand;
let app: Options;

beforeEach(async () => {
  ({ plane, stage, storage } = await open(startEmbeddedControlPlane()));
  driver = storage.driver;
  time = createPassingTime();
  app = { csiAddresses: [driver.address] };
  hand = handOf(stage, await stage.namespace(), driver, time.until);
}, 30_000);

const names = Array.from({ length: 8 }, (_, index) => `v${String(index)}`);
const allGone = (): Promise<void> =>
  time.inStepsOf(1_000)('all volumes are gone', async () =>
    (await Promise.all(names.map(hand.volumeIsGone))).every(Boolean),
  );

describe('driver away', () => {
  test('for more than a minute, volumes released meanwhile -> nothing is lost, nothing deleted twice at once', async () => {
    await stage.startController(app, time);
    await Promise.all(names.map((name) => hand.held(name)));
    await driver.crash();
    await Promise.all(
      names.map(async (name, index) => {
        if (index % 2 === 0) {
          await hand.deleteVolume(name);
        }
        await hand.deleteClaim(name);
      }),
    );
    await time.pass(70_000);
    for (const name of names) {
      expect(driver.hasVolume(hand.nameOf(name))).toBe(true);
      expect(await hand.finalizersOf(name)).toContain(csiFinalizer);
    }
    await driver.start();
    await allGone();
    expect(names.some((name) => driver.hasVolume(hand.nameOf(name)))).toBe(false);
    expect(driver.mostInFlight).toBe(1);
  }, 60_000);

  test('when the controller starts -> connected when it comes, and what waits is done', async () => {
    await driver.crash();
    await stage.startController(app, time);
    await Promise.all(names.map((name) => hand.bound(name)));
    for (const name of names) {
      expect(await hand.finalizersOf(name)).not.toContain(csiFinalizer);
    }
    await driver.start();
    await Promise.all(
      names.map(async (name) => {
        await time.until(`${name} is held`, async () =>
          (await hand.finalizersOf(name)).includes(csiFinalizer),
        );
        await hand.deleteClaim(name);
      }),
    );
    await allGone();
  }, 60_000);

  test('crashes after the deletion, before its answer -> asked again, and done', async () => {
    await stage.startController(app, time);
    await hand.held('v');
    driver.inject({ kind: 'crash', when: 'after' }, 1);
    await hand.deleteClaim('v');
    // Its socket is the last that goes with it.
    await time.until(
      'the driver has crashed',
      () =>
        !driver.hasVolume(hand.nameOf('v')) &&
        !existsSync(fileURLToPath(driver.address.replace('unix:', 'file:'))),
    );
    expect(await hand.finalizersOf('v')).toContain(csiFinalizer);
    await driver.start();
    await time.until('v is gone', () => hand.volumeIsGone('v'));
    expect(driver.deletions.length).toBeGreaterThanOrEqual(2);
  }, 60_000);

  test('not ready yet -> no volume is held or deleted before it is', async () => {
    driver.setReady(false);
    await stage.startController(app, time);
    await hand.bound('v');
    await time.pass(30_000);
    expect(await hand.finalizersOf('v')).not.toContain(csiFinalizer);
    driver.setReady(true);
    await time.inStepsOf(1_000)('v is held', async () =>
      (await hand.finalizersOf('v')).includes(csiFinalizer),
    );
  }, 60_000);
});

describe('driver in trouble', () => {
  test('slower than --csi-timeout twice -> tried again, done, never twice at once', async () => {
    await stage.startController({ ...app, csiTimeout: 200 }, time);
    await hand.held('v');
    const late = Promise.withResolvers<undefined>();
    driver.inject({ kind: 'hold', until: late.promise }, 2);
    await hand.deleteClaim('v');
    await time.until('v is gone', () => hand.volumeIsGone('v'));
    late.resolve(undefined);
    expect(driver.deletions.length).toBeGreaterThanOrEqual(2);
    expect(driver.mostInFlight).toBe(1);
  }, 60_000);

  test('volume looked at again and again while it is being deleted -> one call', async () => {
    await stage.startController(app, time);
    await hand.held('v');
    const gate = Promise.withResolvers<undefined>();
    driver.inject({ kind: 'hold', until: gate.promise }, 1);
    await hand.deleteClaim('v');
    await time.until('it is being deleted', () => driver.deletions.length === 1);
    await hand.deleteVolume('v');
    await settled(hand);
    expect(driver.deletions.filter(({ handle }) => handle === hand.nameOf('v'))).toHaveLength(1);
    gate.resolve(undefined);
    await time.until('v is gone', () => hand.volumeIsGone('v'));
    expect(driver.mostInFlight).toBe(1);
  }, 60_000);

  test('fails on and on -> finalizer stays, tries grow rarer; healed -> done', async () => {
    await stage.startController(app, time);
    await hand.held('v');
    driver.inject({ kind: 'fail', code: 'INTERNAL', message: 'no' });
    await hand.deleteVolume('v');
    await hand.deleteClaim('v');
    const since = time.clock.now();
    await time.inStepsOf(1_000)('five tries', () => driver.deletions.length >= 5);
    // 1, 2, 4 and 8 s lie between five tries.
    expect(time.clock.now() - since).toBeGreaterThanOrEqual(15_000);
    expect(await hand.finalizersOf('v')).toContain(csiFinalizer);
    expect(driver.hasVolume(hand.nameOf('v'))).toBe(true);
    driver.heal();
    await time.inStepsOf(1_000)('v is gone', () => hand.volumeIsGone('v'));
  }, 60_000);

  test('terminating volume that was never held -> warned of once', async () => {
    await hand.bound('v');
    await hand.deleteVolume('v');
    const running = await stage.startController(app, time);
    const risks = async (): Promise<number> =>
      (await running.registry.getSingleMetric('pv_reclaim_leak_risk_total')?.get())?.values[0]?.value ?? 0;
    await time.inStepsOf(1_000)('it is warned of', async () => (await risks()) === 1);
    await settled(hand);
    expect(await risks()).toBe(1);
    await hand.deleteClaim('v');
    await time.until('v is gone', () => hand.volumeIsGone('v'));
    expect(driver.hasVolume(hand.nameOf('v'))).toBe(true);
  }, 60_000);
});

test('settled cluster -> no write', async () => {
  await stage.startController(app, time);
  await hand.held('v');
  await hand.bound('kept', { policy: 'Retain' });
  await settled(hand);
  plane.apiServer.requests.clear();
  plane.apiServer.cutWatches();
  await hand.held('marker');
  const writes = plane.apiServer.requests.all.filter(
    ({ verb, userAgent, resource }) =>
      /^pv-reclaim-honor\//.test(userAgent) &&
      resource !== 'events' &&
      !['get', 'list', 'watch'].includes(verb),
  );
  expect(writes.map(({ name }) => name)).toEqual([hand.nameOf('marker')]);
}, 60_000);
