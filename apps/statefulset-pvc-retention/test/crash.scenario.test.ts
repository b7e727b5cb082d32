import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { persistentVolumeClaims } from '@holdfast/core';
import { eventually, startApp, type AppProcess } from '@holdfast/scenario';
import {
  controlPlaneMissing,
  garbageCollector,
  startControlPlane,
  startController,
  type ControlPlane,
  type RunningController,
} from '@holdfast/testing';
import { handOf, openStage, type Policy, type Stage } from './stage.ts';

const suite = controlPlaneMissing() === undefined ? describe : describe.skip;
const count = 150;

suite('statefulset-pvc-retention killed in the middle of its work', () => {
  let plane: ControlPlane;
  let stage: Stage;
  let collector: RunningController;
  let app: AppProcess | undefined;

  beforeAll(async () => {
    plane = await startControlPlane({ disableAdmissionPlugins: ['StorageObjectInUseProtection'] });
    collector = await startController(plane, garbageCollector);
    stage = await openStage(plane);
  }, 90_000);

  afterAll(async () => {
    app?.kill('SIGKILL');
    await stage.close();
    await collector.stop();
    await plane.stop();
  }, 60_000);

  const start = (...args: readonly string[]): AppProcess =>
    startApp('statefulset-pvc-retention', [
      `--kubeconfig=${stage.kubeconfigFile}`,
      '--leader-elect=false',
      '--metrics-bind-address=0',
      '--health-probe-bind-address=0',
      ...args,
    ]);
  /** Slow enough to be caught at it. */
  const slowly = ['--kube-api-qps=100', '--kube-api-burst=1'];

  test('kill -9 while adding and while taking back -> the next process finishes, no claim is lost', async () => {
    const hand = handOf(stage, await stage.namespace());
    const names = Array.from({ length: count }, (_, ordinal) => `data-web-${String(ordinal)}`);
    const uids = new Map<string, string>();
    for (const name of names) {
      uids.set(name, (await hand.createClaim(name)).metadata.uid);
    }
    const owned = async (): Promise<number> => {
      const { items } = await stage.client.list(persistentVolumeClaims, { namespace: hand.namespace });
      return items.filter(({ metadata }) => (metadata.ownerReferences ?? []).length > 0).length;
    };
    const retain: Policy = { whenDeleted: 'Retain', whenScaled: 'Retain' };
    await hand.createSet({ replicas: count, policy: { ...retain, whenDeleted: 'Delete' } });

    const caught = async (what: string, isCaught: () => Promise<boolean>): Promise<void> => {
      const killed = (app = start(...slowly));
      await eventually(what, isCaught);
      killed.kill('SIGKILL');
      await killed.exit;
    };
    await caught('some are owned', async () => (await owned()) >= 20);
    expect(await owned()).toBeLessThan(count);
    await caught('all are owned', async () => (await owned()) === count);

    await hand.setPolicy(retain);
    await caught('some are let go', async () => (await owned()) <= count - 20);
    expect(await owned()).toBeGreaterThan(0);
    app = start();
    await eventually('all are let go', async () => (await owned()) === 0);
    await hand.deleteSet('Background');
    app.kill('SIGTERM');
    expect(await app.exit).toEqual({ code: 0, signal: null });
    for (const name of names) {
      expect(await hand.dataOf(name)).toBe(uids.get(name));
    }
  }, 120_000);
});
