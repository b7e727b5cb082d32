import { floors, median, trendOf, type Point } from '../trend.ts';
import type { Finding } from '../verdict.ts';
import type { AuditedWrites } from './audit-log.ts';
import type { Footprint, ProcessLife } from './replica.ts';
import { judgeActs, longestGap, tenuresOf, type Tenure } from './tenure.ts';

/** Everything that a run in a hostile world has shown. */
export interface HostileRun {
  /** When the replicas were started, milliseconds since 1970. The seconds below count from then. */
  readonly beganAt: number;
  /** The duration of the churn. */
  readonly seconds: number;
  readonly apps: readonly {
    readonly name: string;
    readonly lease: string;
    readonly replicas: readonly string[];
  }[];
  /** The number of changes by the soak that took effect. */
  readonly changes: number;
  /** How often each kind of fault was played. */
  readonly faults: Readonly<Record<string, number>>;
  /** The kinds of faults that were planned; each must have been played. */
  readonly planned: readonly string[];
  readonly writes: AuditedWrites;
  readonly lives: readonly ProcessLife[];
  /** What the writer saw the apps do wrong. */
  readonly accusations: readonly string[];
  readonly unfinished: readonly string[];
  readonly strayLines: readonly string[];
  /** How often each replica logged each message of level error. It is reported, but not judged. */
  readonly errors: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** How each replica ended on SIGTERM, unless it was just being restarted. */
  readonly exits: readonly string[];
}

/** Seconds that are not judged: V8 compiles, caches fill, and so do the bounded memories of Events. */
const warmUp = 5 * 60;
/**
 * The width of a window, in seconds, of which only the lowest value counts. What a burst of requests takes is
 * given back within it, and its connections once they were idle for a minute.
 */
const floorWidth = 90;
/** Fewer windows than this are not enough to judge growth. */
const leastWindows = 6;
/**
 * A process must lead, or stand by, for this many seconds without a break to be judged for growth. Leaders
 * and standbys are judged separately, because a leader has more connections and more objects in memory.
 */
const leastStretch = warmUp + leastWindows * floorWidth;
/**
 * The last quarter of a stretch may exceed the first one after warming up by this share of it, or by this
 * many bytes, whichever is more.
 */
const growthShare = 0.1;
const growthBytes = 8 * 2 ** 20;
/** Allows for sockets that are just being reopened. */
const descriptorLimit = 3;
/**
 * The longest time without a leader, in milliseconds: a lease that expires (15 s), the longest fault that can
 * keep the other replica from taking it at once (25 s), and some time for the retries in between.
 */
const gapLimit = 60_000;

/** Judges everything that is required of leaders and standbys in a hostile world. */
export function judgeHostile(run: HostileRun): readonly Finding[] {
  return [
    faultsPlayed(run),
    ...run.apps.map((app) => leadership(run, app)),
    processEnds(run),
    ...footprintFindings(run),
    simple('safety', run.accusations, 'nothing went wrong on the way'),
    simple('work done', run.unfinished, 'nothing was left to do in the end'),
    simple('listeners', run.strayLines, 'no warning of Node on standard error'),
    simple(
      'shutdown',
      run.exits.filter((how) => how !== 'exit code 0'),
      `exit code 0 on SIGTERM, ${String(run.exits.length)} times`,
    ),
  ];
}

function faultsPlayed({ faults, planned, changes, seconds, writes }: HostileRun): Finding {
  const missing = planned.filter((kind) => (faults[kind] ?? 0) === 0);
  const told = Object.entries(faults).map(([kind, times]) => `${kind} ${String(times)}`);
  return {
    about: 'hostility',
    outcome: missing.length === 0 && changes > 0 ? 'holds' : 'fails',
    figures: [
      `${String(changes)} changes in ${String(Math.round(seconds))} s, ${String(writes.acts.length)} writes of the apps, ${String(writes.eventsRecorded)} of Events`,
      `faults: ${told.join(', ')}`,
      ...(missing.length === 0 ? [] : [`never played: ${missing.join(', ')}`]),
    ].join('; '),
  };
}

