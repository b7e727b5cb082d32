import { expect, test } from '@jest/globals';
import { eventually, madeBy, useFaultScenes, type StagedController } from '@holdfast/scenario';
import { createLeapingClock } from './leaping-clock.ts';
import { handOf, openStage, type Policy } from './stage.ts';

/* Writes to a claim have been refused for long, so that its set is tried again seldom, and what is due for its sibling fails once. */

const app = 'statefulset-pvc-retention';
const clock = createLeapingClock();
const open = useFaultScenes({
  name: app,
  options: {
    featureGates: 'DeletionGracePeriod=true,CollectMissedScaleDown=true',
    now: clock.wallClock,
    serverTime: clock.wallClock,
  },
  disableAdmissionPlugins: ['StorageObjectInUseProtection'],
  openStage,
  handOf,
  standIns: [],
});
const minute = 60_000;
const claims = { ...madeBy(app), resource: 'persistentvolumeclaims' } as const;

async function failures({ registry }: StagedController): Promise<number> {
  const metric = await registry.getSingleMetric('controller_runtime_reconcile_errors_total')?.get();
  return metric?.values[0]?.value ?? 0;
}

test.each([
  {
    what: 'its deletion is answered with 500',
    request: { ...claims, verb: 'delete' },
    fault: { kind: 'status', code: 500, reason: 'InternalError' },
  },
  {
    what: 'its deletion finds it changed, of which no event tells',
    request: { ...claims, verb: 'delete' },
    fault: { kind: 'status', code: 409, reason: 'Conflict' },
  },
  {
    what: 'the list of pods is answered with 500',
    request: { ...madeBy(app), verb: 'list', resource: 'pods' },
    fault: { kind: 'status', code: 500, reason: 'InternalError' },
  },
] as const)(
  'window of a claim ends, and $what, while its sibling is refused -> it goes within a minute',
  async ({ request, fault }) => {
    const { plan, hand, start } = await open();
    plan.on(
      { ...claims, verb: 'patch', name: 'data-web-0' },
      { kind: 'status', code: 403, reason: 'Forbidden', message: 'a policy says no' },
    );
    const controller = await start({ clock });
    const policy: Policy = { whenDeleted: 'Delete', whenScaled: 'Delete' };
    const annotations = { 'holdfast.dev/scale-down-grace': '10m' };
    const { uid } = (await hand.createSet({ replicas: 0, policy, annotations })).metadata;
    const owner = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web', uid, controller: true };
    await hand.createClaim('data-web-0', [owner]);
    await hand.createClaim('data-web-1', [owner]);
    await eventually(
      'the sibling waits for the end of the window',
      async () =>
        (await hand.findClaim('data-web-1'))?.metadata.annotations?.['holdfast.dev/delete-after'] !==
        undefined,
    );
    const delay = async (): Promise<number> => 5 * 2 ** ((await failures(controller)) - 1);
    let waited = 0;
    for (let next = await delay(); waited + next < 10 * minute; next = await delay()) {
      const failed = await failures(controller);
      waited += next;
      clock.leap(next);
      await eventually('it is tried again', async () => (await failures(controller)) > failed);
    }
    plan.on(request, fault, { times: 1 });
    const failed = await failures(controller);
    clock.leap(10 * minute - waited);
    await eventually('it has failed', async () => (await failures(controller)) > failed);
    let left = minute;
    await eventually('it is gone, or a minute is over', async () => {
      const isGone = (await hand.findClaim('data-web-1')) === undefined;
      if (!isGone) {
        clock.leap(5_000);
        left -= 5_000;
      }
      return isGone || left === 0;
    });
    expect(left).toBeGreaterThan(0);
    expect(await hand.dataOf('data-web-0')).toBeDefined();
  },
  60_000,
);
