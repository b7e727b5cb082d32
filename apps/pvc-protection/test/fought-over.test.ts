import { expect, test } from '@jest/globals';
import type { PersistentVolumeClaim } from '@holdfast/core';
import { createFights, type ApiClient, type Store } from '@holdfast/runtime';
import { createFakeClock } from '@holdfast/testing/fake-clock';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { createHeldClaims } from '../src/held-claims.ts';
import type { LiveLookup } from '../src/live-lookup.ts';
import { createMetrics } from '../src/metrics.ts';
import { createReconcile, fightPause, fightWindow } from '../src/reconcile.ts';
import { claim, protection } from './objects.ts';

/** Claims whose finalizer is gone again whenever they are looked at. */
function open({ dryRun = false } = {}) {
  const clock = createFakeClock();
  const held = createHeldClaims(clock);
  const written: string[] = [];
  const warnings: string[] = [];
  let version = 100;
  const bare = (name: string): PersistentVolumeClaim => claim({ name, uid: `uid of ${name}` });
  const patch = (_resource: unknown, { name }: { readonly name: string }) => {
    written.push(name);
    version += 1;
    const { metadata, ...rest } = bare(name);
    const resourceVersion = dryRun ? metadata.resourceVersion : String(version);
    return Promise.resolve({ ...rest, metadata: { ...metadata, resourceVersion, finalizers: [protection] } });
  };
  const reconcile = createReconcile({
    client: { patch } as unknown as ApiClient,
    claims: {
      get: (key: string) => bare(key.split('/')[1] ?? ''),
    } as unknown as Store<PersistentVolumeClaim>,
    podsNaming: () => [],
    nodesAttachedTo: () => new Set(),
    protect: true,
    waitForDetach: false,
    held,
    fights: createFights({ clock, pause: fightPause, window: fightWindow }),
    events: {
      record: (_resource, { metadata }, { reason }) => {
        warnings.push(`${reason} ${metadata.name}`);
      },
      run: () => Promise.resolve(),
    },
    logger: pino({ level: 'silent' }),
    metrics: createMetrics(new Registry(), held.byNamespace),
    clock,
  });
  return {
    clock,
    written,
    warnings,
    look: (name: string) => reconcile(`ns/${name}`, {} as LiveLookup, new AbortController().signal),
  };
}

test('another client removes the finalizer at once for an hour -> put back within half a minute each time', async () => {
  const { clock, written, warnings, look } = open();
  let longest = 0;
  for (let last = clock.now(); clock.now() < 3_600_000;) {
    const before = written.length;
    const result = await look('data');
    if (written.length > before) {
      longest = Math.max(longest, clock.now() - last);
      last = clock.now();
    }
    await clock.advance(result.kind === 'requeueAfter' ? result.delay : 10);
  }
  expect(longest).toBeLessThanOrEqual(30_100);
  expect(written.length).toBeLessThan(150);
  expect(new Set(warnings)).toEqual(new Set(['ProtectionUndone data']));
});

test('another client begins to remove the finalizer -> put back at once three times, then after one, two, four s', async () => {
  const { clock, written, look } = open();
  const began = clock.now();
  const at: number[] = [];
  while (written.length < 6) {
    const before = written.length;
    const result = await look('data');
    if (written.length > before) {
      at.push(Math.round((clock.now() - began) / 1_000));
    }
    await clock.advance(result.kind === 'requeueAfter' ? result.delay : 10);
  }
  expect(at).toEqual([0, 0, 0, 1, 3, 7]);
});

test('another client removes the finalizer every ten seconds -> put back at once each time', async () => {
  const { clock, written, warnings, look } = open();
  for (let time = 0; time < 20; time++) {
    await look('data');
    await clock.advance(10_000);
  }
  expect(written).toHaveLength(20);
  expect(warnings).toStrictEqual([]);
});

test('one claim is fought over -> another is protected at once', async () => {
  const { written, look } = open();
  for (let time = 0; time < 5; time++) {
    await look('data');
  }
  await look('other');
  expect(written).toEqual(['data', 'data', 'data', 'other']);
});

test('dry run, in which nothing is stored -> no fight', async () => {
  const { written, warnings, look } = open({ dryRun: true });
  for (let time = 0; time < 10; time++) {
    await look('data');
  }
  expect(written).toHaveLength(10);
  expect(warnings).toStrictEqual([]);
});
