import { inMebibytes, inMilliseconds, isCounted, type Contestant } from '../figures.ts';
import { spreadOf, type Spread } from '../spread.ts';
import { alignColumns, spreadCells } from '../table.ts';
import { startFigureNames, type StartFigures, type StartResult } from './start-figures.ts';

/** One figure of one app and its counterpart, over the rounds that count. */
export interface StartDifference {
  readonly app: string;
  readonly figure: keyof StartFigures;
  readonly holdfast: Spread | undefined;
  readonly upstream: Spread | undefined;
  /** Holdfast's median divided by upstream's; undefined if one of them has none, or upstream's is 0. */
  readonly ratio: number | undefined;
}

export function compareStartFigures(results: readonly StartResult[]): readonly StartDifference[] {
  const apps = [...new Set(results.map(({ app }) => app))];
  return apps.flatMap((app) =>
    startFigureNames.map((figure) => {
      const spread = (who: Contestant): Spread | undefined =>
        spreadOf(
          results
            .filter((result) => isCounted(result) && result.app === app && result.contestant === who)
            .map(({ figures }) => figures[figure]),
        );
      const [holdfast, upstream] = [spread('holdfast'), spread('upstream')];
      const isComparable = holdfast !== undefined && upstream !== undefined && upstream.median !== 0;
      return {
        app,
        figure,
        holdfast,
        upstream,
        ratio: isComparable ? holdfast.median / upstream.median : undefined,
      };
    }),
  );
}

const rows: Readonly<
  Record<keyof StartFigures, { readonly title: string; readonly show: (value: number) => string }>
> = {
  leaseSeconds: { title: 'to the lease', show: inMilliseconds },
  readySeconds: { title: 'to ready', show: inMilliseconds },
  cpuSeconds: { title: 'CPU', show: inMilliseconds },
  peakResidentBytes: { title: 'peak memory', show: inMebibytes },
  apiServerCpuSeconds: { title: 'CPU of the API server', show: inMilliseconds },
};

/** Formats medians, each with minimum and maximum, and the ratios, app by app. */
export function startTable(differences: readonly StartDifference[]): string {
  return alignColumns([
    ['', 'holdfast', '', 'upstream', '', 'ours / upstream'],
    ...differences.map(({ app, figure, holdfast, upstream, ratio }) => {
      const { title, show } = rows[figure];
      return [
        `${app}: ${title}`,
        ...spreadCells(holdfast, show),
        ...spreadCells(upstream, show),
        ratio?.toFixed(2) ?? '-',
      ];
    }),
  ]);
}

/** Formats one start in one line. */
export function startLine({ round, app, contestant, figures }: StartResult): string {
  const shown = startFigureNames.map(
    (figure) => `${rows[figure].title} ${rows[figure].show(figures[figure])}`,
  );
  return `${round === 0 ? 'warm-up' : `round ${String(round)}`}  ${app}  ${contestant}  ${shown.join('  ')}`;
}
