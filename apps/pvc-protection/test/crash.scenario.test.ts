import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { persistentVolumeClaims } from '@holdfast/core';
import { type AppProcess, eventually, startApp } from '@holdfast/scenario';
import { controlPlaneMissing, startControlPlane, type ControlPlane } from '@holdfast/testing';
import { protection } from './objects.ts';
import { handOf, openStage, type Stage } from './stage.ts';

const missing = controlPlaneMissing();
const suite = missing === undefined ? describe : describe.skip;
const count = 150;

suite('pvc-protection killed in the middle of its work', () => {
  let plane: ControlPlane;
  let stage: Stage;
  let app: AppProcess | undefined;

  beforeAll(async () => {
    plane = await startControlPlane({ disableAdmissionPlugins: ['StorageObjectInUseProtection'] });
    stage = await openStage(plane);
  }, 90_000);

  afterAll(async () => {
    app?.kill('SIGKILL');
    await stage.close();
    await plane.stop();
  }, 60_000);

  const start = (...args: readonly string[]): AppProcess =>
    startApp('pvc-protection', [
      `--kubeconfig=${stage.kubeconfigFile}`,
      '--leader-elect=false',
      '--metrics-bind-address=0',
      '--health-probe-bind-address=0',
      ...args,
    ]);
  /** Slow enough to be caught at it. */
  const slowly = ['--kube-api-qps=100', '--kube-api-burst=1'];

  test('kill -9 while protecting and while releasing -> the next process finishes, nothing is done twice', async () => {
    const namespace = await stage.namespace();
    const hand = handOf(stage.client, namespace);
    const claims = async () => (await stage.client.list(persistentVolumeClaims, { namespace })).items;
    const withFinalizer = async (): Promise<number> =>
      (await claims()).filter(({ metadata }) => (metadata.finalizers ?? []).length > 0).length;

    for (let index = 0; index < count; index++) {
      await hand.createClaim(`data-${String(index)}`);
    }
    await hand.createPod('web', 'data-0');

    app = start(...slowly);
    await eventually('some claims are protected', async () => (await withFinalizer()) >= 20);
    app.kill('SIGKILL');
    await app.exit;
    expect(await withFinalizer()).toBeLessThan(count);

    app = start(...slowly);
    await eventually('all claims are protected', async () => (await withFinalizer()) === count);
    for (const { metadata } of await claims()) {
      expect(metadata.finalizers).toEqual([protection]);
    }

    for (let index = 0; index < count; index++) {
      await hand.deleteClaim(`data-${String(index)}`);
    }
    await eventually('some claims are gone', async () => (await claims()).length <= count - 20);
    app.kill('SIGKILL');
    await app.exit;

    app = start();
    await eventually('all claims are gone but the one in use', async () => (await claims()).length === 1);
    expect(await hand.finalizersOf('data-0')).toEqual([protection]);
    await hand.deletePod('web');
    await eventually('the last claim is gone', () => hand.claimIsGone('data-0'));
    app.kill('SIGTERM');
    expect(await app.exit).toEqual({ code: 0, signal: null });
  }, 90_000);

  test('two processes, the leader ends in good order, the next is killed -> work goes on each time', async () => {
    const namespace = await stage.namespace();
    const hand = handOf(stage.client, namespace);
    const isProtected = async (name: string): Promise<boolean> =>
      (await hand.finalizersOf(name)).includes(protection);
    const candidate = (): AppProcess =>
      startApp('pvc-protection', [
        `--kubeconfig=${stage.kubeconfigFile}`,
        `--leader-elect-resource-namespace=${namespace}`,
        '--leader-elect-lease-duration=3s',
        '--leader-elect-renew-deadline=2s',
        '--leader-elect-retry-period=500ms',
        '--metrics-bind-address=0',
        '--health-probe-bind-address=0',
      ]);
    const leads = (process: AppProcess): boolean => process.stderr().includes('Became leader');
    const first = candidate();
    await eventually('the first leads', () => leads(first));
    const second = candidate();
    app = second;
    await hand.createClaim('one');
    await eventually('one is protected', () => isProtected('one'));

    first.kill('SIGTERM');
    expect(await first.exit).toEqual({ code: 0, signal: null });
    await eventually('the second leads', () => leads(second));
    await hand.createClaim('two');
    await eventually('two is protected', () => isProtected('two'));

    second.kill('SIGKILL');
    await second.exit;
    const third = candidate();
    app = third;
    await hand.createClaim('three');
    await eventually('three is protected', () => isProtected('three'));
    third.kill('SIGTERM');
    expect(await third.exit).toEqual({ code: 0, signal: null });
  }, 60_000);
});