/** Checks that at most one replica acts at any time, and that there is one. */
function leadership(run: HostileRun, app: HostileRun['apps'][number]): Finding {
  const { tenures, stolen } = tenuresOf(run.writes.leases.get(app.lease) ?? []);
  const own = run.writes.acts.filter(({ replica }) => app.replicas.includes(replica));
  const { acts, unlawful, late } = judgeActs(own, tenures);
  const gap = longestGap(tenures);
  const changes = tenures.filter(
    ({ replica }, index) => index > 0 && tenures[index - 1]?.replica !== replica,
  );
  const wrong = [
    ...stolen,
    ...unlawful,
    ...(tenures.length === 0 ? ['nobody ever led'] : []),
    ...(acts === 0 ? ['nobody ever wrote anything'] : []),
    ...(gap > gapLimit ? [`nobody led for ${seconds(gap)} s, limit ${seconds(gapLimit)}`] : []),
  ];
  return {
    about: `exactly one ${app.name} acts`,
    outcome: wrong.length === 0 ? 'holds' : 'fails',
    figures: [
      ...(wrong.length === 0 ? [] : [some(wrong)]),
      `${String(acts)} writes, ${String(unlawful.length)} out of tenure`,
      `${String(late.length)} sent in time and held up on the way${late.length === 0 ? '' : ` (${some(late)})`}`,
      `${String(tenures.length)} tenures, ${String(changes.length)} changes of replica`,
      `at the most ${seconds(gap)} s without a leader`,
    ].join('; '),
  };
}

/** The loss of its lease is the only reason for which a process may end by itself, and then it has to. */
function processEnds({ lives }: HostileRun): Finding {
  const ended = lives.flatMap(({ replica, end }) => (end === undefined ? [] : [{ replica, ...end }]));
  const lost = ended.filter(({ hadLostLease, how }) => hadLostLease && how === 'exit code 1');
  const others = ended.filter((end) => !lost.includes(end) && end.how !== 'exit code 0');
  return {
    about: 'process ends',
    outcome: others.length === 0 ? 'holds' : 'fails',
    figures: [
      `${String(lost.length)} left because the lease was lost`,
      ...(others.length === 0
        ? []
        : [
            some(others.map(({ replica, how, lastLines }) => `${replica}: ${how}: ${lastLines.slice(-300)}`)),
          ]),
    ].join('; '),
  };
}

interface Stretch {
  readonly app: string;
  readonly replica: string;
  readonly role: 'leader' | 'standby';
  readonly footprints: readonly Footprint[];
}

/** Splits the life of a process into parts in which it led, or stood by, throughout. */
function stretchesOf(
  { replica, footprints: all }: ProcessLife,
  app: string,
  tenures: readonly Tenure[],
  beganAt: number,
): readonly Stretch[] {
  const stretches: { readonly role: Stretch['role']; readonly footprints: Footprint[] }[] = [];
  for (const footprint of all) {
    const at = beganAt + footprint.seconds * 1000;
    const leads = tenures.some(
      (tenure) => tenure.replica === replica && tenure.from <= at && at <= tenure.until,
    );
    const role = leads ? 'leader' : 'standby';
    const last = stretches.at(-1);
    if (last?.role === role) {
      last.footprints.push(footprint);
    } else {
      stretches.push({ role, footprints: [footprint] });
    }
  }
  return stretches.map((stretch) => ({ app, replica, ...stretch }));
}

