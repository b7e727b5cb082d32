import { expect, test } from '@jest/globals';
import type { ReconcileResult } from '@holdfast/runtime';
import { eventually } from '@holdfast/scenario';
import { createFakeClock } from '@holdfast/testing/fake-clock';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import type { OurKeeper } from '../src/decide/snapshot.ts';
import { createDeletionQueues } from '../src/deletion-queues.ts';
import { csiFinalizer, inTreeFinalizer } from './objects.ts';

const driver = (name: string): OurKeeper => ({
  kind: 'csi',
  name,
  finalizer: csiFinalizer,
  stale: undefined,
  canDelete: true,
});
const hostPath: OurKeeper = {
  kind: 'inTree',
  name: 'kubernetes.io/host-path',
  finalizer: inTreeFinalizer,
  stale: undefined,
  canDelete: true,
};
const timeout = 60_000;

interface Call {
  readonly volume: string;
  readonly signal: AbortSignal;
  readonly end: (result: ReconcileResult) => void;
}

/** Queues whose deletions last until they are ended, or abandoned. */
function open(concurrency = 3) {
  const clock = createFakeClock();
  const registry = new Registry();
  const calls: Call[] = [];
  const stop = new AbortController();
  const abandon = new AbortController();
  const queues = createDeletionQueues({
    name: 'app',
    logger: pino({ level: 'silent' }),
    registry,
    clock,
    concurrencyOf: ({ kind }) => (kind === 'csi' ? concurrency : 1),
    timeout,
    reconcile: (keeper, key, signal) =>
      new Promise((resolve, reject) => {
        signal.throwIfAborted();
        signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
        calls.push({ volume: `${keeper} ${key}`, signal, end: resolve });
      }),
  });
  const running = queues.run(stop.signal, abandon.signal);
  const volumes = (): readonly string[] => calls.map(({ volume }) => volume);
  return {
    clock,
    registry,
    queues,
    calls,
    volumes,
    called: (volume: string): Promise<void> =>
      eventually(`${volume} is being deleted`, () => volumes().includes(volume)),
    stop: () => {
      stop.abort(new Error('stopped'));
      return running;
    },
    abandon: () => {
      abandon.abort(new Error('abandoned'));
      stop.abort(new Error('abandoned'));
      return running;
    },
  };
}

test('P4: a driver and a folder hang -> volumes of another driver are deleted', async () => {
  const { queues, volumes, called, abandon } = open();
  for (let at = 0; at < 1_000; at++) {
    queues.add(driver('a'), `a${String(at)}`);
    queues.add(hostPath, `h${String(at)}`);
  }
  await called('a a2');
  queues.add(driver('b'), 'b0');
  await called('b b0');
  expect(volumes().toSorted()).toEqual(['a a0', 'a a1', 'a a2', 'b b0', 'kubernetes.io/host-path h0']);
  await abandon();
});

test('added while it is being deleted -> not called twice at once, but once more after', async () => {
  const { queues, calls, volumes, called, abandon } = open();
  queues.add(driver('a'), 'v');
  await called('a v');
  queues.add(driver('a'), 'v');
  queues.add(driver('a'), 'other');
  await called('a other');
  expect(volumes()).toEqual(['a v', 'a other']);
  calls[0]?.end({ kind: 'done' });
  await eventually('it is called again', () => volumes().length === 3);
  expect(volumes()[2]).toBe('a v');
  await abandon();
});

test('volumes of a driver failed, and are due again -> one that was not tried yet goes first', async () => {
  const { clock, queues, calls, volumes, called, abandon } = open(1);
  queues.add(driver('a'), 'fails');
  queues.add(driver('a'), 'hangs');
  await called('a fails');
  calls[0]?.end({ kind: 'requeueAfter', delay: 1_000, behind: true });
  await called('a hangs');
  await clock.advance(1_000);
  queues.add(driver('a'), 'new');
  calls[1]?.end({ kind: 'requeueAfter', delay: 1_000, behind: true });
  await called('a new');
  calls[2]?.end({ kind: 'done' });
  await eventually('the one that failed is tried again', () => volumes().length === 4);
  expect(volumes()).toEqual(['a fails', 'a hangs', 'a new', 'a fails']);
  await abandon();
});

test('one driver fails on and on -> the delays of another do not grow', async () => {
  const { clock, queues, calls, volumes, called, abandon } = open(1);
  queues.add(driver('a'), 'v');
  for (let failures = 1; failures <= 10; failures++) {
    await eventually('it is tried', () => calls.length === failures);
    calls.at(-1)?.end({ kind: 'lookAgain', reason: 'no' });
    // Until the key is back in the queue its delay does not run.
    await eventually('it is tried again', async () => {
      await clock.advance(10_000);
      return calls.length === failures + 1;
    });
  }
  queues.add(driver('b'), 'w');
  await called('b w');
  calls.at(-1)?.end({ kind: 'lookAgain', reason: 'no' });
  await eventually('b is tried again after its first delay', async () => {
    await clock.advance(5);
    return volumes().filter((volume) => volume === 'b w').length === 2;
  });
  await abandon();
});

test('lease lost -> deletions under way are aborted, those that wait are not begun', async () => {
  const { queues, calls, volumes, called, abandon } = open(1);
  queues.add(driver('a'), 'v');
  queues.add(driver('a'), 'waits');
  await called('a v');
  await abandon();
  expect(calls[0]?.signal.aborted).toBe(true);
  expect(volumes()).toEqual(['a v']);
});

test('stopped -> deletions under way end, those that wait are not begun, and nothing more is taken', async () => {
  const { queues, calls, volumes, called, stop } = open(1);
  queues.add(driver('a'), 'v');
  queues.add(driver('a'), 'waits');
  await called('a v');
  const stopped = stop();
  queues.add(driver('a'), 'late');
  queues.add(driver('b'), 'later');
  calls[0]?.end({ kind: 'done' });
  await stopped;
  queues.add(driver('b'), 'too late');
  expect(calls[0]?.signal.aborted).toBe(false);
  expect(volumes()).toEqual(['a v']);
});

test('a keeper has a queue -> its depth is a metric by its name', async () => {
  const { registry, queues, called, abandon } = open(1);
  queues.add(driver('a'), 'v');
  await called('a v');
  queues.add(driver('a'), 'waits');
  expect(await registry.getSingleMetricAsString('workqueue_depth')).toContain(
    'workqueue_depth{name="app/a"} 1',
  );
  await abandon();
});
