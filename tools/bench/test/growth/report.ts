import type { Contestant } from '../../src/figures.ts';
import type { GrowthReport, GrowthResult } from '../../src/growth/growth-figures.ts';
import { finished } from '../result.ts';

/** A report of one app whose CPU time is in proportion to the objects, and whose wall time grows with their square. */
export function growthReport(change: Partial<GrowthReport> = {}): GrowthReport {
  const result = (objects: number, contestant: Contestant, times: number): GrowthResult => ({
    app: 'pvc-protection',
    objects,
    result: finished(1, contestant, {
      wallSeconds: times * (objects / 1_000) ** 2,
      cpuSeconds: (times * objects) / 1_000,
      peakResidentBytes: times * 2 ** 26,
      requests: 2 * objects,
      apiServerCpuSeconds: objects / 500,
    }),
  });
  return {
    benchmark: 'growth',
    date: '2026-11-22T19:20:00.000Z',
    rounds: 1,
    machine: {
      cores: 2,
      processor: 'Abacus <2>',
      memoryBytes: 2 ** 34,
      kernel: '6.1.0',
      node: 'v24.21.0',
      kubernetes: 'v1.36.3',
      load: 0.25,
    },
    courses: [
      {
        app: 'pvc-protection',
        work: 'claims are protected',
        objects: 'claims',
        upstream: ['persistentvolumeclaim-protection-controller'],
      },
    ],
    results: [1_000, 10_000].flatMap((objects) => [
      result(objects, 'holdfast', 1),
      result(objects, 'upstream', 3),
    ]),
    ...change,
  };
}
