import type { Sample } from '../src/sample.ts';
import type { Run } from '../src/verdict.ts';

const mebibyte = 2 ** 20;

/** What a sample of a process that stays as it is looks like. */
function sampleAt(seconds: number): Sample {
  // The saw of garbage collection: up by 12 MiB in ten seconds, then down.
  const garbage = (seconds % 10) * 1.2 * mebibyte;
  return {
    seconds,
    residentBytes: 100 * mebibyte + garbage,
    heapUsedBytes: 20 * mebibyte + garbage,
    handles: 5,
    requests: 0,
    resources: 10,
    openFiles: 25,
    queueDepth: 0,
    unfinishedSeconds: 0,
    lists: 2,
    watches: 2,
  };
}

/** A run of ten minutes at 200 changes a second that nothing is wrong with, sampled every two seconds. */
export function runOf(change: (sample: Sample) => Partial<Sample> = () => ({}), seconds = 600): Run {
  const samples = Array.from({ length: seconds / 2 }, (_, index) => {
    const sample = sampleAt(index * 2);
    return { ...sample, ...change(sample) };
  });
  return {
    seconds,
    samples,
    asked: 200,
    changes: seconds * 200,
    accusations: [],
    unfinished: [],
    queued: 0,
    strayLines: [],
    exit: 'exit code 0',
  };
}
