import { afterEach, describe, expect, test } from '@jest/globals';
import { createFakeClock, settled } from '@holdfast/testing/fake-clock';
import fc from 'fast-check';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { ApiError } from '../../src/client/api-error.ts';
import { LookTooOld } from '../../src/client/look.ts';
import { createControllerMetrics } from '../../src/controller/controller-metrics.ts';
import {
  createController,
  ReconcileTimeout,
  TerminalError,
  type ControllerOptions,
} from '../../src/controller/controller.ts';
import type { ReconcileResult } from '../../src/controller/reconcile-result.ts';
import { createWorkQueueMetrics } from '../../src/queue/work-queue-metrics.ts';
import { createKeptLog } from '../../src/testing/kept-log.ts';

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
});

const done: ReconcileResult = { kind: 'done' };

/** One reconcile under way, for the test to end. */
interface Call {
  readonly key: string;
  readonly at: number;
  readonly batch: readonly string[];
  readonly signal: AbortSignal;
  answer(result: ReconcileResult): void;
  fail(error: unknown): void;
}

/** A controller whose reconciles the test ends, or `reconcile` answers. */
function start(options: Partial<ControllerOptions<readonly string[]>> = {}) {
  const clock = createFakeClock();
  const registry = new Registry();
  const calls: Call[] = [];
  const began = clock.now();
  const controller = createController<readonly string[]>({
    name: 'test',
    logger: pino({ level: 'silent' }),
    metrics: createControllerMetrics(registry, 'test'),
    queueMetrics: createWorkQueueMetrics(registry, 'test'),
    clock,
    openBatch: (keys) => keys,
    reconcile: (key, batch, signal) =>
      new Promise((answer, fail) => {
        calls.push({ key, at: clock.now() - began, batch, signal, answer, fail });
      }),
    ...options,
  });
  const stop = new AbortController();
  const abandon = new AbortController();
  let ended = false;
  const running = controller.run(stop.signal, abandon.signal).then(() => {
    ended = true;
  });
  stops.push(async () => {
    stop.abort(new Error('test is over'));
    abandon.abort(new Error('test is over'));
    calls.forEach((call) => call.answer(done));
    await running;
  });
  const lastCall = (): Call => {
    const call = calls.at(-1);
    if (call === undefined) {
      throw new Error('nothing was reconciled');
    }
    return call;
  };
  return { clock, registry, controller, calls, lastCall, stop, abandon, hasEnded: () => ended, running };
}

const refusal = (code: number): ApiError => new ApiError('PATCH /a', code, {});
const fail = (error: Error): never => {
  throw error;
};

const counts = async (registry: Registry, name: string): Promise<readonly string[]> =>
  (await registry.metrics())
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));

