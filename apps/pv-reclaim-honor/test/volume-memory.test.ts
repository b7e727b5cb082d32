import { describe, expect, test } from '@jest/globals';
import { createVolumeMemories } from '../src/volume-memory.ts';

function open() {
  let time = 0;
  const memories = createVolumeMemories({
    now: () => time,
    after: () => ({ cancel: () => undefined }),
  });
  memories.of('u');
  return {
    memories,
    pass: (milliseconds: number) => {
      time += milliseconds;
    },
  };
}

describe('retries', () => {
  test('fail again and again -> 1 s, twice as long each time, 5 min at the most', () => {
    const { memories, pass } = open();
    const delays = Array.from({ length: 11 }, () => {
      const delay = memories.failed('u');
      expect(memories.wait('u')).toBe(delay);
      pass(delay);
      expect(memories.wait('u')).toBe(0);
      return delay / 1000;
    });
    expect(delays).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
  });

  test('driver is back -> due now, and the row begins anew', () => {
    const { memories } = open();
    memories.failed('u');
    memories.failed('u');
    memories.retryNow('u');
    expect(memories.wait('u')).toBe(0);
    expect(memories.failed('u')).toBe(1_000);
  });

  test('forgotten -> nothing is kept by a late failure or write', () => {
    const { memories } = open();
    memories.forget('u');
    memories.failed('u');
    memories.wrote('u', 'add', '1');
    expect(memories.peek('u')).toBeUndefined();
  });
});

describe('fights', () => {
  test('undone three times within a minute each -> stopped, told once', () => {
    const { memories, pass } = open();
    const write = (): string => {
      const answer = memories.mayWrite('u', 'add');
      if (answer === 'write') {
        memories.wrote('u', 'add', '1');
      }
      pass(10_000);
      return answer;
    };
    expect([write(), write(), write(), write(), write()]).toEqual([
      'write',
      'write',
      'write',
      'stop',
      'stopped',
    ]);
  });

  test('undone after more than a minute -> no fight', () => {
    const { memories, pass } = open();
    for (let round = 0; round < 10; round++) {
      expect(memories.mayWrite('u', 'add')).toBe('write');
      memories.wrote('u', 'add', '1');
      pass(61_000);
    }
  });

  test('added and removed in turn by ourselves (policy to and fro) -> no fight', () => {
    const { memories, pass } = open();
    for (let round = 0; round < 10; round++) {
      const what = round % 2 === 0 ? 'add' : 'remove';
      expect(memories.mayWrite('u', what)).toBe('write');
      memories.wrote('u', what, '1');
      pass(1_000);
    }
  });

  test('write that never succeeded (refused each time) -> no fight', () => {
    const { memories } = open();
    for (let round = 0; round < 10; round++) {
      expect(memories.mayWrite('u', 'add')).toBe('write');
    }
  });
});
