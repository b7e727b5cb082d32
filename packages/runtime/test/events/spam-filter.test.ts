import { describe, expect, test } from '@jest/globals';
import { createFakeClock } from '@holdfast/testing/fake-clock';
import { createSpamFilter } from '../../src/events/spam-filter.ts';

const passing = (filter: (source: string) => boolean, source: string, tries: number): number =>
  Array.from({ length: tries }, () => filter(source)).filter(Boolean).length;

describe('spam filter', () => {
  test('storm about one object -> 25 pass, then one every five minutes; another object is not touched', async () => {
    const clock = createFakeClock();
    const filter = createSpamFilter({ clock });
    expect(passing(filter, 'a', 100)).toBe(25);
    expect(passing(filter, 'b', 1)).toBe(1);
    await clock.advance(299_999);
    expect(passing(filter, 'a', 10)).toBe(0);
    await clock.advance(1);
    expect(passing(filter, 'a', 10)).toBe(1);
    await clock.advance(10 * 300_000);
    expect(passing(filter, 'a', 100)).toBe(10);
  });

  test('rest of a day -> no more than 25 are saved up', async () => {
    const clock = createFakeClock();
    const filter = createSpamFilter({ clock });
    passing(filter, 'a', 5);
    await clock.advance(86_400_000);
    expect(passing(filter, 'a', 100)).toBe(25);
  });

  test('more sources than are remembered -> the one that was quiet longest is forgotten', () => {
    const filter = createSpamFilter({ clock: createFakeClock(), burst: 1, capacity: 2 });
    expect(passing(filter, 'a', 1)).toBe(1);
    expect(passing(filter, 'b', 1)).toBe(1);
    expect(passing(filter, 'a', 1)).toBe(0);
    expect(passing(filter, 'c', 1)).toBe(1);
    expect(passing(filter, 'a', 1)).toBe(0);
    expect(passing(filter, 'b', 1)).toBe(1);
  });
});
