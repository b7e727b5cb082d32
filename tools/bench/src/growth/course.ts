import type { Benchmark } from '../benchmark.ts';

/** A piece of work of one app that is done at growing sizes. */
export interface Course {
  readonly benchmark: Benchmark;
  /** The work, as a sentence of the page. */
  readonly work: string;
  /** What is counted, in the plural. */
  readonly objects: 'claims' | 'volumes';
  /** Returns the benchmark's sizes for about `count` objects; `goal` says how many there really are. */
  sizesOf(count: number): Readonly<Record<string, number>>;
}
