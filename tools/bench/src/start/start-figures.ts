import type { Contestant } from '../figures.ts';

export const startFigureNames = [
  'leaseSeconds',
  'readySeconds',
  'cpuSeconds',
  'peakResidentBytes',
  'apiServerCpuSeconds',
] as const;
type StartFigure = (typeof startFigureNames)[number];

/**
 * What one start took, in seconds from the start of the process: until the API server showed its lease, and
 * until it held the lease and reported that it was ready; plus the resources that the process had used by
 * then.
 */
export type StartFigures = Readonly<Record<StartFigure, number>>;

/** One start of one contestant. Round 0 is for warming up and does not count. */
export interface StartResult {
  readonly round: number;
  readonly app: string;
  readonly contestant: Contestant;
  readonly figures: StartFigures;
}
