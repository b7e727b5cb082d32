import type { Sample } from './sample.ts';
import { floors, median, trendOf, type Point } from './trend.ts';

/** Everything that a run has shown. */
export interface Run {
  /** The duration of the churn. */
  readonly seconds: number;
  readonly samples: readonly Sample[];
  /** The requested changes per second. */
  readonly asked: number;
  /** The number of changes that took effect. */
  readonly changes: number;
  /** What the app did wrong during the churn. */
  readonly accusations: readonly string[];
  /** What the app still had to do after it was given time to finish. */
  readonly unfinished: readonly string[];
  /** The number of keys in its queues at that time. */
  readonly queued: number;
  /** What it wrote to standard error outside its log. */
  readonly strayLines: readonly string[];
  /** How its process ended on SIGTERM. */
  readonly exit: string;
}

export interface Finding {
  readonly about: string;
  /** `undecided`: nothing contradicts it, but the run was too short or the samples too uneven to tell. */
  readonly outcome: 'holds' | 'fails' | 'undecided';
  /** The figures in one line. */
  readonly figures: string;
}

/**
 * The first third of a run, but at least two and a half minutes, is for warming up: V8 compiles, and the
 * bounded memory of Events fills, which takes two minutes at 200 changes per second.
 */
const warmUpOf = (seconds: number): number => Math.max(seconds / 3, 150);
/**
 * The width of a window, in seconds, of which only the lowest value counts: some ten samples, and more than
 * one garbage collection.
 */
const floorWidth = 20;
/** Fewer windows than this are not enough to judge a trend. */
const leastWindows = 6;

/**
 * How many bytes may remain for each change. A life of a claim and a pod has some six changes; the smallest
 * thing that could be leaked for it, a key such as `soak-3/data-123456` in a Set, takes about 100 bytes, or
 * 17 for each change. Resident memory also contains what V8 keeps in reserve, which comes and goes in pages;
 * it may drift by as much as four such keys.
 */
const heapLimit = 16;
const residentLimit = 64;

/**
 * How many more handles there may be in the second half after warming up than in the first: a watch that is
 * just being reopened, for example.
 */
const handleLimit = 3;

/** The share of the requested changes that must have been made for the run to count. */
const leastRate = 0.95;

/** Judges everything that is required of a controller under churn. */
export function judge(run: Run): readonly Finding[] {
  const { seconds, asked, changes, accusations, unfinished, queued, strayLines, exit } = run;
  const rate = changes / seconds;
  const steady = run.samples.filter((sample) => sample.seconds >= warmUpOf(seconds));
  const { openFiles: ofFiles, ...ofHandles } = counts;
  const filesAreTold = steady.every(({ openFiles }) => openFiles !== undefined);
  return [
    {
      about: 'rate',
      outcome: rate >= asked * leastRate ? 'holds' : 'fails',
      figures: `${figure(asked)} changes a second asked, ${rate.toFixed(1)} done (${figure(changes)} in ${figure(Math.round(seconds))} s)`,
    },
    ...(['heapUsedBytes', 'residentBytes'] as const).map((name) => memoryFinding(name, steady, run, rate)),
    ...Object.entries({ ...ofHandles, ...(filesAreTold ? { openFiles: ofFiles } : {}) }).map(
      ([about, read]) => countFinding(about, steady, run, read),
    ),
    {
      about: 'listeners',
      outcome: strayLines.length === 0 ? 'holds' : 'fails',
      figures:
        strayLines.length === 0
          ? 'no warning of Node on standard error'
          : `on standard error: ${some(strayLines)}`,
    },
    {
      about: 'safety',
      outcome: accusations.length === 0 ? 'holds' : 'fails',
      figures: accusations.length === 0 ? 'nothing went wrong on the way' : some(accusations),
    },
    {
      about: 'work done',
      outcome: unfinished.length === 0 ? 'holds' : 'fails',
      figures: unfinished.length === 0 ? 'nothing was left to do in the end' : some(unfinished),
    },
    {
      about: 'queues',
      outcome: queued === 0 ? 'holds' : 'fails',
      figures: `${figure(queued)} keys in the end, ${figure(Math.max(0, ...run.samples.map(({ queueDepth }) => queueDepth)))} at the most`,
    },
    {
      about: 'shutdown',
      outcome: exit === 'exit code 0' ? 'holds' : 'fails',
      figures: `${exit} on SIGTERM`,
    },
  ];
}

