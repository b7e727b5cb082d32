import { afterEach, describe, expect, test } from '@jest/globals';
import {
  objectKey,
  parseFeatureGates,
  persistentVolumeClaims,
  storageClasses,
  type PersistentVolumeClaim,
  type StorageClass,
} from '@holdfast/core';
import { createFakeClock } from '@holdfast/testing/fake-clock';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { composeApp, type App, type AppParts } from '../../src/process/app.ts';
import { owns } from '../../src/process/owns.ts';
import { runControllers } from '../../src/process/run-controllers.ts';
import { wake } from '../../src/process/wake.ts';
import { createProjection } from '../../src/wire/projection.ts';
import { createScriptedClient } from '../cache/scripted-client.ts';
import { claim } from '../claim.ts';
import { until } from '../until.ts';

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) {
    await stop();
  }
});

const slimClaim = createProjection<PersistentVolumeClaim>(persistentVolumeClaims, {
  spec: { storageClassName: true, volumeName: true },
});
const slimClass = createProjection<StorageClass>(storageClasses, { provisioner: true });

function surroundings(options: Partial<AppParts> = {}) {
  const api = createScriptedClient();
  const registry = new Registry();
  const parts: AppParts = {
    name: 'app',
    client: api,
    logger: pino({ level: 'silent' }),
    registry,
    events: { record: () => undefined, run: () => Promise.resolve() },
    gates: parseFeatureGates({}, ''),
    namespaces: [],
    concurrentSyncs: 3,
    ...options,
  };
  return { api, registry, parts };
}

/** Runs it as a process does. */
function run(parts: AppParts, compose: (app: App) => void) {
  const composition = composeApp(parts, compose);
  const stop = new AbortController();
  composition.informers.forEach((informer) => informer.holdHandlers());
  const following = composition.informers.map((informer) => informer.run(stop.signal));
  const working = runControllers(composition, stop.signal, new AbortController().signal);
  stops.push(() => {
    stop.abort(new Error('the test is over'));
    return Promise.all([...following, working]);
  });
  return composition;
}

