import { afterEach, expect, test } from '@jest/globals';
import { eventually } from '@holdfast/scenario';
import { createFaultPlan, startEmbeddedControlPlane, type EmbeddedControlPlane } from '@holdfast/testing';
import { handOf, openStage, type Stage } from './stage.ts';

let plane: EmbeddedControlPlane | undefined;
let stage: Stage | undefined;

afterEach(async () => {
  await stage?.close();
  await plane?.stop();
});

test('A0: the default moves to another class while the patch waits for a Retry-After -> the claim gets the new one', async () => {
  const plan = createFaultPlan(1).on(
    { verb: 'patch', resource: 'persistentvolumeclaims', userAgent: /^retroactive/ },
    { kind: 'status', code: 429, reason: 'TooManyRequests', message: 'busy', retryAfterSeconds: 3 },
    { times: 1 },
  );
  plane = await startEmbeddedControlPlane({
    tls: false,
    disableAdmissionPlugins: ['DefaultStorageClass'],
    faults: plan,
  });
  const opened = (stage = await openStage(plane));
  const hand = handOf(opened.client, await opened.namespace());
  await hand.createClass('gold');
  await hand.createClaim('data');
  await opened.startController({});
  await eventually('the patch waits', () => plan.injected.length === 1);
  await hand.mark('gold', 'false');
  await hand.createClass('silver');
  await eventually('data has a class', async () => (await hand.classOf('data')) !== undefined);
  expect(await hand.classOf('data')).toBe('silver');
}, 30_000);
