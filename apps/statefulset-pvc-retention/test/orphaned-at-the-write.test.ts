import { expect, test } from '@jest/globals';
import { statefulSets } from '@holdfast/core';
import { eventually, useFaultScenes } from '@holdfast/scenario';
import { claimCollector, faultyApp, ours } from './faulty-app.ts';
import { collected, type Policy } from './stage.ts';

const open = useFaultScenes({
  ...faultyApp,
  standIns: [claimCollector],
});
const policy: Policy = { whenDeleted: 'Delete', whenScaled: 'Retain' };

/** The first is the look before the reference is added, the second the look back. */
const looks = { ...ours, verb: 'get', resource: 'statefulsets', name: 'web' } as const;
const writes = { ...ours, verb: 'patch', resource: 'persistentvolumeclaims' } as const;

/** Milliseconds. Several tests wait here at a time, and have one thread. */
const patience = 120_000;

/** A set and its claim; the garbage collector has long done its part when `orphan` resolves. */
async function openScene() {
  const scene = await open();
  const { hand } = scene;
  await hand.createSet({ replicas: 1, policy });
  const { metadata } = await hand.createClaim('data-web-0');
  const orphan = async (): Promise<void> => {
    await hand.deleteSet('Orphan');
    await hand.setGone();
    await collected(hand);
  };
  return { ...scene, orphan, uid: metadata.uid, resourceVersion: metadata.resourceVersion };
}

test.concurrent(
  'R1: set orphaned between look and write, garbage collector judges before the look back -> claim survives without an owner',
  async () => {
    await using scene = await openScene();
    const { plan, hand, start, orphan, uid } = scene;
    plan.on(writes, { kind: 'call', run: orphan }, { times: 1 });
    plan.on(looks, { kind: 'call', run: () => collected(hand) }, { from: 2, times: 1 });
    await start();
    await eventually('it was looked back', () => plan.injected.length >= 2);
    await hand.owned('data-web-0');
    await collected(hand);
    expect(await hand.dataOf('data-web-0')).toBe(uid);
  },
  patience,
);

test.concurrent(
  'R1: set orphaned between look and write, the process ends before the look back -> the next one lets the claim go without an owner',
  async () => {
    await using scene = await openScene();
    const { plan, hand, start, orphan, uid } = scene;
    plan.on(writes, { kind: 'call', run: orphan }, { times: 1 });
    plan.on(looks, { kind: 'status', code: 500 }, { from: 2 });
    const first = await start();
    await eventually('it is looked back in vain', () => plan.injected.length >= 2);
    await first.abandon();
    await collected(hand);
    expect(await hand.dataOf('data-web-0')).toBe(uid);
    plan.clear();
    await start();
    await hand.owned('data-web-0');
    await collected(hand);
    expect(await hand.dataOf('data-web-0')).toBe(uid);
  },
  patience,
);

test.concurrent(
  'R1: the process ends before the look back, the set lives on -> the next one confirms the reference, and the claim goes with the set',
  async () => {
    await using scene = await openScene();
    const { plan, hand, start } = scene;
    plan.on(looks, { kind: 'status', code: 500 }, { from: 2 });
    const first = await start();
    await eventually('it is looked back in vain', () => plan.injected.length >= 1);
    await first.abandon();
    expect(await hand.ownersOf('data-web-0')).toEqual([
      'StatefulSet web*',
      'PersistentVolumeClaim data-web-0',
    ]);
    plan.clear();
    await start();
    await hand.owned('data-web-0', 'StatefulSet web*');
    await hand.deleteSet('Background');
    await hand.gone('data-web-0');
  },
  patience,
);

test.concurrent(
  'R1: set orphaned and made again before the look back -> the earlier reference goes, the new one comes, data there',
  async () => {
    await using scene = await openScene();
    const { plan, hand, start, orphan, uid } = scene;
    plan.on(writes, { kind: 'call', run: orphan }, { times: 1 });
    const remake = async (): Promise<void> => {
      await hand.createSet({ replicas: 1, policy });
    };
    plan.on(looks, { kind: 'call', run: remake }, { from: 2, times: 1 });
    await start();
    await eventually('it was looked back', () => plan.injected.length >= 2);
    await hand.owned('data-web-0', 'StatefulSet web*');
    await collected(hand);
    expect(await hand.dataOf('data-web-0')).toBe(uid);
  },
  patience,
);

test.concurrent(
  'R1: set orphaned between look back and the write that confirms -> claim survives without an owner',
  async () => {
    await using scene = await openScene();
    const { plan, hand, start, orphan, uid } = scene;
    plan.on(writes, { kind: 'call', run: orphan }, { from: 2, times: 1 });
    await start();
    await eventually('it is confirmed', () => plan.injected.length >= 1);
    await hand.owned('data-web-0');
    await collected(hand);
    expect(await hand.dataOf('data-web-0')).toBe(uid);
  },
  patience,
);

test.concurrent(
  'R1: set orphaned between look and write, and held up by a finalizer until after the look back -> claim survives without an owner',
  async () => {
    await using scene = await openScene();
    const { plan, stage, hand, namespace, start, uid, resourceVersion } = scene;
    const ref = { namespace, name: 'web' };
    const path = '/metadata/finalizers';
    await stage.client.patch(statefulSets, ref, [{ op: 'add', path, value: ['example.com/backup'] }]);
    const orphan = async (): Promise<void> => {
      await hand.deleteSet('Orphan');
      await eventually('its dependents are orphaned', async () => {
        const { finalizers } = (await hand.findSet())?.metadata ?? {};
        return finalizers?.join() === 'example.com/backup';
      });
    };
    plan.on(writes, { kind: 'call', run: orphan }, { times: 1 });
    await start();
    await eventually('the reference was added, and it and the hold went', async () => {
      const found = await hand.findClaim('data-web-0');
      const owners = found?.metadata.ownerReferences ?? [];
      return (
        found?.metadata.resourceVersion !== resourceVersion &&
        owners.every(({ kind }) => kind !== 'PersistentVolumeClaim')
      );
    });
    await stage.client.patch(statefulSets, ref, [{ op: 'remove', path }]);
    await collected(hand);
    expect(await hand.dataOf('data-web-0')).toBe(uid);
  },
  patience,
);