describe('what becomes of a key', () => {
  test('done -> not looked at again, given back', async () => {
    const { clock, controller, calls, lastCall, registry } = start();
    controller.queue.add('a');
    await settled();
    lastCall().answer(done);
    await clock.advance(3_600_000);
    expect(calls.map(({ key }) => key)).toEqual(['a']);
    expect(await counts(registry, 'controller_runtime_reconcile_total')).toContain(
      'controller_runtime_reconcile_total{controller="test",result="success"} 1',
    );
    controller.queue.add('a');
    await settled();
    expect(calls).toHaveLength(2);
  });

  test('fails again and again -> retried after 5 ms, doubled each time', async () => {
    let tries = 0;
    const at: number[] = [];
    const { clock, controller, registry } = start({
      reconcile: () => {
        at.push(clock.now());
        tries += 1;
        return tries <= 6 ? Promise.reject(new Error('no')) : Promise.resolve(done);
      },
    });
    controller.queue.add('a');
    await clock.advance(3_600_000);
    expect(at.slice(1).map((time, index) => time - (at[index] ?? 0))).toEqual([5, 10, 20, 40, 80, 160]);
    expect(controller.queue.failures('a')).toBe(0);
    expect(await counts(registry, 'controller_runtime_reconcile_errors_total')).toEqual([
      'controller_runtime_reconcile_errors_total{controller="test"} 6',
    ]);
  });

  test('a key fails for long, whatever others do -> the time since it last had no failure', async () => {
    let isFailing = true;
    const { clock, controller, registry } = start({
      reconcile: (key) =>
        key === 'bad' && isFailing ? Promise.reject(new Error('no')) : Promise.resolve(done),
    });
    const failingFor = async (): Promise<number> => {
      const [line = ''] = await counts(registry, 'controller_longest_failing_seconds');
      return Number(line.split(' ')[1]);
    };
    expect(await failingFor()).toBe(0);
    controller.queue.add('bad');
    await settled();
    await clock.advance(1_200_000);
    controller.queue.add('good');
    await settled();
    expect(await failingFor()).toBe(1_200);
    await clock.advance(6_000_000);
    expect(await failingFor()).toBe(7_200);
    isFailing = false;
    await clock.advance(1_000_000);
    expect(await failingFor()).toBe(0);
  });

  test('a key fails, then is only looked at again, or fails for good -> what that says of its failures', async () => {
    const { clock, controller, lastCall, registry } = start();
    const failingFor = async (): Promise<readonly string[]> =>
      counts(registry, 'controller_longest_failing_seconds');
    controller.queue.add('a');
    await settled();
    lastCall().fail(new Error('no'));
    await clock.advance(5);
    lastCall().answer({ kind: 'lookAgain', reason: 'changed' });
    await clock.advance(9_995);
    expect(await failingFor()).toEqual(['controller_longest_failing_seconds{controller="test"} 10']);
    lastCall().fail(new TerminalError('never'));
    await settled();
    expect(await failingFor()).toEqual(['controller_longest_failing_seconds{controller="test"} 0']);
  });

  test('reconcile throws before it awaits -> a failure like any other', async () => {
    const { clock, controller, calls } = start({
      reconcile: (key, batch, signal) => {
        calls.push({ key, at: 0, batch, signal, answer: () => undefined, fail: () => undefined });
        if (calls.length === 1) {
          throw new Error('at once');
        }
        return Promise.resolve(done);
      },
    });
    controller.queue.add('a');
    await clock.advance(10);
    expect(calls).toHaveLength(2);
  });

  test('TerminalError -> not retried; an event wakes the key', async () => {
    const { clock, controller, calls, lastCall, registry } = start();
    controller.queue.add('a');
    await settled();
    lastCall().fail(new TerminalError('never'));
    await clock.advance(3_600_000);
    expect(calls).toHaveLength(1);
    expect(controller.queue.failures('a')).toBe(0);
    expect(await counts(registry, 'controller_runtime_terminal_reconcile_errors_total')).toEqual([
      'controller_runtime_terminal_reconcile_errors_total{controller="test"} 1',
    ]);
    controller.queue.add('a');
    await settled();
    expect(calls).toHaveLength(2);
  });

  test('lookAgain -> retried soon, and not an error', async () => {
    const { clock, controller, calls, lastCall, registry } = start();
    controller.queue.add('a');
    await settled();
    lastCall().answer({ kind: 'lookAgain', reason: 'Conflict' });
    await clock.advance(5);
    expect(calls.map(({ at }) => at)).toEqual([0, 5]);
    expect(await counts(registry, 'controller_runtime_reconcile_errors_total')).toEqual([
      'controller_runtime_reconcile_errors_total{controller="test"} 0',
    ]);
    expect(await counts(registry, 'controller_runtime_reconcile_total')).toContain(
      'controller_runtime_reconcile_total{controller="test",result="requeue"} 1',
    );
  });

  test('lookAgain, and nothing else any more -> the log says why, once in a while', async () => {
    const { logger, lines } = createKeptLog('test', 'info');
    const { clock, controller } = start({
      logger,
      reconcile: () => Promise.resolve({ kind: 'lookAgain', reason: 'child of before has still to go' }),
    });
    controller.queue.add('a');
    await clock.advance(60_000);
    expect(lines).toStrictEqual([]);
    await clock.advance(3_600_000);
    expect(lines[0]).toMatchObject({
      level: 'warn',
      longest: [{ key: 'a', reason: 'child of before has still to go' }],
    });
    expect(lines.length).toBeGreaterThan(1);
    expect(lines.length).toBeLessThan(10);
  });

  test.each<{ what: string; end: (call: Call) => void }>([
    { what: 'fails', end: (call) => call.fail(new Error('no')) },
    { what: 'fails for good', end: (call) => call.fail(new TerminalError('never')) },
    { what: 'is done', end: (call) => call.answer(done) },
    { what: 'is to be looked at later', end: (call) => call.answer({ kind: 'requeueAfter', delay: 1_000 }) },
  ])('lookAgain 15 times, $what in between -> the log says nothing of it', async ({ end }) => {
    const { logger, lines } = createKeptLog('test', 'info');
    const { clock, controller, lastCall } = start({ logger, timeout: 10_000_000 });
    for (let look = 0; look < 40; look++) {
      controller.queue.add('a');
      await settled();
      if (look % 16 === 0) {
        end(lastCall());
      } else {
        lastCall().answer({ kind: 'lookAgain', reason: 'Conflict' });
      }
      await settled();
    }
    await clock.advance(0);
    expect(lines.filter(({ level }) => level === 'warn')).toStrictEqual([]);
  });

  test.each([
    { what: 'lookAgain', end: (call: Call) => call.answer({ kind: 'lookAgain', reason: 'Conflict' }) },
    { what: 'a look that was too old', end: (call: Call) => call.fail(new LookTooOld(2_001, 2_000)) },
  ])('$what after many failures -> looked at again within 30 s, and ever again', async ({ end }) => {
    const { clock, controller, calls, lastCall } = start({ timeout: 10_000_000 });
    controller.queue.add('a');
    await settled();
    for (let failures = 1; failures <= 20; failures++) {
      lastCall().fail(new Error('refused'));
      await clock.advance(1_000_000);
      expect(calls.length).toBe(failures + 1);
    }
    for (const looked of [21, 22]) {
      end(lastCall());
      await clock.advance(30_000);
      expect(calls.length).toBe(looked + 1);
    }
  });

  test('A0: look was too old for its write -> retried soon, and not an error', async () => {
    const { clock, controller, calls, lastCall, registry } = start();
    controller.queue.add('a');
    await settled();
    lastCall().fail(new LookTooOld(2_001, 2_000));
    await clock.advance(5);
    expect(calls.map(({ at }) => at)).toEqual([0, 5]);
    expect(await counts(registry, 'controller_runtime_reconcile_total')).toEqual(
      expect.arrayContaining([
        'controller_runtime_reconcile_total{controller="test",result="requeue"} 1',
        'controller_runtime_reconcile_total{controller="test",result="error"} 0',
      ]),
    );
  });

  test.each([
    { what: 'is outdated', end: (): ReconcileResult => ({ kind: 'lookAgain', reason: 'Conflict' }) },
    { what: 'meets an error of the server', end: () => fail(refusal(500)) },
    { what: 'has no answer', end: () => fail(new Error('other side closed')) },
  ])('400 keys are refused, the write of another $what -> that one is soon tried again', async ({ end }) => {
    const tries: string[] = [];
    const { clock, controller } = start({
      reconcile: async (key) => {
        tries.push(key);
        return Promise.resolve(key === 'good' ? end() : fail(refusal(403)));
      },
    });
    for (let n = 0; n < 400; n++) {
      controller.queue.add(`bad-${String(n)}`);
    }
    await clock.advance(1_000);
    controller.queue.add('good');
    await clock.advance(1_000);
    expect(tries.filter((key) => key === 'good').length).toBeGreaterThan(1);
  });

  test.each([
    { behind: true, order: ['slow', 'other', 'new', 'slow'] },
    { behind: false, order: ['slow', 'other', 'slow', 'new'] },
  ])('requeueAfter, behind: $behind -> $order', async ({ behind, order }) => {
    const { clock, controller, calls, lastCall } = start({ concurrency: 1 });
    controller.queue.add('slow');
    controller.queue.add('other');
    await settled();
    lastCall().answer({ kind: 'requeueAfter', delay: 10, behind });
    await clock.advance(10);
    controller.queue.add('new');
    for (let ended = 0; ended < 3; ended++) {
      lastCall().answer(done);
      await settled();
    }
    expect(calls.map(({ key }) => key)).toEqual(order);
  });

  test('requeueAfter -> looked at after the delay, its failures forgotten', async () => {
    const { clock, controller, calls, lastCall } = start();
    controller.queue.add('a');
    await settled();
    lastCall().fail(new Error('once'));
    await clock.advance(5);
    lastCall().answer({ kind: 'requeueAfter', delay: 60_000 });
    await clock.advance(59_999);
    expect(calls).toHaveLength(2);
    expect(controller.queue.failures('a')).toBe(0);
    await clock.advance(1);
    expect(calls).toHaveLength(3);
  });

  test('failed in part -> retried with growing delay, and looked at when the rest is due', async () => {
    const at: number[] = [];
    const { clock, controller, registry } = start({
      reconcile: () => {
        at.push(clock.now());
        return Promise.resolve({
          kind: 'failed',
          error: new Error('no'),
          delay: 50 - (clock.now() - (at[0] ?? 0)),
        });
      },
    });
    controller.queue.add('a');
    await clock.advance(60);
    expect(at.map((time) => time - (at[0] ?? 0)).slice(0, 5)).toEqual([0, 5, 15, 35, 50]);
    expect(controller.queue.failures('a')).toBeGreaterThan(4);
    expect(await counts(registry, 'controller_runtime_reconcile_errors_total')).not.toContain(
      'controller_runtime_reconcile_errors_total{controller="test"} 0',
    );
  });

  test('failed in part for good -> not retried, and looked at when the rest is due', async () => {
    const { clock, controller, calls, lastCall } = start();
    controller.queue.add('a');
    await settled();
    lastCall().answer({ kind: 'failed', error: new TerminalError('never'), delay: 1_000 });
    await clock.advance(999);
    expect(calls).toHaveLength(1);
    await clock.advance(1);
    expect(calls).toHaveLength(2);
  });

  test.each<ReconcileResult>([
    { kind: 'requeueAfter', delay: NaN },
    { kind: 'failed', error: new Error('no'), delay: NaN },
  ])('$kind after NaN ms -> a failure, retried with growing delay', async (result) => {
    const at: number[] = [];
    const { clock, controller } = start({
      reconcile: () => {
        at.push(clock.now());
        return Promise.resolve(result);
      },
    });
    controller.queue.add('a');
    await clock.advance(40);
    expect(at.map((time) => time - (at[0] ?? 0))).toEqual([0, 5, 15, 35]);
  });

  test('fails, and asks for NaN ms -> the log says why it failed too', async () => {
    const lines: string[] = [];
    const { controller } = start({
      logger: pino({ base: null }, { write: (line: string) => lines.push(line) }),
      reconcile: () => Promise.resolve({ kind: 'failed', error: new Error('disk is full'), delay: NaN }),
    });
    controller.queue.add('a');
    await settled();
    expect(lines.join('')).toMatch(/asks for a delay of NaN.*disk is full/);
  });

  test.each<readonly [unknown, string]>([
    [undefined, 'of kind undefined'],
    [null, 'of kind undefined'],
    [{ requeueAfter: 5 }, 'of kind undefined'],
    [{ kind: 'requeue' }, 'of kind requeue'],
    [{ kind: 'requeueAfter' }, 'asks for a delay of undefined'],
    [{ kind: 'requeueAfter', delay: '5' }, 'asks for a delay of "5"'],
  ])('plain JavaScript returns %j -> a failure that says what is wrong', async (result, words) => {
    const lines: string[] = [];
    const { controller, clock } = start({
      logger: pino({ base: null }, { write: (line: string) => lines.push(line) }),
      reconcile: () => Promise.resolve(result as ReconcileResult),
    });
    controller.queue.add('a');
    await clock.advance(5);
    const messages = lines.map((line) => (JSON.parse(line) as { err: { message: string } }).err.message);
    expect(messages).toEqual(Array.from({ length: 2 }, () => expect.stringContaining(words)));
    expect(messages[0]).toMatch(/^the reconcile of "a" /);
  });

  test.each([0, -60_000])('requeueAfter of %d ms, again and again -> ever less often', async (delay) => {
    const at: number[] = [];
    const { clock, controller } = start({
      reconcile: () => {
        at.push(clock.now());
        return Promise.resolve(at.length === 4 ? done : { kind: 'requeueAfter', delay });
      },
    });
    controller.queue.add('a');
    await clock.advance(20);
    controller.queue.add('a');
    await clock.advance(3);
    expect(at.map((time) => time - (at[0] ?? 0))).toEqual([0, 1, 3, 7, 20, 21, 23]);
    await clock.advance(10_000);
    expect(at.length).toBeLessThan(30);
  });

  test.each([0, -60_000])(
    'requeueAfter of %d ms, again and again -> other work comes in between',
    async (delay) => {
      let reconciled = 0;
      const { clock, controller } = start({
        reconcile: () => Promise.resolve(++reconciled < 10_000 ? { kind: 'requeueAfter', delay } : done),
      });
      controller.queue.add('a');
      await settled();
      expect(reconciled).toBe(1);
      await clock.advance(1);
      expect(reconciled).toBe(2);
    },
  );

  test('event while it is worked on -> not worked on twice at once, but once more', async () => {
    const { controller, calls, lastCall } = start();
    controller.queue.add('a');
    await settled();
    controller.queue.add('a');
    await settled();
    expect(calls).toHaveLength(1);
    lastCall().answer(done);
    await settled();
    expect(calls).toHaveLength(2);
  });
});

