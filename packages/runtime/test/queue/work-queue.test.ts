import { describe, expect, test } from '@jest/globals';
import { createFakeClock, settled, type FakeClock } from '@holdfast/testing/fake-clock';
import fc from 'fast-check';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Priority } from '../../src/queue/ready-keys.ts';
import { createWorkQueue, type WorkQueue, type WorkQueueOptions } from '../../src/queue/work-queue.ts';
import { silentMetrics } from './silent-metrics.ts';

function newQueue(options: Partial<WorkQueueOptions> = {}): { queue: WorkQueue; clock: FakeClock } {
  const clock = createFakeClock();
  return { queue: createWorkQueue({ clock, metrics: silentMetrics, ...options }), clock };
}

/** Takes and gives back until nothing is ready; the keys in their order. */
async function drain(queue: WorkQueue): Promise<readonly string[]> {
  const taken: string[] = [];
  while (queue.length > 0) {
    for (const key of (await queue.take()) ?? []) {
      taken.push(key);
      queue.done(key);
    }
  }
  return taken;
}

/** What a `take` has answered by now: `waiting` while it has not. */
async function answerOf(taking: Promise<readonly string[] | undefined>): Promise<unknown> {
  let answer: unknown = 'waiting';
  void taking.then((batch) => {
    answer = batch;
  });
  await settled();
  return answer;
}

describe('ready keys', () => {
  test('added several times -> handed out once', async () => {
    const { queue } = newQueue();
    queue.add('a');
    queue.add('b');
    queue.add('a');
    expect(queue.length).toBe(2);
    expect(await drain(queue)).toEqual(['a', 'b']);
  });

  test('take before add -> waits for it', async () => {
    const { queue } = newQueue();
    const taking = queue.take();
    expect(await answerOf(taking)).toBe('waiting');
    queue.add('a');
    expect(await answerOf(taking)).toEqual(['a']);
  });

  test('several takers wait -> served in the order they came', async () => {
    const { queue } = newQueue();
    const first = queue.take();
    const second = queue.take();
    queue.add('a');
    queue.add('b');
    expect(await first).toEqual(['a']);
    expect(await second).toEqual(['b']);
  });

  test('added while worked on -> not handed out until done, then once more', async () => {
    const { queue } = newQueue();
    queue.add('a');
    await queue.take();
    queue.add('a');
    queue.add('a');
    const taking = queue.take();
    expect(await answerOf(taking)).toBe('waiting');
    queue.done('a');
    expect(await answerOf(taking)).toEqual(['a']);
    queue.done('a');
    expect(queue.length).toBe(0);
  });

  test('given back but not taken -> throws', () => {
    expect(() => newQueue().queue.done('a')).toThrow('key "a" was given back but not taken');
  });
});

describe('priority', () => {
  test('initial keys added first -> event keys come before them, each lane in its order', async () => {
    const { queue } = newQueue();
    for (const key of ['i1', 'i2', 'i3']) {
      queue.add(key, 'initial');
    }
    queue.add('e1');
    queue.add('e2', 'event');
    expect(await drain(queue)).toEqual(['e1', 'e2', 'i1', 'i2', 'i3']);
  });

  test("event keys that never end -> every eighth turn is an initial key's", async () => {
    const { queue } = newQueue();
    queue.add('i1', 'initial');
    queue.add('i2', 'initial');
    const turns: string[] = [];
    for (let turn = 1; turn <= 16; turn++) {
      queue.add(`e${String(turn)}`);
      const keys = (await queue.take()) ?? [];
      turns.push(...keys);
      for (const key of keys) {
        queue.done(key);
      }
    }
    expect(turns.indexOf('i1')).toBe(7);
    expect(turns.indexOf('i2')).toBe(15);
  });

  test('initial keys whose turn has come belong to a held group -> event keys go on', async () => {
    const { queue } = newQueue({ groupOf });
    queue.add('a/1', 'initial');
    queue.hold('a');
    for (let turn = 1; turn <= 9; turn++) {
      queue.add(`b${String(turn)}/1`);
    }
    for (let turn = 1; turn <= 9; turn++) {
      expect(await queue.take()).toEqual([`b${String(turn)}/1`]);
    }
    queue.release('a');
    queue.add('b10/1');
    expect(await queue.take()).toEqual(['a/1']);
  });

  test('event for an initial key -> it rises to the end of the event keys', async () => {
    const { queue } = newQueue();
    queue.add('i1', 'initial');
    queue.add('i2', 'initial');
    queue.add('e1');
    queue.add('i2');
    expect(queue.length).toBe(3);
    expect(await drain(queue)).toEqual(['e1', 'i2', 'i1']);
  });

  test('initial for an event key -> it keeps its place', async () => {
    const { queue } = newQueue();
    queue.add('a');
    queue.add('b');
    queue.add('a', 'initial');
    expect(await drain(queue)).toEqual(['a', 'b']);
  });

  test.each<{ adds: readonly Priority[]; order: readonly string[] }>([
    { adds: ['initial'], order: ['other', 'a'] },
    { adds: ['initial', 'event'], order: ['a', 'other'] },
    { adds: ['event', 'initial'], order: ['a', 'other'] },
  ])('added $adds while worked on -> afterwards $order', async ({ adds, order }) => {
    const { queue } = newQueue();
    queue.add('a');
    await queue.take();
    for (const priority of adds) {
      queue.add('a', priority);
    }
    queue.done('a');
    queue.add('other');
    expect(await drain(queue)).toEqual(order);
  });
});

