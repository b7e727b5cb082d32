import type { Benchmark } from '../benchmark.ts';

/** Not a race between controllers: the API server of @holdfast/apiserver beside the real one, at the same requests. */
export const apiServerComparison = {
  name: 'api-server',
  summary: 'the embedded API server beside the real one: start, writes, fan-out to watchers',
  sizes: {
    writes: { default: 2000, description: 'writes of each kind' },
    writers: { default: 16, description: 'that write at once' },
    watchers: { default: 50, description: 'of one collection' },
  },
} as const satisfies Pick<Benchmark, 'name' | 'summary' | 'sizes'>;

export type ComparisonSizes = Readonly<Record<keyof typeof apiServerComparison.sizes, number>>;
