import { afterEach, describe, expect, test } from '@jest/globals';
import { eventually, type StagedController } from '@holdfast/scenario';
import { createFaultPlan, startEmbeddedControlPlane, type EmbeddedControlPlane } from '@holdfast/testing';
import { createFakeClock, type FakeClock } from '@holdfast/testing/fake-clock';
import { handOf, openStage, settled, type Hand, type Stage } from './stage.ts';

let plane: EmbeddedControlPlane | undefined;
let stage: Stage | undefined;

afterEach(async () => {
  await stage?.close();
  await plane?.stop();
});

const disableAdmissionPlugins = ['DefaultStorageClass'];
const failed = 'StorageClassAssignmentFailed';
const disabled = 'RetroactiveDefaultStorageClassDisabled';

/** Time stands still until the test lets it pass: what happens before that does not wait for any delay. */
async function enter(
  opened: EmbeddedControlPlane,
): Promise<{ hand: Hand; clock: FakeClock; start: () => Promise<StagedController> }> {
  plane = opened;
  const openedStage = (stage = await openStage(opened));
  const clock = createFakeClock();
  return {
    hand: handOf(openedStage.client, await openedStage.namespace()),
    clock,
    start: () => openedStage.startController({}, { clock }),
  };
}

/** The first delay of what was refused, milliseconds. */
const firstDelay = 5_000;

/** Note of the Event on the claim for this reason. */
const noteOf = async (hand: Hand, claim: string, reason: string): Promise<string | undefined> =>
  (await hand.eventsOn(claim)).find((event) => event.reason === reason)?.note;

/** Patches of claims that were no dry runs. */
const triesOf = ({ apiServer }: EmbeddedControlPlane): number =>
  apiServer.requests.all.filter(
    ({ verb, resource, userAgent }) =>
      verb === 'patch' &&
      resource === 'persistentvolumeclaims' &&
      userAgent.startsWith('retroactive-default-sc/'),
  ).length;

