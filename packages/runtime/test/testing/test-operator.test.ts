import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { configMaps, leases, objectKey } from '@holdfast/core';
import { defineResource } from '@holdfast/core/custom-resource';
import { z } from 'zod';
import { TerminalError } from '../../src/controller/controller.ts';
import { appCommand } from '../../src/flags/app-command.ts';
import type { App } from '../../src/process/app.ts';
import { wake } from '../../src/process/wake.ts';
import { testOperator } from '../../src/testing/index.ts';
import { createProjection } from '../../src/wire/projection.ts';
import { countBooks, guardConfiguration, guardShelves, shelf, shelves } from './shelf.ts';

const embedded = { backend: 'embedded' } as const;
const slimMap = createProjection(configMaps, { data: true });

/** Does this with each config map of `default` but those that are there from the start. */
function withMaps(reconcile: (key: string, signal: AbortSignal) => Promise<void>): (app: App) => void {
  return ({ watch, controller }) =>
    controller({
      wakes: [wake(watch(configMaps, slimMap), { present: objectKey })],
      reconcile: async (key, _batch, signal) => {
        if (key.startsWith('default/own-')) {
          await reconcile(key, signal);
        }
        return { kind: 'done' };
      },
    });
}

const resting = withMaps(() => Promise.resolve());

const own = { metadata: { name: 'own-a' } };

describe('idle', () => {
  test('reconcile fails twice -> waits for the third try', async () => {
    let tries = 0;
    await using t = await testOperator({
      ...embedded,
      compose: withMaps(() => {
        tries += 1;
        return tries < 3 ? Promise.reject(new Error('not yet')) : Promise.resolve();
      }),
    });
    await t.client.create(configMaps, 'default', own);
    await t.idle();
    expect(tries).toBe(3);
    expect(t.log.filter(({ msg }) => msg === 'Reconcile failed')).toMatchObject([
      { level: 'error', key: 'default/own-a', err: { message: 'not yet' } },
      { failures: 2 },
    ]);
  });

  test('reconcile fails for good -> idle', async () => {
    await using t = await testOperator({
      ...embedded,
      compose: withMaps(() => Promise.reject(new TerminalError('no use'))),
    });
    await t.client.create(configMaps, 'default', own);
    await t.idle();
    expect(t.log.map(({ msg }) => msg)).toContain('Reconcile failed for good');
  });

  test('reconcile always fails -> rejects, naming the key, the error and what was logged', async () => {
    await using t = await testOperator({
      ...embedded,
      compose: withMaps(() => Promise.reject(new Error('the disk is full'))),
    });
    await t.client.create(configMaps, 'default', own);
    await t.eventually(() => t.log.length > 2);
    await expect(t.idle(200)).rejects.toThrow(
      /operator operator is not idle after 200 ms: operator: reconcile of default\/own-a failed: Error: the disk is full; it logged last: .*Reconcile failed/,
    );
  });

  test('objects come and go while it works -> resolves when the last is done', async () => {
    const seen: string[] = [];
    await using t = await testOperator({
      ...embedded,
      compose: withMaps(async (key) => {
        await pause(1);
        seen.push(key);
      }),
    });
    for (const number of Array(20).keys()) {
      await t.client.create(configMaps, 'default', { metadata: { name: `own-${number}` } });
    }
    await t.client.delete(configMaps, { namespace: 'default', name: 'own-3' });
    await t.idle();
    expect(new Set(seen).size).toBeGreaterThanOrEqual(19);
    expect(seen).toContain('default/own-19');
  });
});

describe('eventually', () => {
  test('throws, answers false, then something -> resolves with it', async () => {
    await using t = await testOperator({ ...embedded, compose: resting });
    const answers = [() => Promise.reject(new Error('no')), () => false, () => 'it'];
    expect(await t.eventually(() => (answers.shift() ?? (() => 'too often'))())).toBe('it');
  });

  test('never so -> rejects with the last reason, and has it as its cause', async () => {
    await using t = await testOperator({ ...embedded, compose: resting });
    const reason = new Error('it is 1, not 2');
    const failure: unknown = await t
      .eventually(() => Promise.reject(reason), 50)
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({ message: 'not so after 50 ms: it is 1, not 2', cause: reason });
    await expect(t.eventually(() => false, 50)).rejects.toThrow('the expectation answers false');
  });

  test('reconcile ends -> looks again at once', async () => {
    let done = 0;
    await using t = await testOperator({
      ...embedded,
      compose: withMaps(() => Promise.resolve(void (done += 1))),
    });
    let looks = 0;
    const seen = t.eventually(() => {
      looks += 1;
      return done > 0;
    });
    await t.client.create(configMaps, 'default', own);
    await seen;
    expect(looks).toBeGreaterThan(1);
  });
});

