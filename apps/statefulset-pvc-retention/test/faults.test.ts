import { describe, expect, test } from '@jest/globals';
import { persistentVolumeClaims } from '@holdfast/core';
import { eventually, madeBy, testFaultStories, useFaultScenes } from '@holdfast/scenario';
import { garbageCollector, kubelet, statefulSetController } from '@holdfast/testing';
import { handOf, judged, openStage, settled, type Hand, type Policy } from './stage.ts';

const app = 'statefulset-pvc-retention';
const both: Policy = { whenDeleted: 'Delete', whenScaled: 'Delete' };

const open = useFaultScenes({
  name: app,
  options: {},
  disableAdmissionPlugins: ['StorageObjectInUseProtection'],
  openStage,
  handOf,
  standIns: [garbageCollector, statefulSetController({ retention: false }), kubelet()],
});

type Scene = Awaited<ReturnType<typeof open>>;

/** Owned, scaled down: one goes; up again: a new one; turned to Retain and the set deleted: they stay. */
async function playStory(hand: Hand, between: () => void): Promise<void> {
  await hand.createSet({ replicas: 2, policy: both });
  await hand.running('web-0', 'web-1');
  await hand.owned('data-web-0', 'StatefulSet web*');
  await hand.owned('data-web-1', 'StatefulSet web*');
  const first = await hand.dataOf('data-web-0');
  between();
  await hand.scale(1);
  await hand.gone('data-web-1');
  between();
  await hand.scale(2);
  await hand.running('web-0', 'web-1');
  await hand.owned('data-web-1', 'StatefulSet web*');
  const second = await hand.dataOf('data-web-1');
  between();
  await hand.setPolicy({ whenDeleted: 'Retain', whenScaled: 'Retain' });
  await hand.owned('data-web-0');
  await hand.owned('data-web-1');
  await hand.deleteSet('Background');
  await hand.running();
  await settled(hand);
  expect([await hand.dataOf('data-web-0'), await hand.dataOf('data-web-1')]).toEqual([first, second]);
}

testFaultStories({
  app,
  liveRead: { verb: 'get', resource: 'statefulsets' },
  open,
  settle: ({ hand }) => settled(hand),
  play: ({ hand }, between) => playStory(hand, between),
});

describe('what must not happen does not', () => {
  test('cache of sets stands still, the set is orphaned -> the live look says so, no reference is added', async () => {
    const scene = await open([garbageCollector]);
    const { plane, hand, start, stallWatch } = scene;
    await start();
    await hand.createSet({ replicas: 1, policy: both });
    await hand.createClaim('data-web-0');
    await hand.owned('data-web-0', 'StatefulSet web*');
    await stallWatch('statefulsets');
    await hand.deleteSet('Orphan');
    await eventually('the set is gone', async () => (await hand.findSet()) === undefined);
    plane.apiServer.requests.clear();
    const late = await hand.createClaim('data-web-1');
    await lookedAtSet(scene);
    expect(await hand.ownersOf('data-web-0')).toStrictEqual([]);
    expect(await hand.dataOf('data-web-1')).toBe(late.metadata.uid);
    expect(await hand.ownersOf('data-web-1')).toStrictEqual([]);
  });

  test('cache of sets stands still, scaled up meanwhile -> no claim is given to its pod', async () => {
    const scene = await open();
    const { plane, hand, start, stallWatch } = scene;
    await start();
    await hand.createSet({ replicas: 1, policy: { whenDeleted: 'Retain', whenScaled: 'Delete' } });
    await hand.running('web-0');
    await judged(hand);
    await stallWatch('statefulsets');
    plane.apiServer.requests.clear();
    await hand.scale(2);
    await hand.running('web-0', 'web-1');
    await lookedAtSet(scene);
    expect(await hand.ownersOf('data-web-1')).toStrictEqual([]);
  });

  /** The set vanishes in the moment between the live look and the write. */
  test('set orphaned and gone between look and write -> the reference is taken back, the claim survives', async () => {
    const { plan, hand, start, standIns } = await open([garbageCollector]);
    await hand.createSet({ replicas: 1, policy: both });
    const claim = await hand.createClaim('data-web-0');
    const [collector] = standIns;
    plan.on(
      { ...madeBy(app), verb: 'patch', resource: 'persistentvolumeclaims', name: 'data-web-0' },
      {
        kind: 'call',
        run: async () => {
          await hand.deleteSet('Orphan');
          await eventually('the set is gone', async () => (await hand.findSet()) === undefined);
          await collector?.pause();
        },
      },
      { times: 1 },
    );
    await start();
    await eventually('the set is gone', async () => (await hand.findSet()) === undefined);
    await eventually('both writes were made', async () => {
      const found = await hand.findClaim('data-web-0');
      const isTouched = found?.metadata.resourceVersion !== claim.metadata.resourceVersion;
      return isTouched && (await hand.ownersOf('data-web-0'))?.length === 0;
    });
    collector?.resume();
    await settled(hand);
    expect(await hand.dataOf('data-web-0')).toBe(claim.metadata.uid);
  });
});

/** Twice, since after the first look the controller has had its say. */
function lookedAtSet({ requests }: Scene): Promise<void> {
  return eventually(
    'the controller looked at the set twice',
    () =>
      requests().filter(
        ({ verb, resource, name }) => verb === 'get' && resource === 'statefulsets' && name === 'web',
      ).length >= 2,
  );
}

test('1,000 settled sets of 3, controller started and watches cut -> not one write, nor a live look', async () => {
  const { plane, stage, namespace, hand, swiftHandOf, start, requests } = await open([]);
  const swiftHand = swiftHandOf(namespace);
  for (let index = 0; index < 1_000; index++) {
    const name = `set-${String(index)}`;
    const { uid } = (await swiftHand.createSet({ name, replicas: 3, policy: both })).metadata;
    const owner = { apiVersion: 'apps/v1', kind: 'StatefulSet', name, uid, controller: true };
    for (const ordinal of ['0', '1', '2']) {
      await swiftHand.createClaim(`data-${name}-${ordinal}`, [owner]);
    }
  }
  plane.apiServer.requests.clear();
  await start();
  await judged(hand);
  plane.apiServer.cutWatches();
  await judged(hand);
  const made = requests().filter(
    ({ verb, resource }) => !['list', 'watch'].includes(verb) && resource !== 'events',
  );
  expect(made.filter(({ name }) => !name.includes('marker-'))).toStrictEqual([]);
  expect(made.length).toBeGreaterThan(0);
  const { items } = await stage.client.list(persistentVolumeClaims, { namespace });
  expect(items.filter(({ metadata }) => metadata.name.startsWith('data-set-'))).toHaveLength(3_000);
}, 120_000);
