import type { Contestant, Figures, Result } from '../src/figures.ts';

/** A finished round; figures not given are 1. */
export function finished(round: number, contestant: Contestant, figures: Partial<Figures>): Result {
  return {
    kind: 'finished',
    round,
    contestant,
    figures: {
      wallSeconds: 1,
      firstSeconds: 0.05,
      slowestSeconds: undefined,
      cpuSeconds: 1,
      peakResidentBytes: 1,
      apiServerCpuSeconds: 1,
      requests: undefined,
      benchCpuSeconds: 1,
      elsewhereCpuSeconds: 1,
      ...figures,
    },
  };
}

export function failed(round: number, contestant: Contestant, reason: string): Result {
  return { kind: 'failed', round, contestant, reason };
}