describe('delays', () => {
  test.each([1, 0])('key is added after %d ms, behind others -> the others come first', async (delay) => {
    const { queue, clock } = newQueue();
    queue.addAfter('behind', delay, 'initial');
    queue.addAfter('a', delay);
    await clock.advance(1);
    expect(await drain(queue)).toEqual(['a', 'behind']);
  });

  test('addAfter -> ready when the delay has passed, not before', async () => {
    const { queue, clock } = newQueue();
    queue.addAfter('a', 100);
    await clock.advance(99);
    expect(queue.length).toBe(0);
    await clock.advance(1);
    expect(queue.length).toBe(1);
  });

  test.each([0, -5])('delay %d -> ready at once', (delay) => {
    const { queue, clock } = newQueue();
    queue.addAfter('a', delay);
    expect(queue.length).toBe(1);
    expect(clock.pending).toBe(0);
  });

  test('any delays for one key -> it comes once, at the earliest', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 1_000 }), { minLength: 1 }), async (delays) => {
        const { queue, clock } = newQueue();
        for (const delay of delays) {
          queue.addAfter('a', delay);
        }
        const earliest = Math.min(...delays);
        await clock.advance(earliest - 1);
        expect(queue.length).toBe(0);
        await clock.advance(1);
        expect(await drain(queue)).toEqual(['a']);
        await clock.advance(2_000);
        expect(queue.length).toBe(0);
        expect(clock.pending).toBe(0);
      }),
      { numRuns: 50 },
    );
  });

  test('delay passes while the key is worked on -> handed out after done', async () => {
    const { queue, clock } = newQueue();
    queue.add('a');
    await queue.take();
    queue.addAfter('a', 10);
    await clock.advance(10);
    expect(queue.length).toBe(0);
    queue.done('a');
    expect(queue.length).toBe(1);
  });
});

