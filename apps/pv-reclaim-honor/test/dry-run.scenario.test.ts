import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { describeUnless, eventually, startApp, type AppProcess } from '@holdfast/scenario';
import { controlPlaneMissing, startControlPlane } from '@holdfast/testing';
import { createPassingTime } from './passing-time.ts';
import { handOf, withBinder, type Hand, type Stage, type Storage } from './stage.ts';
import { useBinderScenes } from './storage-scene.ts';

/* `--dry-run` of what is shipped, where a volume's undo window is over. */

const gateOn = 'ReclaimGracePeriod=true';
const deleteAfter = 'holdfast.dev/delete-after';

describeUnless(controlPlaneMissing(withBinder), 'dry run of pv-reclaim-honor', () => {
  const apps: AppProcess[] = [];
  afterAll(() => Promise.all(apps.map((app) => app.end('SIGKILL'))));
  const open = useBinderScenes(afterAll);
  let stage: Stage;
  let storage: Storage;
  let hand: Hand;

  beforeAll(async () => {
    ({ stage, storage } = await open(startControlPlane(withBinder)));
    hand = handOf(stage, await stage.namespace(), storage.driver);
  }, 120_000);

  const start = (...flags: readonly string[]): AppProcess => {
    const app = startApp('pv-reclaim-honor', [
      `--kubeconfig=${stage.kubeconfigFile}`,
      `--csi-address=${storage.driver.address}`,
      `--feature-gates=${gateOn}`,
      '--leader-elect=false',
      ...flags,
    ]);
    apps.push(app);
    return app;
  };

  test('undo window of a volume over -> its deletion is logged as a dry run, and volume and storage stay; without --dry-run both go', async () => {
    const time = createPassingTime();
    // Marked by a controller whose clocks are years behind.
    const longAgo = (): Date => new Date(Date.parse('2020-01-01T12:00:00Z') + time.clock.now());
    await stage.startController(
      { csiAddresses: [storage.driver.address], featureGates: gateOn, now: longAgo, serverTime: longAgo },
      { clock: time.clock },
    );
    const shape = {
      policy: 'Retain',
      annotations: { 'holdfast.dev/reclaim-policy': 'Delete', 'holdfast.dev/reclaim-grace': '5m' },
    } as const;
    await hand.held('v', shape, 'holdfast.dev/undo-window');
    await hand.deleteClaim('v');
    await time.until(
      'it is marked',
      async () => (await hand.volume('v'))?.metadata.annotations?.[deleteAfter] !== undefined,
    );
    await stage.stopControllers();
    const before = await hand.volume('v');

    const rehearsed = start('--dry-run');
    const deletion = (): string | undefined =>
      rehearsed
        .stderr()
        .split('\n')
        .find((line) => line.includes('"operation":"deleteObject"') && line.includes(hand.nameOf('v')));
    await eventually('it logs what it would do', () => deletion() !== undefined);
    expect(deletion()).toContain('"dryRun":true');
    expect(await hand.volume('v')).toEqual(before);
    expect(storage.driver.hasVolume(hand.nameOf('v'))).toBe(true);
    await rehearsed.end('SIGKILL');
    expect(await hand.volume('v')).toEqual(before);

    start();
    await eventually('it is gone', () => hand.volumeIsGone('v'));
    expect(storage.driver.hasVolume(hand.nameOf('v'))).toBe(false);
  }, 90_000);
});