function footprintFindings({ lives, apps, writes, beganAt }: HostileRun): readonly Finding[] {
  const judged = apps
    .flatMap(({ name, lease, replicas }) => {
      const { tenures } = tenuresOf(writes.leases.get(lease) ?? []);
      return lives
        .filter(({ replica }) => replicas.includes(replica))
        .flatMap((life) => stretchesOf(life, name, tenures, beganAt));
    })
    .filter(({ footprints }) => lengthOf(footprints) >= leastStretch);
  const unjudged = apps.flatMap(({ name }) =>
    (['leader', 'standby'] as const)
      .filter((role) => !judged.some((stretch) => stretch.app === name && stretch.role === role))
      .map((role) => `no ${role} of ${name} for ${String(leastStretch / 60)} minutes without a break`),
  );
  return (
    [
      {
        about: 'resident memory',
        read: ({ residentBytes }: Footprint) => residentBytes,
        later: median,
        limit: (first: number) => Math.max(first * growthShare, growthBytes),
        shown: (value: number) => `${(value / 2 ** 20).toFixed(1)} MiB`,
      },
      {
        about: 'descriptors',
        read: ({ descriptors }: Footprint) => descriptors,
        // A series of storms keeps connections in use for minutes. A leak is visible even at the quietest
        // moment, which then exceeds the usual value. The quietest moment of the first quarter is no measure,
        // because all connections might just have been cut.
        later: (values: readonly number[]) => Math.min(...values),
        limit: () => descriptorLimit,
        shown: (value: number) => value.toFixed(0),
      },
    ] as const
  ).map(({ about, read, later, limit, shown }) => {
    const results = judged
      .map(({ replica, role, footprints }) => {
        const points = floorsAfterWarmUp(footprints, read);
        const { first, last } = quarters(
          points.map(({ value }) => value),
          later,
        );
        const perHour = (trendOf(points)?.slope ?? NaN) * 3600;
        const minutes = String(Math.round(lengthOf(footprints) / 60));
        return {
          growth: last - first,
          isFlat: last - first <= limit(first),
          figures: `${replica}, ${role} for ${minutes} min: ${shown(first)} to ${shown(last)} (${perHour < 0 ? '' : '+'}${shown(perHour)} an hour)`,
        };
      })
      .toSorted((a, b) => b.growth - a.growth);
    const growing = results.filter(({ isFlat }) => !isFlat);
    return {
      about,
      outcome: growing.length > 0 ? 'fails' : unjudged.length > 0 ? 'undecided' : 'holds',
      figures: [
        `${String(results.length)} stretches, ${String(growing.length)} grow`,
        ...(growing.length > 0 ? growing : results.slice(0, 3)).map(({ figures }) => figures),
        ...unjudged,
      ].join('; '),
    };
  });
}

function lengthOf(footprints: readonly Footprint[]): number {
  return (footprints.at(-1)?.seconds ?? 0) - (footprints[0]?.seconds ?? 0);
}

function floorsAfterWarmUp(
  footprints: readonly Footprint[],
  read: (footprint: Footprint) => number,
): readonly Point[] {
  const from = (footprints[0]?.seconds ?? 0) + warmUp;
  const steady = footprints.filter(({ seconds: at }) => at >= from);
  return floors(
    steady.map((footprint) => ({ seconds: footprint.seconds, value: read(footprint) })),
    floorWidth,
  );
}

/** Returns the usual value of the first quarter, and what `later` makes of the last quarter. */
function quarters(
  values: readonly number[],
  later: (values: readonly number[]) => number,
): { readonly first: number; readonly last: number } {
  const quarter = Math.ceil(values.length / 4);
  return { first: median(values.slice(0, quarter)), last: later(values.slice(-quarter)) };
}

function simple(about: string, wrong: readonly string[], fine: string): Finding {
  return wrong.length === 0
    ? { about, outcome: 'holds', figures: fine }
    : { about, outcome: 'fails', figures: some(wrong) };
}

function some(lines: readonly string[]): string {
  const shown = lines.slice(0, 5).join('; ');
  return lines.length > 5 ? `${shown}; and ${String(lines.length - 5)} more` : shown;
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(1);
}