describe('rate limit', () => {
  // client-go's DefaultTypedControllerRateLimiter: 5 ms doubled with each failure, 1000 s at the most.
  const delays = Array.from({ length: 22 }, (_, failures) => Math.min(5 * 2 ** failures, 1_000_000));

  test('one key fails again and again -> 5 ms, doubled each time, up to 1000 s', async () => {
    const { queue, clock } = newQueue();
    for (const [failures, delay] of delays.entries()) {
      expect(queue.failures('a')).toBe(failures);
      queue.addRateLimited('a');
      await clock.advance(delay - 1);
      expect([failures, queue.length]).toEqual([failures, 0]);
      await clock.advance(1);
      expect([failures, await drain(queue)]).toEqual([failures, ['a']]);
    }
  });

  test('the key is wanted within a time -> comes back by then, and earlier where its delay is shorter', async () => {
    const { queue, clock } = newQueue();
    queue.addRateLimited('a', 100);
    await clock.advance(5);
    expect(await drain(queue)).toEqual(['a']);
    for (let failures = 1; failures < 10; failures++) {
      queue.addRateLimited('a', 30);
      await clock.advance(30);
      expect([failures, await drain(queue)]).toEqual([failures, ['a']]);
    }
  });

  test('500 keys are wanted within a second -> they share the limit of all retries', async () => {
    const { queue, clock } = newQueue();
    for (let n = 0; n < 500; n++) {
      queue.addRateLimited(`key-${String(n)}`, 1_000);
    }
    await clock.advance(1_005);
    expect(await drain(queue)).toHaveLength(110);
  });

  test('forgotten -> starts with 5 ms again', async () => {
    const { queue, clock } = newQueue();
    for (let failures = 0; failures < 10; failures++) {
      queue.addRateLimited('a');
      await clock.advance(10_000);
      await drain(queue);
    }
    queue.forget('a');
    expect(queue.failures('a')).toBe(0);
    queue.addRateLimited('a');
    await clock.advance(5);
    expect(await drain(queue)).toEqual(['a']);
  });

  test('failures of one key -> no other key waits longer', async () => {
    const { queue, clock } = newQueue();
    for (let failures = 0; failures < 10; failures++) {
      queue.addRateLimited('a');
    }
    queue.addRateLimited('b');
    await clock.advance(5);
    expect((await drain(queue)).filter((key) => key === 'b')).toEqual(['b']);
  });

  test('500 keys fail at once -> a hundred come back after 5 ms, then ten a second', async () => {
    const { queue, clock } = newQueue();
    for (let n = 0; n < 500; n++) {
      queue.addRateLimited(`key-${String(n)}`);
    }
    await clock.advance(5);
    expect(await drain(queue)).toHaveLength(100);
    for (let second = 0; second < 40; second++) {
      await clock.advance(1_000);
      expect([second, (await drain(queue)).length]).toEqual([second, 10]);
    }
    expect(clock.pending).toBe(0);
  });
});

const groupOf = (key: string): string => key.split('/', 1)[0] ?? '';

describe('rate limit, groups', () => {
  /** 500 keys of `bad` fail, and then, a minute later, again, as they come back. */
  async function failing(): Promise<{ queue: WorkQueue; clock: FakeClock }> {
    const { queue, clock } = newQueue({ groupOf });
    for (let n = 0; n < 500; n++) {
      queue.addRateLimited(`bad/${String(n)}`);
    }
    await clock.advance(5);
    await drain(queue);
    return { queue, clock };
  }

  test('500 keys of a group fail -> a key of another comes back a tenth of a second later at the most', async () => {
    const { queue, clock } = await failing();
    queue.addRateLimited('good/1');
    await clock.advance(5 + 200);
    expect(await drain(queue)).toContain('good/1');
  });

  test('keys of ten groups wait beside 500 of one -> each group gets one in turn, ten a second in all', async () => {
    const { queue, clock } = await failing();
    const others = Array.from({ length: 10 }, (_, n) => `good-${String(n)}/1`);
    others.forEach((key) => queue.addRateLimited(key));
    await clock.advance(1_200);
    const back = await drain(queue);
    expect(back).toHaveLength(12);
    expect(back).toEqual(expect.arrayContaining(others));
  });

  test.each([
    { groups: 'of the same group', options: { groupOf } },
    { groups: 'without groups', options: {} },
  ])(
    '500 keys fail, one more $groups for another reason -> it comes back a tenth of a second later',
    async ({ options }) => {
      const { queue, clock } = newQueue(options);
      for (let n = 0; n < 500; n++) {
        queue.addRateLimited(`bad/${String(n)}`, undefined, '403');
      }
      await clock.advance(5);
      await drain(queue);
      queue.addRateLimited('bad/good', undefined, 'look');
      await clock.advance(5 + 200);
      expect(await drain(queue)).toContain('bad/good');
      await clock.advance(60_000);
      expect(await drain(queue)).toHaveLength(500 - 100 - 1);
      expect(clock.pending).toBe(0);
    },
  );

  test('key fails again for another reason while it stands in line -> it keeps its place, and comes once', async () => {
    const { queue, clock } = await failing();
    queue.addRateLimited('bad/499', undefined, 'look');
    await clock.advance(60_000);
    expect((await drain(queue)).filter((key) => key === 'bad/499')).toEqual(['bad/499']);
    expect(clock.pending).toBe(0);
  });

  test('key stands in line, its delay of another call ends first -> it comes once', async () => {
    const { queue, clock } = await failing();
    queue.addAfter('bad/499', 50);
    await clock.advance(50);
    expect(await drain(queue)).toEqual(['bad/499']);
    await clock.advance(60_000);
    expect((await drain(queue)).filter((key) => key === 'bad/499')).toStrictEqual([]);
    expect(clock.pending).toBe(0);
  });

  test('key comes back from the line before its delay of another call -> it comes once', async () => {
    const { queue, clock } = newQueue({ groupOf });
    queue.addAfter('a/1', 1_000);
    queue.addRateLimited('a/1');
    await clock.advance(5);
    expect(await drain(queue)).toEqual(['a/1']);
    expect(clock.pending).toBe(0);
  });

  test('shut down while keys stand in line -> they are dropped, no timer stays', async () => {
    const { queue, clock } = await failing();
    queue.shutDown({ drain: true });
    expect(clock.pending).toBe(0);
    expect(await queue.take()).toBeUndefined();
  });
});

