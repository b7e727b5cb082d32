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

/** Formats medians, each with minimum and maximum, and the ratios; `-` if no round was finished. */
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

/** Leaves out a figure that no round has, unless every benchmark measures it. */
function isMeasured({ figure, holdfast, upstream }: Comparison): boolean {
  return figure !== 'slowestSeconds' || holdfast !== undefined || upstream !== undefined;
}

/** Returns the median, the minimum and the maximum. */
export function spreadCells(
  of: Spread | undefined,
  show: (value: number) => string,
): readonly [string, string] {
  return of === undefined ? ['-', ''] : [show(of.median), `(${show(of.least)} to ${show(of.most)})`];
}

/**
 * Aligns the first column to the left and the others to the right, two blanks apart. Every row must have the
 * same number of cells.
 */
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

/** Formats one round of one contestant in one line, followed by the log if it failed. */
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
