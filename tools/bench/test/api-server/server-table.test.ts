import { describe, expect, test } from '@jest/globals';
import type { ServerResult } from '../../src/api-server/server-figures.ts';
import { compareFigures, serverLine, serverTable } from '../../src/api-server/server-table.ts';

const sizes = { writes: 10, writers: 4, watchers: 7 };
const results: readonly ServerResult[] = [
  { round: 1, server: 'embedded', figures: { startSeconds: 0.004, eventsPerSecond: 9000 } },
  { round: 1, server: 'real', figures: { startSeconds: 4, eventsPerSecond: 3000 } },
  { round: 2, server: 'real', figures: { startSeconds: 5, eventsPerSecond: 3000 } },
  {
    round: 2,
    server: 'embedded',
    figures: { startSeconds: 0.005, eventsPerSecond: 9900, creationsInProcessPerSecond: 12_345 },
  },
];

function rowOf(title: string): readonly string[] | undefined {
  const table = serverTable(compareFigures(results), sizes);
  const rows = table.split('\n').map((line) => line.trim().split(/ {2,}/));
  return rows.find(([first]) => first === title);
}

describe('serverTable', () => {
  test.each([
    {
      what: 'figure of both -> medians, spread and the ratio of the medians',
      row: ['events to 7 watchers', '9450/s', '(9000/s to 9900/s)', '3000/s', '(3000/s to 3000/s)', '3.15'],
    },
    {
      what: 'one is a thousandth of the other -> two digits of the ratio',
      row: [
        'later starts',
        '4.5 ms',
        '(4.0 ms to 5.0 ms)',
        '4500.0 ms',
        '(4000.0 ms to 5000.0 ms)',
        '0.0010',
      ],
    },
    {
      what: 'figure that the real server has not -> dashes',
      row: ['creations in process', '12345/s', '(12345/s to 12345/s)', '-', '-'],
    },
  ])('$what', ({ row }) => {
    expect(rowOf(row[0] ?? '')).toEqual(row);
  });
});

describe('compareFigures', () => {
  test('real server took no time -> no ratio', () => {
    const [first] = compareFigures([
      { round: 1, server: 'embedded', figures: { firstStartSeconds: 1 } },
      { round: 1, server: 'real', figures: { firstStartSeconds: 0 } },
    ]);
    expect(first).toMatchObject({ figure: 'firstStartSeconds', ratio: undefined });
  });
});

describe('serverLine', () => {
  test('round -> what was measured of that server, and nothing else', () => {
    const [first] = results;
    expect(first && serverLine(first, sizes)).toBe(
      'round 1  embedded  later starts 4.0 ms; events to 7 watchers 9000/s',
    );
  });
});