test('fake clock -> nothing that waits for time happens before it is moved', async () => {
  await using t = await testOperator({
    ...embedded,
    compose: countBooks,
    resources: [shelves],
    clock: 'fake',
  });
  const ref = { namespace: 'default', name: 'a' };
  const created = await t.client.create(shelves, 'default', {
    ...shelf('a', 'x'),
    spec: { books: ['x'], rested: 3_600 },
  });
  expect(created.metadata.creationTimestamp).toBe(
    new Date(t.clock.now()).toISOString().replace(/\.\d+Z$/, 'Z'),
  );
  await t.idle();
  await t.clock.advance(3_599_000);
  await t.idle();
  expect((await t.client.get(shelves, ref)).status).toBeUndefined();
  await t.clock.advance(1_000);
  await t.idle();
  expect((await t.client.get(shelves, ref)).status).toEqual({ count: 1 });
});

test('machine clock -> clock says how to have another', async () => {
  await using t = await testOperator({ ...embedded, compose: resting });
  expect(() => t.clock).toThrow("clock: 'fake'");
});

test('two operators side by side -> each with its own log, requests and metrics', async () => {
  await using one = await testOperator({ ...embedded, compose: countBooks, resources: [shelves] });
  await using other = await testOperator({ ...embedded, compose: withMaps(() => Promise.resolve()) });
  await one.client.create(shelves, 'default', shelf('a', 'x'));
  await Promise.all([one.idle(), other.idle()]);
  expect(one.requests.some(({ resource }) => resource === 'shelves')).toBe(true);
  expect(other.requests.some(({ resource }) => resource === 'shelves')).toBe(false);
  const total = 'controller_runtime_reconcile_total';
  expect(await one.registry.getSingleMetricAsString(total)).toContain('result="success"} 2');
  expect(other.registry).not.toBe(one.registry);
});

test('leader election asked for -> works with the lease, and gives it back', async () => {
  await using t = await testOperator({
    ...embedded,
    compose: countBooks,
    resources: [shelves],
    flags: ['--leader-elect', '--leader-elect-resource-namespace=default'],
  });
  const held = await t.client.get(leases, { namespace: 'default', name: 'operator' });
  expect(held.spec?.holderIdentity).toBeTruthy();
  expect(t.requests.map(({ resource }) => resource)).toContain('leases');
});

describe('start that fails -> named, and nothing is left', () => {
  // Other runs have folders there too.
  const own = `unstarted-${randomBytes(4).toString('hex')}`;
  const leftOver = (): readonly string[] => readdirSync(tmpdir()).filter((name) => name.startsWith(own));
  const command = appCommand({
    name: own,
    version: '1',
    description: 'does not start.',
    gates: {},
    flags: {},
  });
  const failing = { ...embedded, command };

  test.each([
    [
      'compose throws',
      {
        compose: () => {
          throw new RangeError('there is no such shelf');
        },
      },
      /operator unstarted-\w+ failed: there is no such shelf/,
    ],
    [
      'kind is watched and not served',
      { compose: countBooks, patience: 300 },
      /operator unstarted-\w+ does not work after 300 ms: the cache of shelves is not full; it logged last: .*404/,
    ],
    [
      'names of the kind are taken',
      {
        compose: countBooks,
        resources: [
          shelves,
          defineResource({
            group: shelves.group,
            version: 'v1',
            kind: shelves.kind,
            plural: 'racks',
            spec: z.object({}),
          }),
        ],
      },
      /kind Shelf is not served, CustomResourceDefinition (racks|shelves).library.example.com was refused: .*; change what defineResource is given/,
    ],
    [
      'definition is refused',
      {
        compose: countBooks,
        resources: [
          {
            ...shelves,
            definition: {
              ...shelves.definition,
              spec: { ...shelves.definition.spec, scope: 'Everywhere' as 'Cluster' },
            },
          },
        ],
      },
      /kind Shelf is not served, CustomResourceDefinition shelves.library.example.com was refused: .*Everywhere/,
    ],
    ['flag that is not known', { compose: countBooks, flags: ['--fast'] }, 'unknown flag --fast'],
    ['flag that prints', { compose: countBooks, flags: ['--help'] }, 'leave --help and --version out'],
    [
      'configurations without webhooks',
      { compose: countBooks, webhookConfigurations: [guardConfiguration] },
      /operator unstarted-\w+ has no webhooks/,
    ],
  ] as const)('%s', async (_name, options, message) => {
    await expect(testOperator({ ...failing, ...options })).rejects.toThrow(message);
    expect(leftOver()).toStrictEqual([]);
  });
});