describe('timeout', () => {
  test('reconcile takes too long -> aborted a tenth later at the most, failed, retried', async () => {
    const { clock, controller, calls, lastCall, registry } = start({ timeout: 1_000 });
    controller.queue.add('a');
    await clock.advance(999);
    const { signal, fail } = lastCall();
    expect(signal.aborted).toBe(false);
    await clock.advance(101);
    expect(signal.aborted).toBe(true);
    expect(signal.reason).toBeInstanceOf(ReconcileTimeout);
    expect(String(signal.reason)).toMatch(/"a" took longer than 1000 ms/);
    fail(signal.reason);
    await clock.advance(5);
    expect(calls).toHaveLength(2);
    expect(lastCall().signal.aborted).toBe(false);
    expect(await counts(registry, 'controller_runtime_reconcile_timeouts_total')).toEqual([
      'controller_runtime_reconcile_timeouts_total{controller="test"} 1',
    ]);
    expect(await counts(registry, 'controller_runtime_reconcile_errors_total')).toEqual([
      'controller_runtime_reconcile_errors_total{controller="test"} 1',
    ]);
  });

  test('aborted, but slow to end -> counted once', async () => {
    const { clock, controller, lastCall, registry } = start({ timeout: 1_000 });
    controller.queue.add('a');
    await clock.advance(5_000);
    lastCall().fail(lastCall().signal.reason);
    await settled();
    expect(await counts(registry, 'controller_runtime_reconcile_timeouts_total')).toEqual([
      'controller_runtime_reconcile_timeouts_total{controller="test"} 1',
    ]);
  });

  test('aborted, answers as if nothing had been -> failed all the same, and retried', async () => {
    const { clock, controller, calls, lastCall } = start({ timeout: 1_000 });
    controller.queue.add('a');
    await clock.advance(1_200);
    expect(lastCall().signal.aborted).toBe(true);
    lastCall().answer(done);
    await settled();
    await clock.advance(1_000);
    expect(calls).toHaveLength(2);
  });

  test('one has ended, the next one of its worker takes too long -> only that one is aborted', async () => {
    const { clock, controller, calls, lastCall } = start({ timeout: 1_000, concurrency: 1 });
    controller.queue.add('ended');
    await settled();
    lastCall().answer(done);
    controller.queue.add('slow');
    await clock.advance(1_100);
    expect(calls.map(({ key, signal }) => [key, signal.aborted])).toEqual([
      ['ended', false],
      ['slow', true],
    ]);
  });

  test('goes on after it was aborted -> the log says so, and again ever less often', async () => {
    const { logger, lines } = createKeptLog('test', 'info');
    const { clock, controller, lastCall } = start({ timeout: 1_000, logger });
    controller.queue.add('a');
    await clock.advance(1_900);
    expect(lines).toStrictEqual([]);
    await clock.advance(10_000);
    expect(lines.map(({ level, key, tookMs }) => [level, key, tookMs])).toEqual([
      ['error', 'a', 2_000],
      ['error', 'a', 4_000],
      ['error', 'a', 8_000],
    ]);
    lastCall().fail(lastCall().signal.reason);
    await settled();
    expect(lines.slice(3).map(({ msg }) => msg)).toEqual(['Reconcile failed']);
  });

  test('process was stopped for long while it goes on -> the log says so once, not until it has caught up', async () => {
    const { logger, lines } = createKeptLog('test', 'info');
    const time = createFakeClock();
    let stopped = 0;
    const clock = { now: () => time.now() + stopped, after: time.after };
    const { controller } = start({ timeout: 1_000, logger, clock });
    controller.queue.add('a');
    await time.advance(1_000);
    stopped = 60_000;
    await time.advance(1_000);
    expect(lines).toHaveLength(1);
  });

  test('one takes too long -> the others of that time go on', async () => {
    const { clock, controller, calls } = start({ timeout: 1_000 });
    controller.queue.add('slow');
    await clock.advance(600);
    controller.queue.add('late');
    await clock.advance(500);
    expect(calls.map(({ key, signal }) => [key, signal.aborted])).toEqual([
      ['slow', true],
      ['late', false],
    ]);
  });

  test('a worker does many short reconciles -> none is aborted', async () => {
    const { clock, controller, calls } = start({ timeout: 1_000, concurrency: 1 });
    for (let n = 0; n < 10; n++) {
      controller.queue.add('a');
      await clock.advance(300);
      calls[n]?.answer(done);
      await settled();
    }
    expect(calls.filter(({ signal }) => signal.aborted)).toStrictEqual([]);
  });
});

