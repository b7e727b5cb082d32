import { describe, expect, test } from '@jest/globals';
import { eventually, useFaultScenes } from '@holdfast/scenario';
import { testStoryUnder } from './fault-story.ts';
import { claimCollector, faultyApp, ours, stockControllers } from './faulty-app.ts';
import { testSettledSets } from './settled-sets.ts';
import { judged, settled, type Policy } from './stage.ts';

const both: Policy = { whenDeleted: 'Delete', whenScaled: 'Delete' };

const open = useFaultScenes({ ...faultyApp, standIns: stockControllers });

type Scene = Awaited<ReturnType<typeof open>>;

testStoryUnder('of requests');

describe('what must not happen does not', () => {
  test('cache of sets stands still, the set is orphaned -> the live look says so, no reference is added', async () => {
    const scene = await open([claimCollector]);
    const { plane, hand, start, stallWatch } = scene;
    await start();
    await hand.createSet({ replicas: 1, policy: both });
    await hand.createClaim('data-web-0');
    await hand.owned('data-web-0', 'StatefulSet web*');
    await stallWatch('statefulsets');
    await hand.deleteSet('Orphan');
    await hand.setGone();
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
    const { plan, hand, start, standIns } = await open([claimCollector]);
    await hand.createSet({ replicas: 1, policy: both });
    const claim = await hand.createClaim('data-web-0');
    const [collector] = standIns;
    plan.on(
      { ...ours, verb: 'patch', resource: 'persistentvolumeclaims', name: 'data-web-0' },
      {
        kind: 'call',
        run: async () => {
          await hand.deleteSet('Orphan');
          await hand.setGone();
          await collector?.pause();
        },
      },
      { times: 1 },
    );
    await start();
    await hand.setGone();
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

testSettledSets(200);