describe('operator that ends by itself', () => {
  const compose = ({ run }: App): void =>
    run({ name: 'report', run: () => pause(20).then(() => Promise.reject(new Error('no paper'))) });
  const message = /operator operator has ended by itself, with exit code 1; it logged last: .*no paper/;

  test('while something is awaited -> that rejects', async () => {
    await using t = await testOperator({ ...embedded, compose });
    await expect(t.eventually(() => false)).rejects.toThrow(message);
    await expect(t.idle()).rejects.toThrow(message);
  });

  test('nobody noticed -> stop rejects, once everything has ended', async () => {
    const t = await testOperator({ ...embedded, compose });
    while (!t.log.some(({ msg }) => msg === 'Stopped')) {
      await pause(5);
    }
    await expect(t.stop()).rejects.toThrow(message);
    await expect(fetch(t.plane.url)).rejects.toThrow('fetch failed');
  });

  test('asked for -> its exit code, and no error at the end', async () => {
    await using t = await testOperator({ ...embedded, compose });
    expect(await t.exited()).toBe(1);
  });
});

test.concurrent(
  'reconcile hangs and heeds no signal -> stop names it, and everything else has ended',
  async () => {
    const signals = process.listenerCount('SIGTERM');
    let isHanging = false;
    const t = await testOperator({
      ...embedded,
      compose: withMaps(() => {
        isHanging = true;
        return new Promise(() => undefined);
      }),
    });
    expect(process.listenerCount('SIGTERM')).toBe(signals);
    await t.client.create(configMaps, 'default', own);
    await t.eventually(() => isHanging);
    await expect(t.stop()).rejects.toThrow(
      /operator operator does not end, 5000 ms after it was told to: operator: reconcile of default\/own-a is under way; heed the signal/,
    );
    expect(t.log.at(-1)).toMatchObject({ msg: 'Stopped' });
    await expect(fetch(t.plane.url)).rejects.toThrow('fetch failed');
  },
);

test('something is awaited after or during the stop -> that rejects at once, and says so', async () => {
  const t = await testOperator({ ...embedded, compose: resting });
  const during = expect(t.eventually(() => false)).rejects.toThrow(/operator operator was stopped/);
  await t.stop();
  await during;
  const since = performance.now();
  await expect(t.eventually(() => false)).rejects.toThrow(
    'operator operator was stopped; await idle() and eventually() before stop()',
  );
  await expect(t.idle()).rejects.toThrow(/operator operator was stopped/);
  expect(performance.now() - since).toBeLessThan(1_000);
  expect(await t.eventually(() => t.log.at(-1)?.msg)).toBe('Stopped');
});

test.concurrent('reconcile under way heeds its signal -> ends without an error', async () => {
  let isUnderWay = false;
  await using t = await testOperator({
    ...embedded,
    compose: withMaps(async (_key, signal) => {
      isUnderWay = true;
      await pause(60_000, undefined, { signal });
    }),
  });
  await t.client.create(configMaps, 'default', own);
  await t.eventually(() => isUnderWay);
});

test('webhooks without a configuration -> refused, with the way out', async () => {
  await expect(
    testOperator({ ...embedded, compose: countBooks, webhooks: guardShelves as never }),
  ).rejects.toThrow('give testOperator those that you ship as webhookConfigurations');
});