describe('stopping', () => {
  test('work under way -> it may end, nothing new is begun, no timer stays', async () => {
    const { clock, controller, calls, lastCall, stop, hasEnded, running } = start({ concurrency: 1 });
    controller.queue.add('a');
    controller.queue.add('b');
    await settled();
    stop.abort(new Error('enough'));
    await settled();
    expect(hasEnded()).toBe(false);
    expect(lastCall().signal.aborted).toBe(false);
    lastCall().answer(done);
    await running;
    expect(calls.map(({ key }) => key)).toEqual(['a']);
    expect(clock.pending).toBe(0);
  });

  test('what is under way hangs -> aborted by its own timeout', async () => {
    const { clock, controller, lastCall, stop, running } = start({ timeout: 1_000 });
    controller.queue.add('a');
    await settled();
    stop.abort(new Error('enough'));
    await clock.advance(1_100);
    expect(lastCall().signal.aborted).toBe(true);
    lastCall().fail(lastCall().signal.reason);
    await running;
  });

  test('idle, or stopped before it ran -> ends', async () => {
    const { stop, running } = start();
    stop.abort(new Error('enough'));
    await running;
    const controller = createController({
      name: 'late',
      logger: pino({ level: 'silent' }),
      metrics: createControllerMetrics(new Registry(), 'late'),
      queueMetrics: createWorkQueueMetrics(new Registry(), 'late'),
      reconcile: () => Promise.resolve(done),
    });
    controller.queue.add('a');
    await controller.run(AbortSignal.abort(new Error('enough')));
  });

  test('abandoned -> what is under way is aborted with the reason, and is no failure', async () => {
    const { controller, lastCall, stop, abandon, running, registry } = start();
    controller.queue.add('a');
    await settled();
    stop.abort(new Error('enough'));
    abandon.abort(new Error('lease was lost'));
    expect(String(lastCall().signal.reason)).toContain('lease was lost');
    lastCall().fail(lastCall().signal.reason);
    await running;
    expect(await counts(registry, 'controller_runtime_reconcile_errors_total')).toEqual([
      'controller_runtime_reconcile_errors_total{controller="test"} 0',
    ]);
  });

  test('abandoned -> a reconcile that has ended is not aborted', async () => {
    const { controller, lastCall, abandon } = start();
    controller.queue.add('a');
    await settled();
    lastCall().answer(done);
    await settled();
    abandon.abort(new Error('lease was lost'));
    expect(lastCall().signal.aborted).toBe(false);
  });

  test('keys of a batch that no worker has begun -> given back', async () => {
    const { controller, calls, stop, running } = start({ concurrency: 1, groupOf: () => 'all' });
    controller.queue.add('a');
    controller.queue.add('b');
    await settled();
    stop.abort(new Error('enough'));
    calls[0]?.answer(done);
    await running;
    expect(() => controller.queue.done('a')).toThrow('not taken');
    expect(() => controller.queue.done('b')).toThrow('not taken');
  });
});

