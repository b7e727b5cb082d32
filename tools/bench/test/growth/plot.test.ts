import { describe, expect, test } from '@jest/globals';
import type { SizedSpread } from '../../src/growth/growth-figures.ts';
import { plotSvg } from '../../src/growth/plot.ts';

function line(valueAt: (size: number) => number | undefined): readonly SizedSpread[] {
  return [100, 1_000, 10_000].map((objects) => {
    const median = valueAt(objects);
    return { objects, spread: median === undefined ? undefined : { median, least: median, most: median } };
  });
}

const plot = (...lines: (readonly SizedSpread[])[]): string =>
  plotSvg({
    title: 'CPU of <a> & "b"',
    objects: 'claims',
    legend: ['ours', 'theirs'],
    panels: [{ title: 'CPU, s', show: String, lines }],
  });

/** The places of a line's marks, from the left. */
function marksOf(svg: string, index: number): readonly (readonly [x: number, y: number])[] {
  // The first is the legend's.
  const group = [...svg.matchAll(new RegExp(`<g class="line${String(index)}">(.*?)</g>`, 'g'))][1]?.[1] ?? '';
  return [...group.matchAll(/<circle cx="([\d.]+)" cy="([\d.]+)"/g)].map(([, x, y]) => [
    Number(x),
    Number(y),
  ]);
}

describe('plotSvg', () => {
  test('in proportion -> marks on a straight line that rises, equal steps apart', () => {
    const [a, b, c] = marksOf(plot(line((size) => size / 50)), 0);
    expect(b?.[0]).toBeCloseTo(((a?.[0] ?? 0) + (c?.[0] ?? 0)) / 2, 0);
    expect(b?.[1]).toBeCloseTo(((a?.[1] ?? 0) + (c?.[1] ?? 0)) / 2, 0);
    expect(c?.[1]).toBeLessThan(a?.[1] ?? 0);
  });

  test('twice as much at each size -> above the other by the same at each', () => {
    const svg = plot(
      line((size) => size / 50),
      line((size) => size / 25),
    );
    const apart = marksOf(svg, 0).map(([, y], index) => y - (marksOf(svg, 1)[index]?.[1] ?? 0));
    expect(apart[0]).toBeGreaterThan(0);
    for (const each of apart) {
      expect(each).toBeCloseTo(apart[0] ?? 0, 0);
    }
  });

  test('one size is missing, one is 0 -> marks for the others alone', () => {
    const svg = plot(
      line((size) => (size === 100 ? undefined : 1)),
      line((size) => (size === 100 ? 0 : 2)),
    );
    expect([marksOf(svg, 0).length, marksOf(svg, 1).length]).toEqual([2, 2]);
  });

  test('nothing at all, or one value -> an image without a number that is none', () => {
    for (const svg of [plot(), plot([]), plot(line((size) => (size === 100 ? 5 : undefined)))]) {
      expect(svg).not.toMatch(/NaN|Infinity|undefined/);
    }
  });

  test('any -> its title is escaped, and both themes have their colours', () => {
    const svg = plot(line(() => 1));
    expect(svg).toContain('<title id="title">CPU of &lt;a> &amp; &quot;b&quot;</title>');
    expect(svg).toContain('@media (prefers-color-scheme: dark)');
    expect(svg).not.toMatch(/<script|href=/);
  });
});
