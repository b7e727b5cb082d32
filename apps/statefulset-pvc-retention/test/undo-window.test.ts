import { expect, test } from '@jest/globals';
import { persistentVolumeClaims, pods } from '@holdfast/core';
import { eventually, useFaultScenes, type StagedController } from '@holdfast/scenario';
import { endingsOf, failuresOf } from './counts.ts';
import { claimCollector, faultyApp, ours } from './faulty-app.ts';
import { createLeapingClock } from './leaping-clock.ts';
import { createScaledDownSet } from './scaled-down-set.ts';
import { atRest, judged } from './stage.ts';

const clock = createLeapingClock();
/** What the lease says by the API server. */
const lease = { nothingDueBefore: undefined as number | undefined, asked: 0 };
const open = useFaultScenes({
  ...faultyApp,
  options: {
    tenure: {
      nothingDueBefore: () => undefined,
      askNothingDueBefore: () => {
        lease.asked += 1;
        return Promise.resolve(lease.nothingDueBefore);
      },
    },
    featureGates: 'DeletionGracePeriod=true,CollectMissedScaleDown=true',
    ...clock.wallClocks,
  },
  standIns: [claimCollector],
});

/** How often the controller has put a key off to a later time, and is done with that look. */
const putOff = (controller: StagedController): Promise<number> => endingsOf(controller, 'requeue_after');

test('undo window over, a pod that the cache never has uses the claim -> kept as long as that pod is there', async () => {
  const { plan, stage, namespace, hand, start } = await open();
  // The first watch of pods is the list of them.
  const pastTheList = { ...ours, verb: 'watch', resource: 'pods' } as const;
  plan.on(pastTheList, { kind: 'stallWatch', afterEvents: 0 }, { from: 2 });
  const controller = await start({ clock });
  const owner = await createScaledDownSet(hand, '1h');
  const { metadata } = await hand.createClaim('data-web-0', [owner]);
  await eventually('it waits for the end of the window', async () => (await putOff(controller)) > 0);
  await stage.client.create(pods, namespace, {
    metadata: { name: 'backup' },
    spec: {
      containers: [{ name: 'c', image: 'example.com/none' }],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data-web-0' } }],
    },
  });
  const waiting = await putOff(controller);
  clock.leap(3_600_000);
  await eventually('it looked, and is to look again', async () => (await putOff(controller)) > waiting);
  expect(await hand.dataOf('data-web-0')).toBe(metadata.uid);
  expect(plan.injected.length).toBeGreaterThan(0);
  await hand.deletePod('backup', 0);
  clock.leap(5_000);
  await hand.gone('data-web-0');
}, 60_000);

test('writes to a claim are refused for minutes, the window of its sibling ends meanwhile -> the sibling goes in time', async () => {
  const { plan, hand, start } = await open();
  plan.on(
    { ...ours, verb: 'patch', resource: 'persistentvolumeclaims', name: 'data-web-0' },
    { kind: 'status', code: 403, reason: 'Forbidden', message: 'a policy says no' },
  );
  const controller = await start({ clock });
  const owner = await createScaledDownSet(hand, '10m');
  const kept = await hand.createClaim('data-web-0', [owner]);
  await hand.createClaim('data-web-1', [owner]);
  // The sibling waits for the end of the window.
  await hand.marked('data-web-1');
  // The tries go on until the next is due after the end of the window.
  const delay = async (): Promise<number> => 5 * 2 ** ((await failuresOf(controller)) - 1);
  let waited = 0;
  for (let next = await delay(); waited + next < 600_000; next = await delay()) {
    const failed = await failuresOf(controller);
    waited += next;
    clock.leap(next);
    await eventually('it is tried again', async () => (await failuresOf(controller)) > failed);
  }
  clock.leap(600_000 - waited);
  await hand.gone('data-web-1');
  expect(await hand.dataOf('data-web-0')).toBe(kept.metadata.uid);
}, 60_000);

test.each(['never', '', '2026-02-30T12:00:00Z'])(
  'R4: user writes "%s" for the time -> it is taken away, and the claim is not marked anew',
  async (time) => {
    const { stage, namespace, hand, start } = await open();
    const controller = await start({ clock });
    const owner = await createScaledDownSet(hand, '1h');
    const { metadata } = await hand.createClaim('data-web-0', [owner]);
    const markOf = (): Promise<string | undefined> => hand.markOf('data-web-0');
    await eventually('it waits for the end of the window', async () => (await putOff(controller)) > 0);
    await stage.client.patch(persistentVolumeClaims, { namespace, name: 'data-web-0' }, [
      { op: 'replace', path: '/metadata/annotations/holdfast.dev~1delete-after', value: time },
    ]);
    await eventually('the time is gone', async () => (await markOf()) !== time);
    await judged(hand);
    await atRest(stage);
    expect(await markOf()).toBeUndefined();
    clock.leap(2 * 3_600_000);
    await judged(hand);
    await atRest(stage);
    expect(await hand.dataOf('data-web-0')).toBe(metadata.uid);
  },
  60_000,
);

test('R1: windows over, etcd was restored after the last renewal of the lease -> claims are kept until the hour is over', async () => {
  const { stage, namespace, hand, start } = await open();
  lease.nothingDueBefore = Infinity;
  lease.asked = 0;
  const controller = await start({ clock });
  const owner = await createScaledDownSet(hand, '1h');
  await hand.createClaim('data-web-0', [owner]);
  const { uid } = (await hand.createClaim('data-gone-0')).metadata;
  await stage.client.patch(persistentVolumeClaims, { namespace, name: 'data-gone-0' }, [
    {
      op: 'add',
      path: '/metadata/annotations',
      value: {
        'holdfast.dev/delete-after': '2020-01-01T00:00:00Z',
        'holdfast.dev/delete-after-uid': uid,
        'holdfast.dev/delete-after-workload': `StatefulSet.apps/gone/uid-of-gone/${uid}`,
      },
    },
  ]);
  await eventually('the lease is asked for the claim of the set that is gone', () => lease.asked > 0);
  await hand.marked('data-web-0');
  const before = lease.asked;
  const waiting = await putOff(controller);
  clock.leap(3_600_000);
  await eventually('the lease is asked for both', () => lease.asked >= before + 2);
  await eventually('both are put off', async () => (await putOff(controller)) >= waiting + 2);
  await atRest(stage);
  expect(await hand.dataOf('data-web-0')).toBeDefined();
  expect(await hand.dataOf('data-gone-0')).toBe(uid);
  lease.nothingDueBefore = undefined;
  clock.leap(3_600_000);
  await hand.gone('data-web-0');
  await hand.gone('data-gone-0');
}, 60_000);