describe('batches', () => {
  const groupOf = (key: string): string => key.slice(0, 1);

  test('keys of one group -> share one context, made once, and are worked on side by side', async () => {
    const opened: (readonly string[])[] = [];
    const { controller, calls } = start({
      groupOf,
      openBatch: (keys) => {
        opened.push(keys);
        return keys;
      },
    });
    for (const key of ['a1', 'b1', 'a2', 'a3']) {
      controller.queue.add(key);
    }
    await settled();
    // The first key found an idle worker; what came while it was taken forms batches.
    expect(calls.map(({ key }) => key).sort()).toEqual(['a1', 'a2', 'a3', 'b1']);
    expect(opened.flat().sort()).toEqual(['a1', 'a2', 'a3', 'b1']);
    for (const { key, batch } of calls) {
      expect(opened.filter((each) => each === batch)).toHaveLength(1);
      expect(batch).toContain(key);
    }
    expect(
      new Set(calls.filter(({ key }) => key === 'a2' || key === 'a3').map(({ batch }) => batch)).size,
    ).toBe(1);
  });

  test("the context can't be made -> its keys fail and are retried, run does not reject", async () => {
    let broken = true;
    const { clock, controller, calls } = start({
      groupOf,
      openBatch: (keys) => {
        if (broken) {
          throw new Error('no context');
        }
        return keys;
      },
    });
    controller.queue.add('a1');
    await settled();
    expect(calls).toStrictEqual([]);
    expect(controller.queue.failures('a1')).toBe(1);
    broken = false;
    await clock.advance(5);
    expect(calls.map(({ key }) => key)).toEqual(['a1']);
  });
});