describe('groups that are held', () => {
  test('group held -> the others are handed out, and its keys are when it is released', async () => {
    const { queue } = newQueue({ groupOf });
    queue.add('a/1');
    queue.hold('a');
    queue.add('a/2', 'initial');
    queue.add('b/1', 'initial');
    expect(await queue.take()).toEqual(['b/1']);
    const taking = queue.take();
    expect(await answerOf(taking)).toBe('waiting');
    expect(queue.length).toBe(2);
    queue.release('a');
    expect(await answerOf(taking)).toEqual(['a/1']);
    expect(await queue.take()).toEqual(['a/2']);
  });

  test('key of a group that is held rises -> it comes first when the group is released', async () => {
    const { queue } = newQueue({ groupOf });
    queue.add('a/1', 'initial');
    queue.add('a/2', 'initial');
    queue.hold('a');
    queue.add('a/2');
    queue.release('a');
    expect(await queue.take()).toEqual(['a/2']);
    expect(await queue.take()).toEqual(['a/1']);
  });

  test('released without keys, or never held -> nothing is handed out', async () => {
    const { queue } = newQueue({ groupOf });
    queue.hold('a');
    queue.release('a');
    queue.release('b');
    expect(await answerOf(queue.take())).toBe('waiting');
  });

  test('shut down without draining -> takers get undefined, also when all that was left was held', async () => {
    const { queue } = newQueue({ groupOf });
    queue.hold('a');
    queue.add('a/1');
    const taking = queue.take();
    queue.shutDown();
    expect(await taking).toBeUndefined();
  });
});

describe('mixed batches', () => {
  test('keys of several groups -> one of each in turn, up to the size of a batch', async () => {
    const { queue } = newQueue({ groupOf, mixedBatches: true, batchSize: 4 });
    for (const each of ['a/1', 'a/2', 'a/3', 'b/1', 'c/1', 'c/2']) {
      queue.add(each);
    }
    expect(await queue.take()).toEqual(['a/1', 'b/1', 'c/1', 'a/2']);
    expect(queue.length).toBe(2);
    expect(await queue.take()).toEqual(['c/2', 'a/3']);
  });

  test('group held -> the batch has none of its keys', async () => {
    const { queue } = newQueue({ groupOf, mixedBatches: true });
    for (const each of ['a/1', 'b/1', 'a/2', 'b/2']) {
      queue.add(each);
    }
    queue.hold('a');
    expect(await queue.take()).toEqual(['b/1', 'b/2']);
  });
});

