import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { objectKey, persistentVolumeClaims, pods, type PersistentVolumeClaim } from '@holdfast/core';
import { createFights, openLook, type Look } from '@holdfast/runtime';
import { startEmbeddedControlPlane, type EmbeddedControlPlane } from '@holdfast/testing';
import { createFakeClock } from '@holdfast/testing/fake-clock';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { createHeldClaims } from '../src/held-claims.ts';
import { createMetrics } from '../src/metrics.ts';
import { createReconcile, fightPause } from '../src/reconcile.ts';
import { protection } from './objects.ts';
import { handOf, openStage, type Hand, type Stage } from './stage.ts';

/* After etcd was restored from a backup, the cache might show a deletion that was never asked for. */

let plane: EmbeddedControlPlane;
let stage: Stage;
let namespace: string;
let hand: Hand;

beforeEach(async () => {
  plane = await startEmbeddedControlPlane({
    tls: false,
    disableAdmissionPlugins: ['StorageObjectInUseProtection'],
  });
  stage = await openStage(plane);
  namespace = await stage.namespace();
  hand = handOf(stage.client, namespace);
  await hand.createClaim('data', { finalizers: [protection] });
});
afterEach(async () => {
  await stage.close();
  await plane.stop();
});

/** Reconciles the claim once, with this in the cache, while no pod uses it. */
function reconcile(cached: PersistentVolumeClaim) {
  const clock = createFakeClock();
  const held = createHeldClaims(clock);
  const once = createReconcile({
    client: stage.client,
    claims: { get: () => cached, values: () => [cached].values(), size: 1, byIndex: () => [] },
    podsNaming: () => [],
    nodesAttachedTo: () => new Set(),
    protect: true,
    waitForDetach: true,
    held,
    fights: createFights({ clock, pause: fightPause }),
    events: { record: () => undefined, run: () => Promise.resolve() },
    logger: pino({ level: 'silent' }),
    metrics: createMetrics(new Registry(), held.byNamespace),
    clock,
  });
  const looked = async (): Promise<Look> => {
    const look = openLook();
    await stage.client.list(pods, { namespace, look });
    return look;
  };
  const unused = {
    podsNaming: async () => ({ pods: [], look: await looked() }),
    nodesAttachedTo: async () => ({ nodes: new Set<string>(), look: await looked() }),
  };
  return once(objectKey(cached), unused, new AbortController().signal);
}

const claim = (): Promise<PersistentVolumeClaim> =>
  stage.client.get(persistentVolumeClaims, { namespace, name: 'data' });

test('cache says terminating, the same claim is not, no pod uses it -> keeps its finalizer', async () => {
  const { metadata, ...rest } = await claim();
  await reconcile({ ...rest, metadata: { ...metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } });
  expect(await hand.finalizersOf('data')).toEqual([protection]);
});

test('cache says terminating, the same claim was deleted at another time, no pod uses it -> looked at again', async () => {
  await hand.deleteClaim('data');
  const { metadata, ...rest } = await claim();
  await reconcile({ ...rest, metadata: { ...metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } });
  expect(await hand.finalizersOf('data')).toEqual([protection]);
  await reconcile(await claim());
  expect(await hand.claimIsGone('data')).toBe(true);
});
