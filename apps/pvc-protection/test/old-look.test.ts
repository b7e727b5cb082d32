import { expect, test } from '@jest/globals';
import { systemClock } from '@holdfast/runtime';
import { createPacedClock, eventually, useFaultScenes } from '@holdfast/scenario';
import { faultyApp } from './faulty-app.ts';
import { protection } from './objects.ts';

const open = useFaultScenes({ ...faultyApp, disableAdmissionPlugins: [] });

const removal = { verb: 'patch', resource: 'persistentvolumeclaims', name: 'data' } as const;

/**
 * A claim that is deleted while no pod uses it. The removal of its finalizer has to wait for this long, and a pod gets
 * a node meanwhile.
 */
async function openScene(retryAfterSeconds: number) {
  const { plan, namespace, hand, start } = await open();
  plan
    .on(
      removal,
      { kind: 'call', run: () => hand.createPod('web', 'data').then(() => undefined) },
      { times: 1 },
    )
    .on(removal, { kind: 'status', code: 429, retryAfterSeconds }, { times: 1 });
  await hand.createClaim('data', { finalizers: [protection] });
  const { registry } = await start({ clock: systemClock, clientClock: createPacedClock(4) });
  await hand.deleteClaim('data');
  const isHeld = async (): Promise<boolean> =>
    (await registry.metrics()).includes(`pvc_protection_terminating_claims{namespace="${namespace}"} 1`);
  return { plan, hand, isHeld };
}

test('A0: a pod gets a node while the finalizer’s removal waits for a Retry-After -> the pods are listed anew, the claim is held', async () => {
  const { plan, hand, isHeld } = await openScene(3);
  await eventually('data is held', isHeld);
  expect(await hand.finalizersOf('data')).toContain(protection);
  expect(plan.injected).toHaveLength(2);
}, 30_000);

test('a pod gets a node while the removal waits for less time than its look is good for -> never sent again, the claim is held', async () => {
  const { plan, hand, isHeld } = await openScene(1);
  await eventually('data is held, or gone', async () => (await isHeld()) || (await hand.claimIsGone('data')));
  expect(await hand.finalizersOf('data')).toContain(protection);
  expect(plan.injected).toHaveLength(2);
}, 30_000);
