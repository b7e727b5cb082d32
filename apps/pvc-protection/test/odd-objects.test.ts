import { describe, expect, test } from '@jest/globals';
import { eventually, useFaultScenes } from '@holdfast/scenario';
import { createFakeClock } from '@holdfast/testing/fake-clock';
import { faultyApp } from './faulty-app.ts';
import { protection } from './objects.ts';
import { handOf } from './stage.ts';

const open = useFaultScenes(faultyApp);
/** Milliseconds. Several tests wait here at a time, some for seconds, and have one thread. */
const patience = 120_000;

const faults = [
  { name: '422', fault: { kind: 'status', code: 422, reason: 'Invalid', message: 'a policy says no' } },
  { name: '403', fault: { kind: 'status', code: 403, reason: 'Forbidden', message: 'a policy says no' } },
  { name: '409', fault: { kind: 'status', code: 409, reason: 'Conflict', message: 'modified' } },
  { name: '500', fault: { kind: 'status', code: 500, reason: 'InternalError', message: 'etcd' } },
  { name: 'cut connection', fault: { kind: 'reset', when: 'before' } },
] as const;

describe('R1: one odd object holds up no other', () => {
  test.concurrent.each(faults)(
    'every write to one claim ends with $name -> others are protected and released without any delay',
    async ({ fault }) => {
      await using scene = await open();
      const { plan, hand, start } = scene;
      plan.on({ verb: 'patch', resource: 'persistentvolumeclaims', name: 'odd' }, fault);
      await hand.createClaim('odd');
      // Time stands still: whoever waits for a delay waits for ever.
      await start({ clock: createFakeClock() });
      await eventually('the odd one was tried', () => plan.injected.length > 0);
      await hand.createClaim('good');
      await eventually('good is protected', async () =>
        (await hand.finalizersOf('good')).includes(protection),
      );
      await hand.deleteClaim('good');
      await eventually('good is gone', () => hand.claimIsGone('good'));
      expect(await hand.finalizersOf('odd')).toStrictEqual([]);
    },
    patience,
  );

  test.concurrent.each([
    { name: 'fails', fault: { kind: 'status', code: 500, reason: 'InternalError', message: 'etcd' } },
    { name: 'hangs', fault: undefined },
  ] as const)(
    'live list of the pods of one namespace $name -> claims of another are released, its own stay',
    async ({ fault }) => {
      await using scene = await open();
      const { plan, stage, hand, start } = scene;
      const odd = await stage.namespace();
      const oddHand = handOf(stage.client, odd);
      await start();
      const names = Array.from({ length: 30 }, (_, index) => `data-${String(index)}`);
      for (const name of names) {
        await oddHand.createClaim(name, { finalizers: [protection] });
      }
      await hand.createClaim('good', { finalizers: [protection] });
      // What hangs is answered when the test is over, before the scene ends with its last request.
      const over = Promise.withResolvers<undefined>();
      using hanging = { until: over.promise, [Symbol.dispose]: () => over.resolve(undefined) };
      const hang = { kind: 'call', run: () => hanging.until } as const;
      plan.on({ verb: 'list', resource: 'pods', namespace: odd }, fault ?? hang);
      for (const name of names) {
        await oddHand.deleteClaim(name);
      }
      await eventually('the list was asked for', () => plan.injected.length > 0);
      await hand.deleteClaim('good');
      await eventually('good is gone', () => hand.claimIsGone('good'));
      expect(await oddHand.finalizersOf('data-0')).toEqual([protection]);
    },
    patience,
  );
});

test.concurrent.each([
  { code: 404, reason: 'NotFound', words: 'storageclasses.storage.k8s.io "gold" not found' },
  { code: 409, reason: 'Conflict', words: 'the object has been modified' },
])(
  'a webhook denies the release with $code $reason -> an error, and released once it lets it',
  async ({ code, reason, words }) => {
    await using scene = await open();
    const { plan, stage, hand } = scene;
    await hand.createClaim('data', { finalizers: [protection] });
    const controller = await stage.startController({});
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
  patience,
);
