/** What one round of one contestant took. */
export interface Figures {
  /** From the start of the process, or from what started the work, to the end of the work. */
  readonly wallSeconds: number;
  /** From the same moment until the first object was done. */
  readonly firstSeconds: number;
  /**
   * The longest time that an object had to wait which arrived during the round; undefined if all existed
   * before.
   */
  readonly slowestSeconds: number | undefined;
  /** User and system time of the process. */
  readonly cpuSeconds: number;
  /** The largest resident set of the process so far. */
  readonly peakResidentBytes: number;
  /** The CPU time that the work cost kube-apiserver. */
  readonly apiServerCpuSeconds: number;
  /**
   * The number of requests that the API server answered to the contestant, without watches; undefined if not
   * counted.
   */
  readonly requests: number | undefined;
  /** The CPU time that the bench itself spent on watching. */
  readonly benchCpuSeconds: number;
  /** All other CPU time of the machine: etcd, and anything that disturbed the race. */
  readonly elsewhereCpuSeconds: number;
}

export type Contestant = 'holdfast' | 'upstream';

export type Outcome =
  | { readonly kind: 'finished'; readonly figures: Figures }
  /** The reason, with the end of the contestant's log. */
  | { readonly kind: 'failed'; readonly reason: string };

/** Round 0 is for warming up and does not count. */
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
