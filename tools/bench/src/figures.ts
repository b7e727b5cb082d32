/** What one round of one contestant took. */
export interface Figures {
  /** From the start of the process, or from what set the work off, to the end of the work. */
  readonly wallSeconds: number;
  /** From the same moment until the first object was done. */
  readonly firstSeconds: number;
  /** The longest that an object waited which came during the round; undefined: all were there before. */
  readonly slowestSeconds: number | undefined;
  /** User and system time of the process. */
  readonly cpuSeconds: number;
  /** The largest resident set that the process ever had. */
  readonly peakResidentBytes: number;
  /** What the work cost kube-apiserver. */
  readonly apiServerCpuSeconds: number;
  /** What the API server answered to the contestant, its watches aside; undefined: not counted. */
  readonly requests: number | undefined;
  /** What watching it cost the bench itself. */
  readonly benchCpuSeconds: number;
  /** All other CPU time of the machine: etcd, and whatever disturbed the race. */
  readonly elsewhereCpuSeconds: number;
}

export type Contestant = 'holdfast' | 'upstream';

export type Outcome =
  | { readonly kind: 'finished'; readonly figures: Figures }
  /** Why, with the end of the contestant's log. */
  | { readonly kind: 'failed'; readonly reason: string };

/** Round 0 warms up and does not count. */
export type Result = Outcome & { readonly round: number; readonly contestant: Contestant };

export function isCounted({ round }: Pick<Result, 'round'>): boolean {
  return round > 0;
}

export function inSeconds(seconds: number): string {
  return `${seconds.toFixed(2)} s`;
}

export function inMilliseconds(seconds: number): string {
  return `${(seconds * 1000).toFixed(0)} ms`;
}

export function inMebibytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}
