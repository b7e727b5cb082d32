import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { persistentVolumeClaims, type PersistentVolumeClaim } from '@holdfast/core';
import { eventually, startApp, type AppProcess } from '@holdfast/scenario';
import { controlPlaneMissing, startControlPlane, type ControlPlane } from '@holdfast/testing';
import { handOf, openStage, type Stage } from './stage.ts';

const suite = controlPlaneMissing() === undefined ? describe : describe.skip;
const count = 150;

suite('retroactive-default-sc killed in the middle of its work', () => {
  let plane: ControlPlane;
  let stage: Stage;
  let app: AppProcess | undefined;

  beforeAll(async () => {
    plane = await startControlPlane({ disableAdmissionPlugins: ['DefaultStorageClass'] });
    stage = await openStage(plane);
  }, 90_000);

  afterAll(async () => {
    app?.kill('SIGKILL');
    await stage.close();
    await plane.stop();
  }, 60_000);

  const start = (...args: readonly string[]): AppProcess =>
    startApp('retroactive-default-sc', [
      `--kubeconfig=${stage.kubeconfigFile}`,
      '--leader-elect=false',
      '--metrics-bind-address=0',
      '--health-probe-bind-address=0',
      ...args,
    ]);

  test('kill -9, and another default by then -> the next process serves the rest, and changes none', async () => {
    const namespace = await stage.namespace();
    const hand = handOf(stage.client, namespace);
    const claims = async (): Promise<readonly PersistentVolumeClaim[]> =>
      (await stage.client.list(persistentVolumeClaims, { namespace })).items;
    const having = (className: string, all: readonly PersistentVolumeClaim[]): readonly string[] =>
      all.filter(({ spec }) => spec?.storageClassName === className).map(({ metadata }) => metadata.name);
    for (let index = 0; index < count; index++) {
      await hand.createClaim(`data-${String(index)}`);
    }
    await hand.createClass('gold');
    // Slow enough to be caught at it.
    app = start('--kube-api-qps=50', '--kube-api-burst=1');
    await eventually('some have a class', async () => having('gold', await claims()).length >= 20);
    app.kill('SIGKILL');
    await app.exit;
    const first = having('gold', await claims());
    expect(first.length).toBeLessThan(count);
    await hand.deleteClass('gold');
    await hand.createClass('silver');

    app = start();
    await eventually('all have a class', async () =>
      (await claims()).every(({ spec }) => spec?.storageClassName !== undefined),
    );
    const all = await claims();
    expect(having('gold', all)).toEqual(first);
    expect(having('silver', all)).toHaveLength(count - first.length);
    app.kill('SIGTERM');
    expect(await app.exit).toEqual({ code: 0, signal: null });
  }, 90_000);

  test('--dry-run -> says what it would do, marked, and nothing is stored', async () => {
    const hand = handOf(stage.client, await stage.namespace());
    await hand.deleteAllClasses();
    await hand.createClass('gold');
    const { metadata } = await hand.createClaim('data');
    const running = (app = start('--dry-run'));
    const said = (): string | undefined =>
      running
        .stderr()
        .split('\n')
        .find((line) => line.includes('Storage class assigned') && line.includes(metadata.namespace ?? ''));
    await eventually('it says what it would do', () => said() !== undefined);
    expect(said()).toContain('"dryRun":true');
    expect(await hand.classOf('data')).toBeUndefined();
    running.kill('SIGTERM');
    await running.exit;
  }, 60_000);
});