describe('composeApp', () => {
  test.each([
    ['without owner references', { spec: { volumeName: true } }],
    [
      'with the kind and name of owners, and not who is the controller',
      { metadata: { ownerReferences: [{ apiVersion: true, kind: true, name: true, uid: true }] } },
    ],
  ] as const)('children are kept %s -> refused, with what is to be kept', (_state, fields) => {
    const compose = ({ watch, controller }: App): void => {
      const kept = createProjection<PersistentVolumeClaim>(persistentVolumeClaims, fields);
      const wakes = [owns(watch(storageClasses), watch(persistentVolumeClaims, kept))];
      controller({ wakes, reconcile: () => Promise.resolve({ kind: 'done' }) });
    };
    expect(() => composeApp(surroundings().parts, compose)).toThrow(
      'the cache of persistentvolumeclaims does not keep by whom a PersistentVolumeClaim is controlled, so that it could not wake its StorageClass; ' +
        'add metadata: { ownerReferences: [{ apiVersion: true, kind: true, name: true, uid: true, controller: true }] } to its projection',
    );
  });

  test('children are kept with their owner references, or whole -> taken', () => {
    const compose = ({ watch, controller }: App): void => {
      const reference = { apiVersion: true, kind: true, name: true, uid: true, controller: true } as const;
      const kept = createProjection<PersistentVolumeClaim>(persistentVolumeClaims, {
        metadata: { ownerReferences: [reference] },
      });
      const classes = watch(storageClasses);
      const children = [watch(persistentVolumeClaims, kept), watch(persistentVolumeClaims)];
      const wakes = children.map((kind) => owns(classes, kind));
      controller({ wakes, reconcile: () => Promise.resolve({ kind: 'done' }) });
    };
    expect(composeApp(surroundings().parts, compose).controllers).toHaveLength(1);
  });

  test('claim that waits, then one of another class -> found by index, woken and reconciled', async () => {
    const { api, parts } = surroundings();
    api.answerList([{ version: '1', items: [claim('first', 1), claim('second', 1)] }]);
    const reconciled: string[] = [];
    run(parts, ({ watch, controller }) => {
      const claims = watch(persistentVolumeClaims, slimClaim, {
        version: ({ metadata }) => [metadata.resourceVersion],
      });
      controller({
        wakes: [
          wake(claims, {
            present: (object) => (object.metadata.name === 'second' ? undefined : objectKey(object)),
            deleted: ({ metadata }) => `gone ${metadata.name}`,
          }),
        ],
        reconcile: (key) => {
          reconciled.push(`${key} of ${String(claims.store.byIndex('version', '1').length)}`);
          return Promise.resolve({ kind: 'done' });
        },
      });
    });
    await until('it works', () => reconciled.length === 1);
    api.lastWatch().send({ type: 'DELETED', object: claim('second', 2) });
    await until('it works on', () => reconciled.length === 2);
    expect(reconciled).toEqual([`${objectKey(claim('first', 1))} of 2`, 'gone second of 1']);
  });

  test('index that was not declared -> does not compile', () => {
    const { parts } = surroundings();
    composeApp(parts, ({ watch }) => {
      const claims = watch(persistentVolumeClaims, slimClaim, { volume: () => [] });
      // @ts-expect-error there is none of this name
      expect(() => claims.store.byIndex('volum', 'a')).toThrow('no index "volum"');
      const classes = watch(storageClasses, slimClass);
      // @ts-expect-error there is none at all
      expect(() => classes.store.byIndex('volume', 'a')).toThrow('no index "volume"');
      expect(claims.store.byIndex('volume', 'a').length).toBe(0);
    });
  });

  test('namespaces a and b -> what has namespaces is watched there, what has none as a whole', () => {
    const { parts } = surroundings({ namespaces: ['a', 'b'] });
    const { informers } = composeApp(parts, ({ watch }) => {
      watch(storageClasses, slimClass);
      watch(persistentVolumeClaims, slimClaim);
    });
    expect(informers.map(({ name, scopes }) => [name, scopes])).toEqual([
      ['storageclasses', [undefined]],
      ['persistentvolumeclaims', ['a', 'b']],
    ]);
  });

  test('kind that a gate keeps from being watched -> not followed, and its store is empty', () => {
    const { api, parts } = surroundings();
    const { informers } = composeApp(parts, ({ watch }) => {
      const claims = watch(persistentVolumeClaims, slimClaim, { all: () => ['all'] }, { when: false });
      claims.addHandler({ added: () => undefined });
      expect([claims.store.size, claims.store.byIndex('all', 'all').length, claims.hasSynced()]).toEqual([
        0,
        0,
        false,
      ]);
    });
    expect([informers.length, api.lists.length, api.watches.length]).toEqual([0, 0, 0]);
  });

  test('kind without a projection -> kept whole, under the options that are given', async () => {
    const { api, parts } = surroundings();
    const whole = { ...claim('one', 1), status: { phase: 'Bound' } };
    api.answerList([{ version: '1', items: [whole] }]);
    let kept: unknown;
    run(parts, ({ watch, controller }) => {
      const claims = watch(persistentVolumeClaims, { labelSelector: 'app=web' });
      watch(storageClasses, { when: false });
      controller({
        wakes: [wake(claims, { present: objectKey })],
        reconcile: (key) =>
          Promise.resolve({ kind: 'done' as const }).finally(() => (kept = claims.store.get(key))),
      });
    });
    await until('it works', () => kept !== undefined);
    expect(kept).toEqual(whole);
    expect(api.watches.map(({ options }) => options.labelSelector)).toEqual(['app=web']);
  });

  test('two controllers -> metrics under their names, workers as many as the app says or they say themselves', async () => {
    const { registry, parts } = surroundings();
    const reconcile = (): Promise<{ kind: 'done' }> => Promise.resolve({ kind: 'done' });
    const { controllers } = composeApp(parts, (app) => {
      app.controller({ wakes: [], reconcile });
      app.controller({ name: 'second', concurrency: 2, groupOf: (key) => key, wakes: [], reconcile });
    });
    const stop = new AbortController();
    const running = controllers.map((each) => each.run(stop.signal));
    const metric = await registry.getSingleMetric('controller_runtime_max_concurrent_reconciles')?.get();
    expect(metric?.values.map(({ labels, value }) => [labels['controller'], value])).toEqual([
      ['app', 3],
      ['second', 4],
    ]);
    const depth = await registry.getSingleMetric('workqueue_depth')?.get();
    expect(depth?.values.map(({ labels }) => labels['name'])).toEqual(['app', 'second']);
    stop.abort();
    await Promise.all(running);
  });

  test('two controllers of one name -> refused: neither log nor metrics could tell them apart', () => {
    const reconcile = (): Promise<{ kind: 'done' }> => Promise.resolve({ kind: 'done' });
    const compose = ({ controller }: App): void => {
      controller({ wakes: [], reconcile });
      controller({ wakes: [], reconcile });
    };
    expect(() => composeApp(surroundings().parts, compose)).toThrow(
      'two controllers have the name "app", by which logs and metrics tell them apart; give one of them another name',
    );
  });

  test.each<readonly [string, (app: App) => unknown]>([
    ['watch', (app) => app.watch(storageClasses)],
    [
      'controller',
      (app) => app.controller({ name: 'late', wakes: [], reconcile: () => Promise.reject(new Error()) }),
    ],
    ['run', (app) => app.run({ name: 'late', run: () => Promise.resolve() })],
    ['readyWhile', (app) => app.readyWhile({ name: 'late', healthy: () => true })],
    ['aliveWhile', (app) => app.aliveWhile({ name: 'late', healthy: () => true })],
  ])('%s after the app was composed -> refused: it would never run', (what, late) => {
    let composed: App | undefined;
    composeApp(surroundings().parts, (app) => {
      composed = app;
    });
    expect(() => composed && late(composed)).toThrow(
      `${what} was called after the app was composed, and would have no effect; call it in the function that composes the app`,
    );
  });

  test('function that composes is asynchronous -> refused, and its own failure is not left unhandled', () => {
    // A function that returns something may stand where its result is not used, and so the compiler accepts this one.
    const compose = (): unknown => Promise.reject(new Error('read before'));
    expect(() => composeApp(surroundings().parts, compose)).toThrow(
      'the function that composes the app returns a promise; make it synchronous, and await before runApp or within app.run: what it watches after an await would have no effect',
    );
  });

  test('index that a gate keeps from being kept -> asking for it throws, the others answer', () => {
    const { parts } = surroundings();
    composeApp(parts, ({ watch }) => {
      const { store } = watch(persistentVolumeClaims, slimClaim, { volume: () => [], other: undefined });
      expect(() => store.byIndex('other', 'a')).toThrow('no index "other"; it has volume');
      expect(store.byIndex('volume', 'a').length).toBe(0);
    });
  });

  test('controller with something around it -> that begins before it, and ends after it', async () => {
    const { parts } = surroundings();
    const seen: string[] = [];
    const { controllers } = composeApp(parts, ({ controller }) => {
      controller({
        wakes: [],
        reconcile: (key) => Promise.resolve<{ kind: 'done' }>({ kind: 'done' }).finally(() => seen.push(key)),
        around: (run) => async (stop, abandon) => {
          seen.push('connected');
          await run(stop, abandon);
          seen.push('left');
        },
      });
    });
    const stop = new AbortController();
    const running = controllers.map((each) => each.run(stop.signal));
    controllers[0]?.queue.add('a');
    await until('it works', () => seen.length === 2);
    stop.abort();
    await Promise.all(running);
    expect(seen).toEqual(['connected', 'a', 'left']);
  });

  test('clock is given -> the keys of a controller come back by it', async () => {
    const clock = createFakeClock();
    const { parts } = surroundings({ clock });
    let tries = 0;
    const { controllers } = run(parts, ({ controller }) => {
      controller({
        wakes: [],
        openBatch: (keys) => keys.length,
        reconcile: (_key, size) => {
          tries += size;
          return Promise.resolve({ kind: 'requeueAfter', delay: 3_600_000 });
        },
      });
    });
    controllers[0]?.queue.add('a');
    await until('it was tried', () => tries === 1);
    await clock.advance(3_600_000);
    await until('it was tried again', () => tries === 2);
  });

  test('handlers and wakes -> called in the order in which they were added', async () => {
    const { api, parts } = surroundings();
    api.answerList([{ version: '1', items: [claim('one', 1)] }]);
    const called: string[] = [];
    const note = (what: string) => () => void called.push(what);
    run(parts, ({ watch, controller }) => {
      const claims = watch(persistentVolumeClaims, slimClaim);
      claims.addHandler({ added: note('handler') });
      controller({
        wakes: [
          wake(claims, { present: note('first wake') }),
          wake(claims, { present: note('second wake') }),
        ],
        reconcile: () => Promise.resolve({ kind: 'done' }),
      });
      claims.addHandler({ added: note('later handler') });
    });
    await until('all were called', () => called.length === 4);
    expect(called).toEqual(['handler', 'first wake', 'second wake', 'later handler']);
  });

  test('runnables and checks -> in the composition', () => {
    const { parts } = surroundings();
    const runnable = { name: 'report', run: () => Promise.resolve() };
    const check = { name: 'report', healthy: () => true };
    const composition = composeApp(parts, (app) => {
      app.run(runnable);
      app.readyWhile(check);
      app.aliveWhile(check);
    });
    expect(composition).toEqual({
      informers: [],
      controllers: [],
      runnables: [runnable],
      readyChecks: [check],
      liveChecks: [check],
    });
  });
});