test.each([1, 3, 10])('100 keys, concurrency %d -> that many at once, and no more', async (concurrency) => {
  const { controller, calls } = start({ concurrency });
  for (let n = 0; n < 100; n++) {
    controller.queue.add(`key-${String(n)}`);
  }
  let answered = 0;
  while (answered < 100) {
    await settled();
    expect(calls.length - answered).toBe(Math.min(concurrency, 100 - answered));
    calls[answered]?.answer(done);
    answered += 1;
  }
});

describe('groups that hang', () => {
  const groupOf = (key: string): string => key.split('/', 1)[0] ?? '';
  const keysOf = (group: string, count: number): readonly string[] =>
    Array.from({ length: count }, (_, n) => `${group}/${String(n)}`);

  /** Reconciles of these groups never end; all others end at once. */
  function startHanging(hanging: readonly string[], options: Partial<ControllerOptions<readonly string[]>>) {
    const begun: string[] = [];
    const over = Promise.withResolvers<ReconcileResult>();
    const started = start({
      groupOf,
      reconcile: (key) => {
        begun.push(key);
        return hanging.includes(groupOf(key)) ? over.promise : Promise.resolve(done);
      },
      ...options,
    });
    stops.push(() => {
      over.resolve(done);
      return Promise.resolve();
    });
    const add = (keys: readonly string[]): void => keys.forEach((key) => started.controller.queue.add(key));
    return { ...started, begun, add, heal: () => over.resolve(done) };
  }

  test.each([1, 2, 5, 10])('concurrency %d, one group -> that many at once', async (concurrency) => {
    const { add, begun } = startHanging(['a'], { concurrency });
    add(keysOf('a', 1_000));
    await settled();
    expect(begun).toHaveLength(concurrency);
  });

  test.each([
    { hanging: 1, begun: [10] },
    { hanging: 2, begun: [10, 5] },
    { hanging: 4, begun: [10, 5, 3, 1] },
  ])(
    'concurrency 10, $hanging groups hang one after the other -> $begun reconciles of them, and those of another group are all done',
    async ({ hanging, begun: expected }) => {
      const groups = Array.from({ length: hanging }, (_, n) => `hanging-${String(n)}`);
      const { add, begun } = startHanging(groups, {});
      for (const group of groups) {
        add(keysOf(group, 600));
        await settled();
      }
      add(keysOf('good', 50));
      await settled();
      expect(begun.filter((key) => groupOf(key) === 'good')).toHaveLength(50);
      expect(groups.map((group) => begun.filter((key) => groupOf(key) === group).length)).toEqual(expected);
    },
  );

  test('groups hang, more keys than a batch wait -> those that nobody works on stay in the queue', async () => {
    const { add, controller, begun } = startHanging(['a'], { batchSize: 20 });
    add(keysOf('a', 1_000));
    await settled();
    expect(begun).toHaveLength(10);
    expect(controller.queue.length).toBe(1_000 - 20 - 1);
  });

  test('mixed batches, one group hangs -> keys of the others in the same batch are done', async () => {
    const { add, begun } = startHanging(['a'], { mixedBatches: true });
    add([...keysOf('a', 100), ...keysOf('b', 100), ...keysOf('c', 1)]);
    await settled();
    expect(begun.filter((key) => groupOf(key) === 'b')).toHaveLength(100);
    expect(begun.filter((key) => groupOf(key) === 'c')).toHaveLength(1);
    expect(begun.filter((key) => groupOf(key) === 'a').length).toBeLessThanOrEqual(10);
  });

  test('group hangs, and goes on -> each of its keys is done once', async () => {
    const { add, begun, heal } = startHanging(['a'], { batchSize: 7 });
    add(keysOf('a', 100));
    await settled();
    add(keysOf('b', 3));
    heal();
    await settled();
    expect([...begun].sort()).toEqual([...keysOf('a', 100), ...keysOf('b', 3)].sort());
  });

  test('stopped while a group hangs -> its keys that nobody works on are given back', async () => {
    const { add, stop, heal, running, controller, begun } = startHanging(['a'], { concurrency: 2 });
    add(keysOf('a', 10));
    await settled();
    stop.abort(new Error('enough'));
    await settled();
    heal();
    await running;
    expect(begun).toHaveLength(2);
    for (const key of keysOf('a', 10)) {
      expect(() => controller.queue.done(key)).toThrow('not taken');
    }
  });

  test('any keys, in any order -> while one group hangs, every key of the others is worked on', async () => {
    const someKey = fc.record({
      key: fc
        .tuple(fc.constantFrom('hanging', 'a', 'b', 'c'), fc.nat(30))
        .map(([group, n]) => `${group}/${String(n)}`),
      priority: fc.constantFrom('event' as const, 'initial' as const),
      pause: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(someKey, { maxLength: 80, size: 'max' }),
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 20 }),
        fc.boolean(),
        async (keys, concurrency, batchSize, mixedBatches) => {
          const { begun, controller } = startHanging(['hanging'], { concurrency, batchSize, mixedBatches });
          for (const { key, priority, pause } of keys) {
            controller.queue.add(key, priority);
            if (pause) {
              await settled();
            }
          }
          await settled();
          const others = keys.map(({ key }) => key).filter((key) => groupOf(key) !== 'hanging');
          expect(new Set(begun.filter((key) => groupOf(key) !== 'hanging'))).toEqual(new Set(others));
          expect(begun.filter((key) => groupOf(key) === 'hanging').length).toBeLessThanOrEqual(concurrency);
        },
      ),
      { numRuns: 50 },
    );
  });
});

