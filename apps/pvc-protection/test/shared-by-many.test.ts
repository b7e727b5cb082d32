import { expect, test } from '@jest/globals';
import type { PersistentVolumeClaim } from '@holdfast/core';
import { createFights, type ApiClient, type Store } from '@holdfast/runtime';
import { createFakeClock } from '@holdfast/testing/fake-clock';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { createHeldClaims } from '../src/held-claims.ts';
import type { LiveLookup } from '../src/live-lookup.ts';
import { createMetrics } from '../src/metrics.ts';
import { createReconcile, fightPause } from '../src/reconcile.ts';
import { claim, pod, protection } from './objects.ts';

test('X3: thousands of pods hold a claim, and go one by one -> each line of log names some, and how many there are', async () => {
  const clock = createFakeClock();
  const held = createHeldClaims(clock);
  const data = claim({ deleted: true, finalizers: [protection] });
  const users = Array.from({ length: 5_000 }, (_, index) => pod({ name: `web-${String(index)}`, node: 'n' }));
  const lines: string[] = [];
  const notes: string[] = [];
  const reconcile = createReconcile({
    client: {} as ApiClient,
    claims: { get: () => data } as unknown as Store<PersistentVolumeClaim>,
    podsNaming: () => users,
    nodesAttachedTo: () => new Set(),
    protect: true,
    waitForDetach: false,
    held,
    fights: createFights({ clock, pause: fightPause }),
    events: {
      record: (_resource, _claim, { note }) => {
        notes.push(note);
      },
      run: () => Promise.resolve(),
    },
    logger: pino({}, { write: (line: string) => lines.push(line) }),
    metrics: createMetrics(new Registry(), held.byNamespace),
    clock,
  });
  for (let gone = 0; gone < 3; gone++) {
    await reconcile('ns/data', {} as LiveLookup, new AbortController().signal);
    users.pop();
  }
  expect(lines.map((line) => (JSON.parse(line) as { readonly podCount: number }).podCount)).toEqual([
    5_000, 4_999, 4_998,
  ]);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(1_000);
  expect(notes[0]).toBe('Used by pods web-0, web-1, web-2, web-3, web-4 and 4995 more');
});