describe('API server that does not allow a class to be given', () => {
  const startOld = () =>
    startEmbeddedControlPlane({
      tls: false,
      disableAdmissionPlugins,
      featureGates: { RetroactiveDefaultStorageClass: false },
    });

  test('a claim waits, no default yet -> an Event says what to enable, before anything is tried', async () => {
    const opened = await startOld();
    const { hand, start } = await enter(opened);
    const { metadata } = await hand.createClaim('data');
    await start();
    await eventually('an Event says so', async () => (await noteOf(hand, 'data', disabled)) !== undefined);
    expect(await noteOf(hand, 'data', disabled)).toMatch(
      /enable feature gate RetroactiveDefaultStorageClass of kube-apiserver.*/,
    );
    expect(triesOf(opened)).toBe(0);
    expect((await hand.claim('data')).metadata.resourceVersion).toBe(metadata.resourceVersion);
  });

  test('many claims wait, there is a default -> an Event on each has the server’s words, one is tried for all', async () => {
    const opened = await startOld();
    const { hand, clock, start } = await enter(opened);
    const names = Array.from({ length: 20 }, (_, index) => `data-${String(index)}`);
    for (const name of names) {
      await hand.createClaim(name);
    }
    await hand.createClass('gold');
    const controller = await start();
    for (const name of names) {
      await eventually(
        `an Event on ${name} says why`,
        async () => (await noteOf(hand, name, failed)) !== undefined,
      );
      expect(await noteOf(hand, name, failed)).toContain('spec is immutable after creation');
      // Touching a claim does not make it be tried again.
      await hand.patchClaim(name, [{ op: 'add', path: '/metadata/labels', value: { touched: 'yes' } }]);
    }
    // The dry run was refused, and counts: nothing is tried before its delay is over.
    await clock.advance(firstDelay - 1);
    for (const name of names) {
      expect(await hand.classOf(name)).toBeUndefined();
    }
    expect(triesOf(opened)).toBe(0);
    await clock.advance(1);
    await eventually('one is tried', async () =>
      /^retroactive_storageclass_errors_total 1$/m.test(await controller.registry.metrics()),
    );
    expect(triesOf(opened)).toBe(1);
    for (const name of names) {
      expect(await hand.classOf(name)).toBeUndefined();
    }
  });

  test('it was not known at start -> the patches that fail at once count as one refusal', async () => {
    const immutable =
      'PersistentVolumeClaim "data" is invalid: spec: Forbidden: spec is immutable after creation except resources.requests for bound claims';
    const plan = createFaultPlan(1)
      .on({ userAgent: /^rehearsal\// }, { kind: 'status', code: 403, reason: 'Forbidden', message: 'no' })
      .on(
        { verb: 'patch', resource: 'persistentvolumeclaims', userAgent: /^retroactive/ },
        { kind: 'status', code: 422, reason: 'Invalid', message: immutable },
      );
    const opened = await startEmbeddedControlPlane({ tls: false, disableAdmissionPlugins, faults: plan });
    const { hand, clock, start } = await enter(opened);
    const names = Array.from({ length: 40 }, (_, index) => `data-${String(index)}`);
    for (const name of names) {
      await hand.createClaim(name);
    }
    await hand.createClass('gold');
    await start();
    await eventually(
      'an Event on the last says why',
      async () => (await noteOf(hand, 'data-39', failed)) !== undefined,
    );
    // As many as there are workers, and one: a single refusal is not taken for the server's, so that one more claim is
    // taken up.
    expect(triesOf(opened)).toBeLessThanOrEqual(11);
    plan.clear();
    await clock.advance(firstDelay);
    for (const name of names) {
      await eventually(`${name} has its class`, async () => (await hand.classOf(name)) === 'gold');
    }
  });
});

describe('claim that is refused', () => {
  const refusals = [
    {
      name: 'a quota',
      code: 403,
      reason: 'Forbidden',
      message: 'persistentvolumeclaims "data" is forbidden: exceeded quota: q',
    },
    {
      name: 'a policy of reason Invalid',
      code: 422,
      reason: 'Invalid',
      message:
        "persistentvolumeclaims \"data\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'p' denied request: no",
    },
    {
      name: 'R1: a policy of its namespace, in the words of a server that forbids all,',
      code: 422,
      reason: 'Invalid',
      message:
        "persistentvolumeclaims \"data\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'p' denied request: spec is immutable after creation",
    },
  ] as const;

  test.each(refusals)(
    'by $name -> left as it is, with an Event, others served; served itself when that has gone',
    async ({ code, reason, message }) => {
      const plan = createFaultPlan(1).on(
        { verb: 'patch', resource: 'persistentvolumeclaims', name: 'data', userAgent: /^retroactive/ },
        { kind: 'status', code, reason, message },
      );
      const opened = await startEmbeddedControlPlane({ tls: false, disableAdmissionPlugins, faults: plan });
      const { hand, clock, start } = await enter(opened);
      await hand.createClaim('data');
      const controller = await start();
      await hand.createClass('gold');
      await eventually('an Event says so', async () =>
        Boolean((await noteOf(hand, 'data', failed))?.includes(message)),
      );
      await settled(hand);
      await hand.patchClaim('data', [{ op: 'add', path: '/metadata/labels', value: { touched: 'yes' } }]);
      await settled(hand);
      expect(plan.injected).toHaveLength(1);
      expect(await hand.classOf('data')).toBeUndefined();
      expect(await controller.registry.metrics()).toMatch(/^retroactive_storageclass_errors_total 1$/m);
      plan.clear();
      await clock.advance(firstDelay - 1);
      await settled(hand);
      expect(await hand.classOf('data')).toBeUndefined();
      await clock.advance(1);
      await eventually('data has the class', async () => (await hand.classOf('data')) === 'gold');
    },
  );

  test('another class becomes the default -> tried with it at once', async () => {
    const plan = createFaultPlan(1).on(
      { verb: 'patch', name: 'data', userAgent: /^retroactive/ },
      { kind: 'status', code: 403, reason: 'Forbidden', message: 'exceeded quota' },
      { times: 1 },
    );
    const opened = await startEmbeddedControlPlane({ tls: false, disableAdmissionPlugins, faults: plan });
    const { hand, start } = await enter(opened);
    await hand.createClaim('data');
    await start();
    await hand.createClass('gold');
    await eventually('it was refused', () => plan.injected.length === 1);
    await hand.deleteClass('gold');
    await hand.createClass('silver');
    await eventually('data has silver', async () => (await hand.classOf('data')) === 'silver');
  });
});
