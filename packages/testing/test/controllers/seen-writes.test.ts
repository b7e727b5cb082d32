import { describe, expect, test } from '@jest/globals';
import { createSeenWrites } from '../../src/controllers/seen-writes.ts';

describe('seen writes', () => {
  test.each([
    ['nothing known -> not complete', undefined, ['5'], '5', false],
    ['complete at the version asked for -> complete', '5', [], '5', true],
    ['complete at a later one -> complete', '6', [], '5', true],
    ['each write since seen -> complete', '5', ['6', '7'], '7', true],
    ['seen out of order -> complete', '5', ['7', '6'], '7', true],
    ['seen before it was complete -> complete', '5', ['4', '5', '6'], '6', true],
    ['one in between not seen -> not complete', '5', ['6', '8'], '8', false],
    ['the last one not seen -> not complete', '5', ['6'], '7', false],
  ])('%s', (_, complete, seen, asked, expected) => {
    const writes = createSeenWrites();
    for (const version of seen) {
      writes.add(version);
    }
    if (complete !== undefined) {
      writes.completeAt(complete);
    }
    expect(writes.isComplete(asked)).toBe(expected);
  });

  test('not complete, the one in between comes -> complete', () => {
    const writes = createSeenWrites();
    writes.completeAt('1');
    writes.add('3');
    expect(writes.isComplete('3')).toBe(false);
    writes.add('2');
    expect(writes.isComplete('3')).toBe(true);
  });

  test('more seen than are remembered -> not complete, and complete again once it is said to be', () => {
    const writes = createSeenWrites();
    writes.completeAt('0');
    for (let version = 1; version <= 10_001; version++) {
      writes.add(String(version));
    }
    expect(writes.isComplete('10001')).toBe(false);
    writes.completeAt('10000');
    expect(writes.isComplete('10001')).toBe(true);
  });

  test('completed at an earlier version than it is -> stays as complete as it is', () => {
    const writes = createSeenWrites();
    writes.completeAt('5');
    writes.completeAt('3');
    expect(writes.isComplete('5')).toBe(true);
  });
});
