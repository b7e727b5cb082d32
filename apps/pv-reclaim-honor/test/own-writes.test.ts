import { describe, expect, test } from '@jest/globals';
import { createFakeClock } from '@holdfast/testing/fake-clock';
import { createOwnWrites } from '../src/own-writes.ts';
import { volume } from './objects.ts';

const minute = 60_000;

function open() {
  const clock = createFakeClock();
  return { clock, writes: createOwnWrites(clock) };
}

describe('fights', () => {
  test('undone three times within a minute each -> stopped, said once', async () => {
    const { clock, writes } = open();
    const answers: string[] = [];
    for (let round = 0; round < 5; round++) {
      const answer = writes.mayWrite('u', 'add');
      if (answer === 'write') {
        writes.wrote('u', 'add', '1');
      }
      answers.push(answer);
      await clock.advance(10_000);
    }
    expect(answers).toEqual(['write', 'write', 'write', 'stop', 'stopped']);
  });

  test('undone after more than a minute -> no fight', async () => {
    const { clock, writes } = open();
    for (let round = 0; round < 10; round++) {
      expect(writes.mayWrite('u', 'add')).toBe('write');
      writes.wrote('u', 'add', '1');
      await clock.advance(minute + 1_000);
    }
  });

  test('added and removed in turn by ourselves (policy to and fro) -> no fight', async () => {
    const { clock, writes } = open();
    for (let round = 0; round < 10; round++) {
      const what = round % 2 === 0 ? 'add' : 'remove';
      expect(writes.mayWrite('u', what)).toBe('write');
      writes.wrote('u', what, '1');
      await clock.advance(1_000);
    }
  });

  test('write that never succeeded (refused each time) -> no fight', () => {
    const { writes } = open();
    for (let round = 0; round < 10; round++) {
      expect(writes.mayWrite('u', 'add')).toBe('write');
    }
  });
});

describe('cache', () => {
  // Builders make volumes of version 7.
  test.each([
    { what: 'nothing written', written: undefined, behind: false },
    { what: 'older than our write', written: '8', behind: true },
    { what: 'our write', written: '7', behind: false },
    { what: 'newer than our write', written: '6', behind: false },
    { what: 'older than our write, by one more digit', written: '10', behind: true },
  ])('$what -> behind: $behind', ({ written, behind }) => {
    const { writes } = open();
    const { metadata } = volume();
    if (written !== undefined) {
      writes.mayWrite(metadata.uid, 'add');
      writes.wrote(metadata.uid, 'add', written);
    }
    expect(writes.isBehind(volume())).toBe(behind);
  });

  test('P8: older than our write of five seconds ago (etcd restored from a backup) -> not behind', async () => {
    const { clock, writes } = open();
    const { metadata } = volume();
    writes.mayWrite(metadata.uid, 'add');
    writes.wrote(metadata.uid, 'add', '8');
    await clock.advance(4_999);
    expect(writes.isBehind(volume())).toBe(true);
    await clock.advance(1);
    expect(writes.isBehind(volume())).toBe(false);
  });

  test('forgotten while the write was under way -> not kept, not behind', () => {
    const { writes } = open();
    const { metadata } = volume();
    writes.mayWrite(metadata.uid, 'add');
    writes.forget(metadata.uid);
    writes.wrote(metadata.uid, 'add', '8');
    expect(writes.isBehind(volume())).toBe(false);
  });
});