const tooFew = {
  outcome: 'undecided',
  figures: 'too few samples after warming up: run it for 5 minutes at least',
} as const;
const labels = { heapUsedBytes: 'heap used', residentBytes: 'resident memory' } as const;
const limits = { heapUsedBytes: heapLimit, residentBytes: residentLimit } as const;

function memoryFinding(
  name: 'heapUsedBytes' | 'residentBytes',
  steady: readonly Sample[],
  { seconds }: Run,
  rate: number,
): Finding {
  const about = labels[name];
  const points = floors(
    pointsOf(steady, (sample) => sample[name]),
    floorWidth,
  );
  const trend = trendOf(points);
  if (trend === undefined || points.length < leastWindows) {
    return { about, ...tooFew };
  }
  const growth = trend.slope / rate;
  const doubt = trend.doubt / rate;
  const limit = limits[name];
  const { first, second } = halves(points, seconds);
  const outcome =
    growth + doubt <= limit ? 'holds' : growth > limit && growth > doubt ? 'fails' : 'undecided';
  const perMinute = (bytes: number): string => figure(Math.round((bytes * rate * 60) / 1024));
  return {
    about,
    outcome,
    figures: [
      `${mebibytes(first)} MiB in the first half after warming up, ${mebibytes(second)} in the second`,
      `trend ${perMinute(growth)} KiB a minute (give or take ${perMinute(doubt)}), limit ${perMinute(limit)}`,
      `${growth.toFixed(1)} bytes a change, limit ${figure(limit)}`,
    ].join('; '),
  };
}

const counts = {
  handles: (sample: Sample) => sample.handles,
  requests: (sample: Sample) => sample.requests,
  resources: (sample: Sample) => sample.resources,
  openFiles: (sample: Sample) => sample.openFiles ?? 0,
};

function countFinding(
  about: string,
  steady: readonly Sample[],
  { seconds }: Run,
  read: (sample: Sample) => number,
): Finding {
  const label = about === 'openFiles' ? 'open files' : about;
  const points = floors(pointsOf(steady, read), floorWidth);
  if (points.length < leastWindows) {
    return { about: label, ...tooFew };
  }
  const { first, second } = halves(points, seconds);
  const most = Math.max(0, ...steady.map(read));
  return {
    about: label,
    outcome: second <= first + handleLimit ? 'holds' : 'fails',
    figures: `${figure(first)} in the first half after warming up, ${figure(second)} in the second (at rest); ${figure(most)} at the most`,
  };
}

/** The medians of the two halves after warming up. */
function halves(
  points: readonly Point[],
  seconds: number,
): { readonly first: number; readonly second: number } {
  const middle = (warmUpOf(seconds) + seconds) / 2;
  const of = (isSecond: boolean): number =>
    median(points.filter((point) => point.seconds >= middle === isSecond).map(({ value }) => value));
  return { first: of(false), second: of(true) };
}

function pointsOf(samples: readonly Sample[], read: (sample: Sample) => number): readonly Point[] {
  return samples.map((sample) => ({ seconds: sample.seconds, value: read(sample) }));
}

function some(lines: readonly string[]): string {
  const shown = lines.slice(0, 3).join('; ');
  return lines.length > 3 ? `${shown}; and ${figure(lines.length - 3)} more` : shown;
}

function mebibytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(1);
}

function figure(value: number): string {
  return value.toLocaleString('en');
}
