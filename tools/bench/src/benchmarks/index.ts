import type { Benchmark } from '../benchmark.ts';
import { arrivals } from './arrivals.ts';
import { defaultClass } from './default-class.ts';
import { pods } from './pods.ts';
import { protect } from './protect.ts';
import { reclaim } from './reclaim.ts';
import { release } from './release.ts';
import { retention } from './retention.ts';

/** All benchmarks. To add one, put a file next to these and a line here. */
export const benchmarks: readonly Benchmark[] = [
  protect,
  arrivals,
  release,
  pods,
  defaultClass,
  retention,
  reclaim,
];