test('any outcomes -> every key comes to its end and is given back', async () => {
  const outcome = fc.constantFrom('done', 'fail', 'terminal', 'lookAgain', 'requeueAfter', 'slow');
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(fc.constantFrom('a1', 'a2', 'b1', 'b2', 'c1'), fc.array(outcome, { maxLength: 4 })),
      fc.integer({ min: 1, max: 3 }),
      fc.boolean(),
      async (plan, concurrency, grouped) => {
        const remaining = new Map(Object.entries(plan).map(([key, outcomes]) => [key, [...outcomes]]));
        const working = new Set<string>();
        const atOnce: string[] = [];
        const groupOf = (key: string): string => key.slice(0, 1);
        const { clock, controller, stop, running } = start({
          concurrency,
          timeout: 1_000,
          ...(grouped ? { groupOf } : {}),
          reconcile: async (key, _batch, signal) => {
            const ofGroup = [...working].filter((each) => groupOf(each) === groupOf(key));
            const isFull = grouped
              ? ofGroup.length >= concurrency || working.size >= 2 * concurrency
              : working.size >= concurrency;
            if (working.has(key) || isFull) {
              atOnce.push(key);
            }
            working.add(key);
            await settled();
            const next = remaining.get(key)?.shift();
            if (next === 'slow') {
              await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
            }
            working.delete(key);
            switch (next) {
              case 'fail':
              case 'slow':
                throw new Error('no');
              case 'terminal':
                controller.queue.addAfter(key, 100);
                throw new TerminalError('never');
              case 'lookAgain':
                return { kind: 'lookAgain', reason: 'Conflict' };
              case 'requeueAfter':
                return { kind: 'requeueAfter', delay: 1_000 };
              case 'done':
                controller.queue.addAfter(key, 100);
                return done;
              case undefined:
                return done;
            }
          },
        });
        Object.keys(plan).forEach((key) => controller.queue.add(key));
        await clock.advance(60_000);
        expect(atOnce).toStrictEqual([]);
        expect([...remaining.values()].flat()).toStrictEqual([]);
        stop.abort(new Error('enough'));
        await running;
        for (const key of Object.keys(plan)) {
          expect(() => controller.queue.done(key)).toThrow('not taken');
        }
        expect(clock.pending).toBe(0);
      },
    ),
    { numRuns: 20 },
  );
});

