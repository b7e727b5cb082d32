import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { persistentVolumes } from '@holdfast/core';
import { eventually } from '@holdfast/scenario';
import { startEmbeddedControlPlane, type EmbeddedControlPlane } from '@holdfast/testing';
import { csiFinalizer, inTreeFinalizer } from './objects.ts';
import { handOf, openStage, openStorage, startBinder, type Hand, type Stage } from './stage.ts';

/*
 * Migration turned off again. On the embedded server only: the releases that can be had as real binaries have migrated all these
 * plugins for good, and would annotate the volume at once.
 */

let plane: EmbeddedControlPlane;
let stage: Stage;
let storage: Awaited<ReturnType<typeof openStorage>>;
let binder: { stop(): Promise<void> };
let hand: Hand;

beforeAll(async () => {
  plane = await startEmbeddedControlPlane();
  stage = await openStage(plane);
  storage = await openStorage({ name: 'ebs.csi.aws.com' });
  binder = await startBinder(plane);
  hand = handOf(stage, await stage.namespace(), storage.driver);
}, 60_000);

afterAll(async () => {
  await stage.close();
  await binder.stop();
  await storage.close();
  await plane.stop();
}, 60_000);

test('mode guard, migration turned on and off -> each finalizer takes the place of the other, never none', async () => {
  await stage.startController(
    { csiAddresses: [storage.driver.address], mode: 'guard' },
    { clock: stage.fastClock() },
  );
  await hand.bound('v', {
    source: { awsElasticBlockStore: { volumeID: `vol-${hand.nameOf('v')}` } },
    annotations: { 'pv.kubernetes.io/provisioned-by': 'kubernetes.io/aws-ebs' },
  });
  const isHeldBy = (finalizer: string, other: string): Promise<void> =>
    eventually(`${finalizer} holds it`, async () => {
      const list = await hand.finalizersOf('v');
      return list.includes(finalizer) && !list.includes(other);
    });
  await isHeldBy(inTreeFinalizer, csiFinalizer);

  const unheld: unknown[] = [];
  plane.apiServer.storage.subscribe('persistentvolumes', ({ entry }) => {
    const { finalizers } = entry.object.metadata as { readonly finalizers?: readonly string[] };
    if (!finalizers?.some((each) => each === csiFinalizer || each === inTreeFinalizer)) {
      unheld.push(finalizers);
    }
  });
  const ref = { name: hand.nameOf('v') };
  const annotation = '/metadata/annotations/pv.kubernetes.io~1migrated-to';
  await stage.client.patch(persistentVolumes, ref, [
    { op: 'add', path: annotation, value: 'ebs.csi.aws.com' },
  ]);
  await isHeldBy(csiFinalizer, inTreeFinalizer);
  await stage.client.patch(persistentVolumes, ref, [{ op: 'remove', path: annotation }]);
  await isHeldBy(inTreeFinalizer, csiFinalizer);
  expect(unheld).toEqual([]);
}, 60_000);
