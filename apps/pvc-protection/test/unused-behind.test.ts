import { expect, test } from '@jest/globals';
import { persistentVolumeClaims } from '@holdfast/core';
import { eventually, useFaultScenes, type StagedController } from '@holdfast/scenario';
import { faultyApp } from './faulty-app.ts';

/* The cache of claims is behind what the controller itself has written, and the cache of pods is not. */

const open = useFaultScenes({
  ...faultyApp,
  options: { featureGates: 'ClaimUnusedCondition=true' },
  disableAdmissionPlugins: [],
});

async function openScene() {
  const scene = await open();
  const { namespace, hand, stage, plan, plane } = scene;
  const is = (status: string) =>
    eventually(`condition Unused is ${status}`, async () => {
      const claim = await stage.client.get(persistentVolumeClaims, { namespace, name: 'data' });
      return claim.status?.conditions?.find(({ type }) => type === 'Unused')?.status === status;
    });
  await hand.createClaim('data');
  return {
    ...scene,
    is,
    /** The claims' watch stands still from now on, until `goOn`. */
    stall: () => scene.stallWatch('persistentvolumeclaims'),
    goOn: () => {
      plan.clear();
      plane.apiServer.cutWatches();
    },
  };
}

/** How often the condition was looked at without an error. */
async function looks({ registry }: StagedController): Promise<number> {
  const metric = await registry.getSingleMetric('controller_runtime_reconcile_total')?.get();
  return (metric?.values ?? [])
    .filter(
      ({ labels }) => labels['controller'] === 'claim-unused-condition' && labels['result'] === 'success',
    )
    .reduce((sum, { value }) => sum + value, 0);
}

test('a pod comes before the cache has that the claim was said to be unused -> it is said to be used', async () => {
  const { hand, start, is, stall, goOn } = await openScene();
  await hand.createPod('web-1', 'data');
  const controller = await start();
  await is('False');
  await stall();
  await hand.deletePod('web-1');
  await is('True');
  const before = await looks(controller);
  await hand.createPod('web-2', 'data');
  await eventually('the pod was seen', async () => (await looks(controller)) > before);
  goOn();
  await is('False');
});

test('a pod goes before the cache has that the claim was said to be used -> it is said to be unused', async () => {
  const { hand, start, is, stall, goOn } = await openScene();
  const controller = await start();
  await is('True');
  await stall();
  await hand.createPod('web-1', 'data');
  await is('False');
  const before = await looks(controller);
  await hand.deletePod('web-1');
  await eventually('the end of the pod was seen', async () => (await looks(controller)) > before);
  goOn();
  await is('True');
  expect(await looks(controller)).toBeGreaterThan(before);
});