test('nothing happened yet -> every counter is there with 0, as controller-runtime has it', async () => {
  const { registry } = start();
  await settled();
  const text = await registry.metrics();
  for (const result of ['success', 'error', 'requeue', 'requeue_after']) {
    expect(text).toContain(`controller_runtime_reconcile_total{controller="test",result="${result}"} 0`);
  }
  for (const name of ['errors_total', 'timeouts_total']) {
    expect(text).toContain(`controller_runtime_reconcile_${name}{controller="test"} 0`);
  }
  expect(text).toContain('controller_runtime_terminal_reconcile_errors_total{controller="test"} 0');
  for (const name of ['depth', 'adds_total', 'retries_total']) {
    expect(text).toContain(`workqueue_${name}{name="test"} 0`);
  }
});

test('groups -> as many workers as may be busy are counted', async () => {
  const { registry } = start({ concurrency: 4, groupOf: (key) => key.slice(0, 1) });
  expect(await counts(registry, 'controller_runtime_max_concurrent_reconciles')).toEqual([
    'controller_runtime_max_concurrent_reconciles{controller="test"} 8',
  ]);
});

test("metrics -> named as controller-runtime's and client-go's", async () => {
  const { controller, lastCall, registry } = start({ concurrency: 4 });
  controller.queue.add('a');
  await settled();
  const during = await registry.metrics();
  expect(during).toContain('controller_runtime_active_workers{controller="test"} 1');
  expect(during).toContain('controller_runtime_max_concurrent_reconciles{controller="test"} 4');
  expect(during).toContain('workqueue_adds_total{name="test"} 1');
  lastCall().fail(new Error('no'));
  await settled();
  const after = await registry.metrics();
  expect(after).toContain('controller_runtime_active_workers{controller="test"} 0');
  expect(after).toContain('controller_runtime_reconcile_time_seconds_count{controller="test"} 1');
  expect(after).toContain('controller_runtime_reconcile_total{controller="test",result="error"} 1');
  expect(after).toContain('workqueue_retries_total{name="test"} 1');
  expect(after).toContain('workqueue_depth{name="test"} 0');
  expect(after).toContain('workqueue_queue_duration_seconds_count{name="test"} 1');
  expect(after).toContain('workqueue_work_duration_seconds_count{name="test"} 1');
});

describe('options that no controller can work with', () => {
  test.each([
    ...[0, -1, NaN, 2.5, Infinity].map((value) => ({ name: 'concurrency', value })),
    ...[0, NaN, 1.5].map((value) => ({ name: 'batchSize', value })),
    ...[0, -1, NaN].map((value) => ({ name: 'timeout', value })),
  ])('$name $value -> refused, with the name and the value', ({ name, value }) => {
    expect(() => start({ [name]: value })).toThrow(
      new RegExp(`^controller "test": ${name} is ${String(value)}; give `),
    );
  });

  test('timeout Infinity -> accepted', () => {
    expect(() => start({ timeout: Infinity })).not.toThrow();
  });
});
