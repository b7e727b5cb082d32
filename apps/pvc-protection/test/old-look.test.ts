import { afterEach, expect, test } from '@jest/globals';
import { createPacedClock, eventually } from '@holdfast/scenario';
import { createFaultPlan, startEmbeddedControlPlane, type EmbeddedControlPlane } from '@holdfast/testing';
import { protection } from './objects.ts';
import { handOf, openStage, type Stage } from './stage.ts';

let plane: EmbeddedControlPlane | undefined;
let stage: Stage | undefined;

const removal = { verb: 'patch', resource: 'persistentvolumeclaims', name: 'data' } as const;

afterEach(async () => {
  await stage?.close();
  await plane?.stop();
});

test('A0: a pod gets a node while the finalizer’s removal waits for a Retry-After -> the pods are listed anew, the claim is held', async () => {
  let createPod = (): Promise<void> => Promise.resolve();
  const plan = createFaultPlan(1)
    .on(removal, { kind: 'call', run: () => createPod() }, { times: 1 })
    .on(removal, { kind: 'status', code: 429, retryAfterSeconds: 3 }, { times: 1 });
  plane = await startEmbeddedControlPlane({ tls: false, faults: plan });
  const opened = (stage = await openStage(plane));
  const namespace = await opened.namespace();
  const hand = handOf(opened.client, namespace);
  createPod = async () => {
    await hand.createPod('web', 'data');
  };
  await hand.createClaim('data', { finalizers: [protection] });
  const { registry } = await opened.startController({}, { clientClock: createPacedClock(4) });
  await hand.deleteClaim('data');
  await eventually('data is held', async () =>
    (await registry.metrics()).includes(`pvc_protection_terminating_claims{namespace="${namespace}"} 1`),
  );
  expect(await hand.finalizersOf('data')).toContain(protection);
  expect(plan.injected).toHaveLength(2);
}, 30_000);

test('a pod gets a node while the removal waits for less time than its look is good for -> never sent again, the claim is held', async () => {
  let createPod = (): Promise<void> => Promise.resolve();
  const plan = createFaultPlan(1)
    .on(removal, { kind: 'call', run: () => createPod() }, { times: 1 })
    .on(removal, { kind: 'status', code: 429, retryAfterSeconds: 1 }, { times: 1 });
  plane = await startEmbeddedControlPlane({ tls: false, faults: plan });
  const opened = (stage = await openStage(plane));
  const namespace = await opened.namespace();
  const hand = handOf(opened.client, namespace);
  createPod = async () => {
    await hand.createPod('web', 'data');
  };
  await hand.createClaim('data', { finalizers: [protection] });
  const { registry } = await opened.startController({}, { clientClock: createPacedClock(4) });
  await hand.deleteClaim('data');
  const isHeld = async (): Promise<boolean> =>
    (await registry.metrics()).includes(`pvc_protection_terminating_claims{namespace="${namespace}"} 1`);
  await eventually('data is held, or gone', async () => (await isHeld()) || (await hand.claimIsGone('data')));
  expect(await hand.finalizersOf('data')).toContain(protection);
  expect(plan.injected).toHaveLength(2);
}, 30_000);
