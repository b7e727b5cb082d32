import { describe, expect, test } from '@jest/globals';
import { eventually, useFaultScenes } from '@holdfast/scenario';
import type { ServedRequest } from '@holdfast/testing';
import { createFakeClock } from '@holdfast/testing/fake-clock';
import { testStoryUnder } from './fault-story.ts';
import { faultyApp, ours } from './faulty-app.ts';
import { settled } from './stage.ts';

const open = useFaultScenes(faultyApp);

testStoryUnder('of requests');

/** The controller's informer streams its first list, which is a watch. */
function liveListsOf(requests: readonly ServedRequest[]): number {
  return requests.filter(({ verb, resource }) => verb === 'list' && resource === 'storageclasses').length;
}

describe('what must not happen does not', () => {
  test('watch of classes lags behind, the default was unmarked since -> no claim gets it', async () => {
    const { plane, hand, start, stallWatch, requests } = await open();
    await hand.createClass('gold');
    await start();
    await settled(hand);
    // From now on the cache has gold as the default, whatever happens.
    await stallWatch('storageclasses');
    await hand.mark('gold', 'false');
    plane.apiServer.requests.clear();
    await hand.createClaim('data');
    await eventually('the controller asked for the classes', () => liveListsOf(requests()) >= 1);
    await hand.createClaim('more');
    await eventually('and again, for the next claim', () => liveListsOf(requests()) >= 2);
    expect([await hand.classOf('data'), await hand.classOf('more')]).toEqual([undefined, undefined]);
    // No event comes of the new default: the claim is looked at again by time.
    await hand.createClass('silver');
    await eventually('data has silver', async () => (await hand.classOf('data')) === 'silver');
  });

  test('claim gets a class, a volume or the beta annotation before our patch arrives -> ours does nothing', async () => {
    const { plan, hand, start } = await open();
    const rivals = {
      class: [{ op: 'add', path: '/spec/storageClassName', value: 'mine' }],
      volume: [{ op: 'add', path: '/spec/volumeName', value: 'pv-1' }],
      // The annotation can't change, but for the API server one that is empty is as if there were none.
      annotation: [
        {
          op: 'add',
          path: '/metadata/annotations',
          value: { 'volume.beta.kubernetes.io/storage-class': '' },
        },
      ],
    } as const;
    for (const name of ['class', 'volume', 'annotation'] as const) {
      await hand.createClaim(name);
      plan.on(
        { ...ours, verb: 'patch', resource: 'persistentvolumeclaims', name },
        { kind: 'call', run: () => hand.patchClaim(name, rivals[name]) },
        { times: 1 },
      );
    }
    const controller = await start();
    await hand.createClass('gold');
    await eventually('all three were tried', () => plan.injected.length === 3);
    await settled(hand);
    expect(await hand.classOf('class')).toBe('mine');
    expect(await hand.classOf('volume')).toBeUndefined();
    expect(await hand.classOf('annotation')).toBeUndefined();
    // Somebody else was faster: that is no error.
    expect(await controller.registry.metrics()).toMatch(/^retroactive_storageclass_errors_total 0$/m);
  });

  test('many claims wait as a default comes -> one patch each, and few lists of classes', async () => {
    const { plane, hand, start, requests } = await open();
    // Time stands still, so that no list of the classes grows too old to be shared.
    const controller = await start({ clock: createFakeClock() });
    const names = Array.from({ length: 300 }, (_, index) => `data-${String(index)}`);
    await Promise.all(names.map((name) => hand.createClaim(name)));
    await eventually('all are seen to wait', async () =>
      /^retroactive_storageclass_waiting_claims 300$/m.test(await controller.registry.metrics()),
    );
    plane.apiServer.requests.clear();
    await hand.createClass('gold');
    await eventually('none waits', async () =>
      /^retroactive_storageclass_waiting_claims 0$/m.test(await controller.registry.metrics()),
    );
    const patched = requests().filter(({ verb }) => verb === 'patch');
    expect(patched.map(({ name }) => name).sort()).toEqual(names.toSorted());
    // Ten workers ask at a time, and share what is listed after they asked: how many there are together depends on the
    // machine.
    expect(liveListsOf(requests())).toBeLessThanOrEqual(names.length / 5);
    expect(await controller.registry.metrics()).toMatch(/^retroactive_storageclass_total 300$/m);
  });

  test('settled cluster, classes and claims change without need -> no write, no live list', async () => {
    const { plane, hand, start, requests } = await open();
    await hand.createClass('gold');
    // Newer than gold, or before it by name: the default, whatever becomes of gold.
    await hand.createClass('bronze');
    await hand.createClaim('one');
    await start();
    await eventually('one has bronze', async () => (await hand.classOf('one')) === 'bronze');
    await settled(hand);
    plane.apiServer.requests.clear();
    plane.apiServer.cutWatches();
    await hand.mark('gold', 'false');
    await hand.mark('gold', 'true');
    await hand.patchClaim('one', [{ op: 'add', path: '/metadata/labels', value: { touched: 'yes' } }]);
    await hand.createClaim('marker');
    await eventually('marker has bronze', async () => (await hand.classOf('marker')) === 'bronze');
    await eventually(
      'both watches are back',
      () => requests().filter(({ verb }) => verb === 'watch').length === 2,
    );
    const made = requests().filter(({ verb, resource }) => verb !== 'watch' && resource !== 'events');
    expect(made.map(({ verb, resource, name }) => `${verb} ${resource} ${name}`).toSorted()).toEqual([
      // Each watch that broke asks for the newest version; the classes are listed once more, for the marker.
      'list persistentvolumeclaims ',
      'list storageclasses ',
      'list storageclasses ',
      'patch persistentvolumeclaims marker',
    ]);
  });
});
