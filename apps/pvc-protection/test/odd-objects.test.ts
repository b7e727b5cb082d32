import { afterEach, describe, expect, test } from '@jest/globals';
import { eventually } from '@holdfast/scenario';
import { createFaultPlan, startEmbeddedControlPlane, type EmbeddedControlPlane } from '@holdfast/testing';
import { createFakeClock } from '@holdfast/testing/fake-clock';
import { protection } from './objects.ts';
import { handOf, openStage, type Stage } from './stage.ts';

let plane: EmbeddedControlPlane | undefined;
let stage: Stage | undefined;

afterEach(async () => {
  await stage?.close();
  await plane?.stop();
});

const faults = [
  { name: '422', fault: { kind: 'status', code: 422, reason: 'Invalid', message: 'a policy says no' } },
  { name: '403', fault: { kind: 'status', code: 403, reason: 'Forbidden', message: 'a policy says no' } },
  { name: '409', fault: { kind: 'status', code: 409, reason: 'Conflict', message: 'modified' } },
  { name: '500', fault: { kind: 'status', code: 500, reason: 'InternalError', message: 'etcd' } },
  { name: 'cut connection', fault: { kind: 'reset', when: 'before' } },
] as const;

async function enter(plan: ReturnType<typeof createFaultPlan>): Promise<Stage> {
  plane = await startEmbeddedControlPlane({
    disableAdmissionPlugins: ['StorageObjectInUseProtection'],
    faults: plan,
  });
  return (stage = await openStage(plane));
}

describe('R1: one odd object holds up no other', () => {
  test.each(faults)(
    'every write to one claim ends with $name -> others are protected and released without any delay',
    async ({ fault }) => {
      const plan = createFaultPlan(1).on(
        { verb: 'patch', resource: 'persistentvolumeclaims', name: 'odd' },
        fault,
      );
      const opened = await enter(plan);
      const hand = handOf(opened.client, await opened.namespace());
      await hand.createClaim('odd');
      // Time stands still: whoever waits for a delay waits for ever.
      await opened.startController({}, { clock: createFakeClock() });
      await eventually('the odd one was tried', () => plan.injected.length > 0);
      await hand.createClaim('good');
      await eventually('good is protected', async () =>
        (await hand.finalizersOf('good')).includes(protection),
      );
      await hand.deleteClaim('good');
      await eventually('good is gone', () => hand.claimIsGone('good'));
      expect(await hand.finalizersOf('odd')).toEqual([]);
    },
  );

  test.each([
    { name: 'fails', fault: { kind: 'status', code: 500, reason: 'InternalError', message: 'etcd' } },
    { name: 'hangs', fault: { kind: 'delay', milliseconds: 20_000 } },
  ] as const)(
    'live list of the pods of one namespace $name -> claims of another are released, its own stay',
    async ({ fault }) => {
      const plan = createFaultPlan(1);
      const opened = await enter(plan);
      const odd = await opened.namespace();
      const [oddHand, hand] = [handOf(opened.client, odd), handOf(opened.client, await opened.namespace())];
      await opened.startController({});
      const names = Array.from({ length: 30 }, (_, index) => `data-${String(index)}`);
      for (const name of names) {
        await oddHand.createClaim(name, { finalizers: [protection] });
      }
      await hand.createClaim('good', { finalizers: [protection] });
      plan.on({ verb: 'list', resource: 'pods', namespace: odd }, fault);
      for (const name of names) {
        await oddHand.deleteClaim(name);
      }
      await eventually('the list was asked for', () => plan.injected.length > 0);
      await hand.deleteClaim('good');
      await eventually('good is gone', () => hand.claimIsGone('good'));
      expect(await oddHand.finalizersOf('data-0')).toEqual([protection]);
    },
    40_000,
  );
});

test.each([
  { code: 404, reason: 'NotFound', words: 'storageclasses.storage.k8s.io "gold" not found' },
  { code: 409, reason: 'Conflict', words: 'the object has been modified' },
])(
  'a webhook denies the release with $code $reason -> an error, and released once it lets it',
  async ({ code, reason, words }) => {
    const plan = createFaultPlan(1);
    const opened = await enter(plan);
    const hand = handOf(opened.client, await opened.namespace());
    await hand.createClaim('data', { finalizers: [protection] });
    const controller = await opened.startController({});
    const message = `admission webhook "v.example.com" denied the request: ${words}`;
    plan.on(
      { verb: 'patch', resource: 'persistentvolumeclaims', name: 'data' },
      { kind: 'status', code, reason, message },
    );
    await hand.deleteClaim('data');
    await eventually('it is tried again', () => plan.injected.length > 1);
    expect(await controller.registry.metrics()).toMatch(
      /pvc_protection_finalizer_total\{operation="remove",result="error"\} [1-9]/,
    );
    plan.clear();
    await eventually('it is gone', () => hand.claimIsGone('data'));
  },
);
