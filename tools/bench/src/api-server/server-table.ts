import { inMilliseconds } from '../figures.ts';
import { spreadOf, type Spread } from '../spread.ts';
import { alignColumns, spreadCells } from '../table.ts';
import type { ComparisonSizes } from './comparison.ts';
import { figureNames, type ServerFigure, type ServerName, type ServerResult } from './server-figures.ts';

/** One figure of both servers over all rounds. */
export interface ServerComparison {
  readonly figure: ServerFigure;
  readonly embedded: Spread | undefined;
  readonly real: Spread | undefined;
  /** The median of the embedded server divided by that of the real one; undefined if one has none, or 0. */
  readonly ratio: number | undefined;
}

export function compareFigures(results: readonly ServerResult[]): readonly ServerComparison[] {
  const spread = (figure: ServerFigure, name: ServerName): Spread | undefined =>
    spreadOf(results.flatMap(({ server, figures }) => (server === name ? (figures[figure] ?? []) : [])));
  return figureNames.map((figure) => {
    const embedded = spread(figure, 'embedded');
    const real = spread(figure, 'real');
    const isComparable = embedded !== undefined && real !== undefined && real.median !== 0;
    return { figure, embedded, real, ratio: isComparable ? embedded.median / real.median : undefined };
  });
}

const perSecond = (value: number): string => `${value.toFixed(0)}/s`;
const finely = (seconds: number): string => `${(seconds * 1000).toFixed(1)} ms`;

type Row = readonly [title: string, show: (value: number) => string];

function rowsOf({ writers, watchers }: ComparisonSizes): Readonly<Record<ServerFigure, Row>> {
  return {
    firstStartSeconds: ['first start in a process', inMilliseconds],
    startSeconds: ['later starts', finely],
    firstScenarioSeconds: ['first start, scenario, stop', inMilliseconds],
    scenarioSeconds: ['later start, scenario, stop', finely],
    creationsPerSecond: ['creations, 1 writer', perSecond],
    creationsByManyPerSecond: [`creations, ${writers} writers`, perSecond],
    patchesPerSecond: ['patches, 1 writer', perSecond],
    patchesByManyPerSecond: [`patches, ${writers} writers`, perSecond],
    creationsInProcessPerSecond: ['creations in process', perSecond],
    patchesInProcessPerSecond: ['patches in process', perSecond],
    eventsPerSecond: [`events to ${watchers} watchers`, perSecond],
    medianDelaySeconds: ['answer to last event, median', finely],
    p99DelaySeconds: ['answer to last event, p99', finely],
    cpuSecondsPerThousandWrites: ['CPU for 1,000 writes', inMilliseconds],
  };
}

/** Formats one round of one server in one line. */
export function serverLine({ round, server, figures }: ServerResult, sizes: ComparisonSizes): string {
  const rows = rowsOf(sizes);
  const shown = figureNames.flatMap((figure) => {
    const value = figures[figure];
    const [title, show] = rows[figure];
    return value === undefined ? [] : [`${title} ${show(value)}`];
  });
  return `round ${round}  ${server}  ${shown.join('; ')}`;
}

/**
 * Formats medians, each with minimum and maximum, and the ratios; `-` for a figure that a server does not
 * have.
 */
export function serverTable(comparisons: readonly ServerComparison[], sizes: ComparisonSizes): string {
  const rows = rowsOf(sizes);
  return alignColumns([
    ['', 'embedded', '', 'real', '', 'embedded / real'],
    ...comparisons.map(({ figure, embedded, real, ratio }) => {
      const [title, show] = rows[figure];
      return [
        title,
        ...spreadCells(embedded, show),
        ...spreadCells(real, show),
        ratio === undefined ? '-' : ratioText(ratio),
      ];
    }),
  ]);
}

/**
 * Shows two significant digits: the ratio of a start in milliseconds to one in seconds is a few thousandths.
 */
function ratioText(ratio: number): string {
  return ratio < 0.1 ? ratio.toPrecision(2) : ratio.toFixed(2);
}
