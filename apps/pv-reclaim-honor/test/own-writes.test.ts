import { describe, expect, test } from '@jest/globals';
import { createFakeClock } from '@holdfast/testing/fake-clock';
import { createOwnWrites } from '../src/own-writes.ts';
import { volume } from './objects.ts';

function open() {
  const clock = createFakeClock();
  return { clock, writes: createOwnWrites(clock) };
}

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
      writes.begin(metadata.uid);
      writes.wrote(metadata.uid, written);
    }
    expect(writes.isBehind(volume())).toBe(behind);
  });

  test('P8: older than our write of five seconds ago (etcd restored from a backup) -> not behind', async () => {
    const { clock, writes } = open();
    const { metadata } = volume();
    writes.begin(metadata.uid);
    writes.wrote(metadata.uid, '8');
    await clock.advance(4_999);
    expect(writes.isBehind(volume())).toBe(true);
    await clock.advance(1);
    expect(writes.isBehind(volume())).toBe(false);
  });

  test('forgotten while the write was under way -> not kept, not behind', () => {
    const { writes } = open();
    const { metadata } = volume();
    writes.begin(metadata.uid);
    writes.forget(metadata.uid);
    writes.wrote(metadata.uid, '8');
    expect(writes.isBehind(volume())).toBe(false);
  });
});
