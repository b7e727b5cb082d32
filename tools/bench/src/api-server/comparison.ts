import type { Benchmark } from '../benchmark.ts';

/**
 * Compares not controllers but API servers: that of @holdfast/apiserver and the real one, with the same
 * requests.
 */
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
