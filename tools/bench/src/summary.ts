import { isCounted, type Contestant, type Result } from './figures.ts';
import { spreadOf, type Spread } from './spread.ts';

/** One figure of both contestants, over the finished rounds that count. */
export interface Comparison {
  readonly figure: ComparedFigure;
  readonly holdfast: Spread | undefined;
  readonly upstream: Spread | undefined;
  /**
   * Holdfast's median divided by upstream's: below 1, Holdfast takes less. Undefined if one of them has none,
   * or 0.
   */
  readonly ratio: number | undefined;
}

/** The figures about the contestants. The other figures show how reliable these are. */
const compared = [
  'wallSeconds',
  'firstSeconds',
  'slowestSeconds',
  'cpuSeconds',
  'peakResidentBytes',
  'apiServerCpuSeconds',
] as const;
export type ComparedFigure = (typeof compared)[number];

export function summarize(results: readonly Result[]): readonly Comparison[] {
  return compared.map((figure) => {
    const holdfast = spreadOf(valuesOf(results, 'holdfast', figure));
    const upstream = spreadOf(valuesOf(results, 'upstream', figure));
    return {
      figure,
      holdfast,
      upstream,
      ratio:
        holdfast === undefined || upstream === undefined || upstream.median === 0
          ? undefined
          : holdfast.median / upstream.median,
    };
  });
}

function valuesOf(
  results: readonly Result[],
  contestant: Contestant,
  figure: ComparedFigure,
): readonly number[] {
  return results.flatMap((result) =>
    isCounted(result) && result.contestant === contestant && result.kind === 'finished'
      ? (result.figures[figure] ?? [])
      : [],
  );
}
