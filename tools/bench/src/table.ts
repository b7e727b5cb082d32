import { inMebibytes, inMilliseconds, inSeconds, type Result } from './figures.ts';
import type { Spread } from './spread.ts';
import type { ComparedFigure, Comparison } from './summary.ts';

const rows: Readonly<
  Record<ComparedFigure, { readonly title: string; readonly show: (value: number) => string }>
> = {
  wallSeconds: { title: 'wall time', show: inSeconds },
  firstSeconds: { title: 'to the first object', show: inMilliseconds },
  slowestSeconds: { title: 'slowest object', show: inMilliseconds },
  cpuSeconds: { title: 'CPU', show: inSeconds },
  peakResidentBytes: { title: 'peak memory', show: inMebibytes },
  apiServerCpuSeconds: { title: 'CPU of the API server', show: inSeconds },
};

/** Medians with the least and the most beside them, and the ratios; `-` where no round was finished. */
export function summaryTable(comparisons: readonly Comparison[]): string {
  return alignColumns([
    ['', 'holdfast', '', 'upstream', '', 'ours / upstream'],
    ...comparisons.filter(isMeasured).map(({ figure, holdfast, upstream, ratio }) => {
      const { title, show } = rows[figure];
      return [
        title,
        ...spreadCells(holdfast, show),
        ...spreadCells(upstream, show),
        ratio?.toFixed(2) ?? '-',
      ];
    }),
  ]);
}

/** What no round of either had is not what this benchmark measures, unless it is what all measure. */
function isMeasured({ figure, holdfast, upstream }: Comparison): boolean {
  return figure !== 'slowestSeconds' || holdfast !== undefined || upstream !== undefined;
}

/** The median, and the least and the most. */
export function spreadCells(
  of: Spread | undefined,
  show: (value: number) => string,
): readonly [string, string] {
  return of === undefined ? ['-', ''] : [show(of.median), `(${show(of.least)} to ${show(of.most)})`];
}

/** The first column to the left, the others to the right, two blanks between. Every row has as many cells. */
export function alignColumns(cells: readonly (readonly string[])[]): string {
  const widths = (cells[0] ?? []).map((_, column) =>
    Math.max(...cells.map((row) => row[column]?.length ?? 0)),
  );
  return cells
    .map((row) =>
      row
        .map((cell, column) =>
          column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
        )
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** One round of one contestant, on one line but for the log of one that failed. */
export function resultLine(result: Result): string {
  const who = `${result.round === 0 ? 'warm-up' : `round ${String(result.round)}`}  ${result.contestant}`;
  switch (result.kind) {
    case 'failed':
      return `${who}  FAILED: ${result.reason}`;
    case 'finished': {
      const { figures } = result;
      return [
        who,
        `wall ${inSeconds(figures.wallSeconds)}`,
        `first ${inMilliseconds(figures.firstSeconds)}`,
        `CPU ${inSeconds(figures.cpuSeconds)}`,
        `peak ${inMebibytes(figures.peakResidentBytes)}`,
        `API server ${inSeconds(figures.apiServerCpuSeconds)}`,
        ...(figures.requests === undefined ? [] : [`requests ${String(figures.requests)}`]),
        `bench ${inSeconds(figures.benchCpuSeconds)}`,
        `elsewhere ${inSeconds(figures.elsewhereCpuSeconds)}`,
      ].join('  ');
    }
  }
}
