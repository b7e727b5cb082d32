import { describe, expect, test } from '@jest/globals';
import { persistentVolumeClaims } from '@holdfast/core';
import { eventually, testFaultStories, useFaultScenes } from '@holdfast/scenario';
import type { ServedRequest } from '@holdfast/testing';
import { faultyApp, ours } from './faulty-app.ts';
import { protection } from './objects.ts';
import { settled, type Hand } from './stage.ts';

const open = useFaultScenes({
  ...faultyApp,
  tls: true,
});

type Scene = Awaited<ReturnType<typeof open>>;

async function becomesProtected(hand: Hand, name: string): Promise<void> {
  await eventually(`${name} is protected`, async () => (await hand.finalizersOf(name)).includes(protection));
}

/** Claims are protected; one in use is deleted and stays, an unused one goes, and the used one goes with its pod. */
async function playStory(hand: Hand, between: () => void): Promise<void> {
  await hand.createClaim('used');
  await hand.createClaim('unused');
  await becomesProtected(hand, 'used');
  await becomesProtected(hand, 'unused');
  between();
  await hand.createPod('web', 'used');
  await hand.deleteClaim('used');
  await hand.deleteClaim('unused');
  await eventually('unused is gone', () => hand.claimIsGone('unused'));
  expect(await hand.finalizersOf('used')).toEqual([protection]);
  between();
  await hand.deletePod('web');
  await eventually('used is gone', () => hand.claimIsGone('used'));
}

testFaultStories({
  app: faultyApp.name,
  liveRead: { verb: 'list', resource: 'pods' },
  open,
  settle: ({ hand }) => settled(hand),
  play: ({ hand }, between) => playStory(hand, between),
});

/** The controller's lists of pods since the log was cleared. Its informer streams its first one, which is a watch. */
function podListsOf({ requests }: Scene): readonly ServedRequest[] {
  return requests().filter(({ verb, resource }) => verb === 'list' && resource === 'pods');
}

async function claimsOf({ stage }: Scene): Promise<number> {
  return (await stage.client.list(persistentVolumeClaims)).items.length;
}

async function makeTerminating(hand: Hand, count: number): Promise<void> {
  const names = Array.from({ length: count }, (_, index) => `data-${String(index)}`);
  for (const name of names) {
    await hand.createClaim(name, { finalizers: [protection] });
    await hand.deleteClaim(name);
  }
}

describe('what must not happen does not', () => {
  /** A pod that only the API server has uses a terminating claim, and the controller has asked for it. */
  async function playLag(scene: Scene): Promise<void> {
    const { plane, hand, start, stallWatch } = scene;
    await start();
    await settled(hand);
    await stallWatch('pods');
    await hand.createClaim('data');
    await becomesProtected(hand, 'data');
    plane.apiServer.requests.clear();
    await hand.createPod('web', 'data');
    await hand.deleteClaim('data');
    await eventually('the controller asked for the pods', () => podListsOf(scene).length > 0);
  }

  test('watch of pods lags behind, a pod seen only live uses the claim -> held', async () => {
    const scene = await open();
    const { hand } = scene;
    await playLag(scene);
    await hand.createClaim('later');
    await becomesProtected(hand, 'later');
    expect(await hand.finalizersOf('data')).toEqual([protection]);
  });

  test('watch of pods lags behind, the pod seen only live is deleted -> looked at again, and let go', async () => {
    const scene = await open();
    const { hand } = scene;
    await playLag(scene);
    // No event tells the controller.
    await hand.deletePod('web');
    await eventually('data is gone', () => hand.claimIsGone('data'));
  });

  // A list serves for a second (A0), so a slow machine lists again; nowhere near once for each claim.
  test('200 claims deleted in one namespace -> they share live lists of its pods', async () => {
    const scene = await open();
    const { namespace, hand, start } = scene;
    await makeTerminating(hand, 200);
    await start();
    await eventually('all are gone', async () => (await claimsOf(scene)) === 0);
    const listed = podListsOf(scene).map((list) => list.namespace);
    expect(new Set(listed)).toEqual(new Set([namespace]));
    expect(listed.length).toBeLessThan(20);
  });

  test('500 claims deleted in 50 namespaces -> those of each share live lists of its pods', async () => {
    const scene = await open();
    const { stage, handOf, start } = scene;
    const namespaces = await Promise.all(Array.from({ length: 50 }, () => stage.namespace()));
    for (const namespace of namespaces) {
      await makeTerminating(handOf(namespace), 10);
    }
    await start();
    await eventually('all are gone', async () => (await claimsOf(scene)) === 0);
    const listed = podListsOf(scene).map((list) => list.namespace);
    expect(new Set(listed)).toEqual(new Set(namespaces));
    expect(listed.length).toBeLessThan(250);
  });

  test('a policy refuses the patch (422) -> counted as an error, tried again, and done when it is allowed', async () => {
    const { plan, hand, start } = await open();
    const message = 'ValidatingAdmissionPolicy "keep-out" denied request: not now';
    plan.on(
      { ...ours, verb: 'patch', resource: 'persistentvolumeclaims' },
      { kind: 'status', code: 422, reason: 'Invalid', message },
    );
    const { registry } = await start();
    await hand.createClaim('data');
    const errors = /pvc_protection_finalizer_total\{operation="add",result="error"\} [1-9]/;
    await eventually('the refusal is counted', async () => errors.test(await registry.metrics()));
    expect(await hand.finalizersOf('data')).toStrictEqual([]);
    plan.clear();
    await becomesProtected(hand, 'data');
  });

  test('settled cluster -> no write', async () => {
    const { plane, hand, start, requests } = await open();
    await start();
    await playStory(hand, () => undefined);
    await hand.createClaim('data');
    await becomesProtected(hand, 'data');
    plane.apiServer.requests.clear();
    plane.apiServer.cutWatches();
    await hand.createClaim('marker');
    await becomesProtected(hand, 'marker');
    const writes = requests().filter(({ verb }) => !['get', 'list', 'watch'].includes(verb));
    expect(writes.map(({ name }) => name)).toEqual(['marker']);
  });
});
