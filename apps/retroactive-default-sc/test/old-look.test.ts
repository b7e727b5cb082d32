import { afterEach, expect, test } from '@jest/globals';
import { createPacedClock, eventually } from '@holdfast/scenario';
import { createFaultPlan, startEmbeddedControlPlane, type EmbeddedControlPlane } from '@holdfast/testing';
import { handOf, openStage, type Stage } from './stage.ts';

let plane: EmbeddedControlPlane | undefined;
let stage: Stage | undefined;

afterEach(async () => {
  await stage?.close();
  await plane?.stop();
});

test.each([
  { what: 'for longer than its look is good for', retryAfterSeconds: 3 },
  { what: 'for less time than its look is good for', retryAfterSeconds: 1 },
])(
  'A0: the default moves to another class while the patch waits $what -> the claim gets the new one',
  async ({ retryAfterSeconds }) => {
    let moveDefault = (): Promise<void> => Promise.resolve();
    const patch = { verb: 'patch', resource: 'persistentvolumeclaims', userAgent: /^retroactive/ } as const;
    const plan = createFaultPlan(1)
      .on(patch, { kind: 'call', run: () => moveDefault() }, { times: 1 })
      .on(patch, { kind: 'status', code: 429, retryAfterSeconds }, { times: 1 });
    plane = await startEmbeddedControlPlane({
      tls: false,
      disableAdmissionPlugins: ['DefaultStorageClass'],
      faults: plan,
    });
    const opened = (stage = await openStage(plane));
    const hand = handOf(opened.client, await opened.namespace());
    await hand.createClass('gold');
    await hand.createClaim('data');
    moveDefault = async () => {
      await hand.mark('gold', 'false');
      await hand.createClass('silver');
    };
    await opened.startController({}, { clientClock: createPacedClock(4) });
    await eventually('data has a class', async () => (await hand.classOf('data')) !== undefined);
    expect(await hand.classOf('data')).toBe('silver');
    expect(plan.injected).toHaveLength(2);
  },
  30_000,
);