describe('groups', () => {
  test('keys of one group -> handed out together, groups in the order of their first key', async () => {
    const { queue } = newQueue({ groupOf });
    for (const key of ['a/1', 'b/1', 'a/2', 'c/1', 'b/2', 'a/1']) {
      queue.add(key);
    }
    expect(queue.length).toBe(5);
    expect(await queue.take()).toEqual(['a/1', 'a/2']);
    expect(await queue.take()).toEqual(['b/1', 'b/2']);
    expect(await queue.take()).toEqual(['c/1']);
    expect(queue.length).toBe(0);
  });

  test('a group larger than a batch -> the others get their turn between its batches', async () => {
    const { queue } = newQueue({ groupOf, batchSize: 2 });
    for (const key of ['big/1', 'big/2', 'big/3', 'big/4', 'big/5', 'small/1', 'tiny/1']) {
      queue.add(key);
    }
    const batches = [];
    while (queue.length > 0) {
      batches.push(await queue.take());
    }
    expect(batches).toEqual([['big/1', 'big/2'], ['small/1'], ['tiny/1'], ['big/3', 'big/4'], ['big/5']]);
  });

  test('batch size not given -> 500 keys at the most', async () => {
    const { queue } = newQueue({ groupOf });
    for (let n = 0; n < 501; n++) {
      queue.add(`a/${String(n)}`);
    }
    expect(await queue.take()).toHaveLength(500);
    expect(await queue.take()).toHaveLength(1);
  });

  test('initial keys of a group that also has event keys -> only the event keys come first', async () => {
    const { queue } = newQueue({ groupOf });
    queue.add('a/1', 'initial');
    queue.add('b/1', 'initial');
    queue.add('b/2');
    expect(await queue.take()).toEqual(['b/2']);
    expect(await queue.take()).toEqual(['a/1']);
    expect(await queue.take()).toEqual(['b/1']);
  });

  test('the last initial key of a group rises -> no empty batch is handed out', async () => {
    const { queue } = newQueue({ groupOf });
    queue.add('a/1', 'initial');
    queue.add('b/1', 'initial');
    queue.add('a/1');
    expect(await queue.take()).toEqual(['a/1']);
    expect(await queue.take()).toEqual(['b/1']);
    expect(queue.length).toBe(0);
  });
});

describe('shutdown', () => {
  test('takers wait -> they get undefined', async () => {
    const { queue } = newQueue();
    const taking = [queue.take(), queue.take()];
    queue.shutDown();
    expect(await Promise.all(taking)).toEqual([undefined, undefined]);
    expect(await queue.take()).toBeUndefined();
  });

  test('not to be drained -> ready and delayed keys are dropped, no timer stays', async () => {
    const { queue, clock } = newQueue();
    queue.add('a');
    queue.addAfter('b', 100);
    queue.addRateLimited('c');
    queue.shutDown();
    expect(queue.length).toBe(0);
    expect(clock.pending).toBe(0);
    expect(await queue.take()).toBeUndefined();
  });

  test('to be drained -> ready keys are handed out, delayed ones are dropped', async () => {
    const { queue, clock } = newQueue();
    queue.add('a');
    queue.add('b', 'initial');
    queue.addAfter('c', 100);
    queue.shutDown({ drain: true });
    expect(clock.pending).toBe(0);
    expect(await queue.take()).toEqual(['a']);
    expect(await queue.take()).toEqual(['b']);
    expect(await queue.take()).toBeUndefined();
  });

  test('to be drained, key added before while worked on -> handed out once more', async () => {
    const { queue } = newQueue();
    queue.add('a');
    await queue.take();
    queue.add('a');
    queue.shutDown({ drain: true });
    queue.done('a');
    expect(await queue.take()).toEqual(['a']);
  });

  test('not to be drained, key added before while worked on -> dropped', async () => {
    const { queue } = newQueue();
    queue.add('a');
    await queue.take();
    queue.add('a');
    queue.shutDown();
    queue.done('a');
    expect(await queue.take()).toBeUndefined();
  });

  test.each([true, false])('drain %s, keys come later -> not taken in', (drain) => {
    const { queue, clock } = newQueue();
    queue.shutDown({ drain });
    queue.add('a');
    queue.addAfter('b', 10);
    queue.addRateLimited('c');
    expect(queue.length).toBe(0);
    expect(clock.pending).toBe(0);
  });
});

type Action =
  | { readonly kind: 'add'; readonly key: string; readonly priority: Priority }
  | { readonly kind: 'addAfter'; readonly key: string; readonly delay: number; readonly priority: Priority }
  | { readonly kind: 'fail'; readonly key: string }
  | { readonly kind: 'take' }
  | { readonly kind: 'done'; readonly which: number }
  | { readonly kind: 'wait'; readonly duration: number };

const key = fc.constantFrom('a/1', 'a/2', 'a/3', 'b/1', 'b/2', 'c/1');
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('add' as const),
      key,
      priority: fc.constantFrom<Priority>('event', 'initial'),
    }),
  },
  fc.record({
    kind: fc.constant('addAfter' as const),
    key,
    delay: fc.integer({ min: -1, max: 50 }),
    priority: fc.constantFrom<Priority>('event', 'initial'),
  }),
  fc.record({ kind: fc.constant('fail' as const), key }),
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('take' as const) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('done' as const), which: fc.nat(20) }) },
  fc.record({ kind: fc.constant('wait' as const), duration: fc.nat(40) }),
);

