import type { Contestant, Figures, Result } from '../figures.ts';
import type { Machine } from '../machine.ts';
import { spreadOf, type Spread } from '../spread.ts';

/** One round of one contestant at one size. */
export interface GrowthResult {
  readonly app: string;
  /** The number of objects that were done. */
  readonly objects: number;
  readonly result: Result;
}

/** What `--json` writes, and what the page is made from. */
export interface GrowthReport {
  readonly benchmark: 'growth';
  /** When it began, in ISO 8601. */
  readonly date: string;
  readonly rounds: number;
  readonly machine: Machine;
  readonly courses: readonly {
    readonly app: string;
    readonly work: string;
    readonly objects: string;
    /** The controllers of kube-controller-manager, named as in `--controllers`, or another program. */
    readonly upstream: readonly string[];
  }[];
  readonly results: readonly GrowthResult[];
}

/** The figures that are compared at each size. */
export const measures = [
  { key: 'wallSeconds', title: 'wall time', unit: 'seconds', of: (figures: Figures) => figures.wallSeconds },
  { key: 'cpuSeconds', title: 'CPU', unit: 'seconds', of: (figures: Figures) => figures.cpuSeconds },
  {
    key: 'peakResidentBytes',
    title: 'peak memory',
    unit: 'bytes',
    of: (figures: Figures) => figures.peakResidentBytes,
  },
  {
    key: 'requestsPerObject',
    title: 'requests for an object',
    unit: 'count',
    of: ({ requests }: Figures, objects: number) => (requests === undefined ? undefined : requests / objects),
  },
  {
    key: 'apiServerCpuSeconds',
    title: 'CPU of the API server',
    unit: 'seconds',
    of: (figures: Figures) => figures.apiServerCpuSeconds,
  },
] as const;

export type Measure = (typeof measures)[number];

/**
 * A figure at one size: the median of the rounds, with minimum and maximum; undefined if no round was
 * finished.
 */
export interface SizedSpread {
  readonly objects: number;
  readonly spread: Spread | undefined;
}

/** Returns a figure of one contestant for all sizes, in order. */
export function curveOf(
  { results }: Pick<GrowthReport, 'results'>,
  app: string,
  contestant: Contestant,
  measure: Measure,
): readonly SizedSpread[] {
  const own = results.filter((each) => each.app === app && each.result.contestant === contestant);
  const sizes = [...new Set(own.map(({ objects }) => objects))].toSorted((a, b) => a - b);
  return sizes.map((size) => ({
    objects: size,
    spread: spreadOf(
      own.flatMap(({ objects, result }) =>
        objects === size && result.kind === 'finished' ? (measure.of(result.figures, objects) ?? []) : [],
      ),
    ),
  }));
}
