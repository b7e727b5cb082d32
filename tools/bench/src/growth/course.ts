import type { Benchmark } from '../benchmark.ts';

/** A piece of work of one app that is done at growing sizes. */
export interface Course {
  readonly benchmark: Benchmark;
  /** What the work is, as a sentence of the page. */
  readonly work: string;
  /** What is counted, in the plural. */
  readonly objects: 'claims' | 'volumes';
  /** The benchmark's sizes where some `count` objects are to be done; `goal` says how many there are in fact. */
  sizesOf(count: number): Readonly<Record<string, number>>;
}