describe.each<{ name: string; options: Partial<WorkQueueOptions> }>([
  { name: 'single keys', options: {} },
  { name: 'groups', options: { groupOf, batchSize: 2 } },
])('any course of events, $name', ({ options }) => {
  test('-> no key is worked on twice at once, none is lost, none comes unasked', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 60, size: 'max' }), async (actions) => {
        const { queue, clock } = newQueue(options);
        const working = new Set<string>();
        /** Adds whose hand-out is still owed, and when they were made. */
        const owed = new Map<string, number>();
        const batches: (readonly string[])[] = [];
        const handedOutTwice: string[] = [];
        let adds = 0;

        const take = (): void => {
          void queue.take().then((batch = []) => {
            batches.push(batch);
            for (const each of batch) {
              if (working.has(each)) {
                handedOutTwice.push(each);
              }
              working.add(each);
              owed.delete(each);
            }
          });
        };
        const done = (each: string): void => {
          working.delete(each);
          queue.done(each);
        };
        const owe = (each: string): void => {
          adds += 1;
          owed.set(each, adds);
        };

        for (const step of actions) {
          switch (step.kind) {
            case 'add':
              owe(step.key);
              queue.add(step.key, step.priority);
              break;
            case 'addAfter':
              owe(step.key);
              queue.addAfter(step.key, step.delay, step.priority);
              break;
            case 'fail':
              owe(step.key);
              queue.addRateLimited(step.key);
              break;
            case 'take':
              take();
              break;
            case 'done': {
              const each = [...working][step.which];
              if (each !== undefined) {
                done(each);
              }
              break;
            }
            case 'wait':
              await clock.advance(step.duration);
              break;
          }
          await settled();
        }

        // Whoever works goes on until nothing is left; every delay has passed by then.
        for (let round = 0; round < 3; round++) {
          await clock.advance(2_000_000);
          [...working].forEach(done);
          while (queue.length > 0) {
            take();
            await settled();
            [...working].forEach(done);
            await settled();
          }
        }
        expect(handedOutTwice).toStrictEqual([]);
        expect([...owed.keys()]).toStrictEqual([]);
        expect(batches.flat().length).toBeLessThanOrEqual(adds);
        for (const batch of batches) {
          expect(batch.length).toBeGreaterThan(0);
          expect(batch.length).toBeLessThanOrEqual(options.batchSize ?? 1);
          expect(new Set(batch.map(groupOf)).size).toBe(1);
        }
        expect(clock.pending).toBe(0);
      }),
      { numRuns: 150 },
    );
  });
});

describe('many keys, each once', () => {
  const keys = 25_000;

  function heapUsed(): number {
    setFlagsFromString('--expose-gc');
    (runInNewContext('gc') as () => void)();
    return process.memoryUsage().heapUsed;
  }

  test('added, taken and given back -> nothing of them is kept', async () => {
    const { queue, clock } = newQueue();
    const before = heapUsed();
    for (let n = 0; n < keys; n++) {
      queue.add(`shop/claim-${String(n)}`, n % 2 === 0 ? 'event' : 'initial');
    }
    // Half of the initial keys rise, which takes them out of the middle of their lane.
    for (let n = 1; n < keys; n += 4) {
      queue.add(`shop/claim-${String(n)}`);
    }
    expect(queue.length).toBe(keys);
    for (let n = 0; n < keys; n++) {
      for (const each of (await queue.take()) ?? []) {
        queue.done(each);
      }
    }
    expect(queue.length).toBe(0);
    expect(clock.pending).toBe(0);
    // A key alone is some 30 bytes; its place in a set 20 more.
    expect(heapUsed() - before).toBeLessThan(keys * 10);
    queue.shutDown();
  });

  test('failed, then forgotten -> no failures are kept', async () => {
    const { queue, clock } = newQueue();
    const before = heapUsed();
    for (let n = 0; n < keys; n++) {
      queue.addRateLimited(`shop/claim-${String(n)}`);
      queue.forget(`shop/claim-${String(n)}`);
    }
    queue.shutDown();
    expect(clock.pending).toBe(0);
    expect(await queue.take()).toBeUndefined();
    expect(heapUsed() - before).toBeLessThan(keys * 10);
    expect(queue.failures('shop/claim-1')).toBe(0);
  });
});
