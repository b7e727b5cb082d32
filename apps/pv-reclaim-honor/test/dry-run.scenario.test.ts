import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { describeUnless, eventually, startApp, type AppProcess } from '@holdfast/scenario';
import { controlPlaneMissing, startControlPlane, type ControlPlane } from '@holdfast/testing';
import { createPassingTime } from './passing-time.ts';
import { handOf, openStage, openStorage, startBinder, type Hand, type Stage } from './stage.ts';

/* `--dry-run` of what is shipped, where a volume's undo window is over. */

const controllers = [
  'persistentvolume-binder-controller',
  'persistentvolume-protection-controller',
  'persistentvolumeclaim-protection-controller',
];
const gateOn = 'ReclaimGracePeriod=true';
const deleteAfter = 'holdfast.dev/delete-after';

describeUnless(controlPlaneMissing({ controllers }), 'dry run of pv-reclaim-honor', () => {
  let plane: ControlPlane;
  let stage: Stage;
  let storage: Awaited<ReturnType<typeof openStorage>>;
  let binder: { stop(): Promise<void> };
  let hand: Hand;
  const apps: AppProcess[] = [];

  beforeAll(async () => {
    plane = await startControlPlane({ controllers });
    stage = await openStage(plane);
    storage = await openStorage();
    binder = await startBinder(plane);
    hand = handOf(stage, await stage.namespace(), storage.driver);
  }, 120_000);

  afterAll(async () => {
    await Promise.all(apps.map((app) => app.end('SIGKILL')));
    await stage.close();
    await binder.stop();
    await storage.close();
    await plane.stop();
  }, 60_000);

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
