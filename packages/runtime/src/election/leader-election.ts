import type { HeldTenure } from '../client/tenure.ts';
import { slept } from '../time/clock.ts';
import { unlessAborted } from '../time/unless-aborted.ts';
import { legible } from '../logging/legible.ts';
import { quoted } from '../logging/quoted.ts';
import { createCandidate, type CandidateOptions, type Take } from './candidate.ts';
import type { LeaderElectionMetrics } from './leader-election-metrics.ts';

/** A candidate and its lease. */
export interface LeaderElectionOptions extends CandidateOptions {
  /**
   * A leader that could not renew for this long is no longer the leader. In milliseconds; below
   * leaseDuration.
   */
  readonly renewDeadline: number;
  /** Time between two tries, in milliseconds. */
  readonly retryPeriod: number;
  readonly random?: () => number;
  readonly metrics: LeaderElectionMetrics;
  /** Ends when the lease does, even before a timer could report it. Default: none. */
  readonly tenure?: HeldTenure;
}

/** How a term ended: the lease was released, could not be kept, or was never taken. */
export type TermEnd = 'released' | 'lost' | 'never led';

/**
 * Waits until this candidate holds the lease, then leads. `lead` runs until it resolves, and must end at once
 * if its signal is aborted because the lease was lost. Aborting `signal` ends the wait. A leader itself
 * decides when it has finished; then the lease is released, so that another candidate takes over without
 * waiting.
 *
 * The algorithm is client-go's, see `tools/leaderelection`.
 *
 * # Guarantees
 * There are never two leaders at once, unless a leader's clock runs slower than a follower's by more than
 * leaseDuration - renewDeadline. A follower judges by how long it has seen the lease unchanged, on its own
 * clock; it never compares times written by others with its own.
 *
 * If somebody deletes the lease, or assigns it to another candidate by hand, there might be two leaders until
 * the first one notices. A candidate waits for the holder that it has seen. A leader that finds another
 * holder stops leading at that moment, which is at most one retry period later while the API server answers.
 * client-go's candidate takes a deleted lease at once, and its leader continues until its renew deadline.
 *
 * Whatever asks the tenure does not act after the renew deadline, even in a process that was stopped and
 * continues.
 *
 * The loss is judged by the clock alone: a request that hangs and ignores its signal stops neither the
 * leader's watch over its lease nor a candidate's wait (H2).
 */
export async function runLeaderElection(
  options: LeaderElectionOptions,
  lead: (lost: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<TermEnd> {
  const { clock, retryPeriod, renewDeadline, random = Math.random, logger, metrics, tenure } = options;
  const candidate = createCandidate(options);
  tenure?.askBy((asking) => candidate.askLedAgain(asking));

  let lastError: unknown;
  let lastHolder: string | undefined;
  /** Ends when the limit is aborted, whatever the client does. */
  const attempt = async (limit: AbortSignal): Promise<Take['kind'] | 'failed'> => {
    try {
      const take = await unlessAborted(candidate.take(limit), limit);
      lastError = reasonAgainst(take);
      if (take.kind === 'ours') {
        tenure?.leadsAgainSince(take.ledAgain);
      }
      if (take.kind === 'held' && take.holder !== lastHolder) {
        lastHolder = take.holder;
        logger.info({ lease: options.name, holder: legible(take.holder) }, 'Another holds the lease');
      }
      return take.kind;
    } catch (error) {
      if (!limit.aborted) {
        lastError = error;
        logger.warn({ err: error, lease: options.name }, 'Lease could not be taken or renewed');
      }
      return 'failed';
    }
  };

  const aborted = (): boolean => signal.aborted;
  let acquired = clock.now();
  // A success later than the renew deadline does not count, since another might lead by now.
  while ((await attempt(signal)) !== 'ours' || clock.now() - acquired >= renewDeadline) {
    // Beyond client-go: a candidate that knows when the lease runs out need not sleep longer than that.
    const left = candidate.remaining();
    const delay = retryPeriod * (1 + 1.2 * random());
    if (!(await slept(clock, left > 0 ? Math.min(left, delay) : delay, signal))) {
      await candidate.release();
      return 'never led';
    }
    acquired = clock.now();
  }
  if (aborted()) {
    await candidate.release();
    return 'never led';
  }

  const lost = new AbortController();
  const finished = new AbortController();
  metrics.leading(true);
  logger.info({ lease: options.name, identity: options.identity }, 'Became leader');

  const lose = (err: unknown): void => {
    if (lost.signal.aborted) {
      return;
    }
    metrics.leading(false);
    logger.error({ err, lease: options.name, identity: options.identity }, 'Lost the lease');
    lost.abort(new Error(`lease ${options.namespace}/${options.name} was lost`));
  };

  const extend = (renewed: number): void => {
    // A renewal that was under way when the work ended is followed by the release.
    if (finished.signal.aborted) {
      return;
    }
    tenure?.extend(renewed + renewDeadline, () => {
      if (!finished.signal.aborted) {
        lose(foundByAWrite(clock.now() - renewed, renewDeadline, lastError));
      }
    });
  };

  const renew = async (): Promise<void> => {
    let renewed = acquired;
    extend(renewed);
    // A try that hung on a dead connection has used up its time. The next one is due at once, or it would be
    // too late.
    let due = acquired + retryPeriod;
    const remaining = (): number => renewed + renewDeadline - clock.now();
    const untilDue = (): number => Math.max(0, Math.min(due - clock.now(), remaining()));
    while (await slept(clock, untilDue(), finished.signal)) {
      if (remaining() > 0) {
        const limit = new AbortController();
        const timer = clock.after(remaining(), () => limit.abort(new Error('renew deadline passed')));
        const started = clock.now();
        due = started + retryPeriod;
        const outcome = await attempt(limit.signal);
        timer.cancel();
        if (outcome === 'ours') {
          renewed = started;
          extend(renewed);
        } else if (outcome === 'held') {
          // Beyond client-go, which continues until the renew deadline: the current holder rightfully acts.
          lose(lastError);
          return;
        }
      }
      if (remaining() <= 0 || lost.signal.aborted) {
        lose(lastError ?? noAttemptEnded(renewDeadline));
        return;
      }
    }
  };

  const renewing = renew();
  try {
    await lead(lost.signal);
  } finally {
    finished.abort();
    tenure?.end();
    await renewing;
    metrics.leading(false);
    if (!lost.signal.aborted) {
      await candidate.release();
    }
  }
  return lost.signal.aborted ? 'lost' : 'released';
}

/** Returns why a try did not take the lease; undefined if it did. */
function reasonAgainst(take: Take): Error | undefined {
  switch (take.kind) {
    case 'ours':
      return undefined;
    case 'held':
      return new Error(`${quoted(take.holder)} holds it`);
    case 'contended':
      return new Error('another wrote it between our read and our write');
  }
}

function noAttemptEnded(renewDeadline: number): Error {
  return new Error(
    `no attempt to renew it has ended for ${String(renewDeadline)} ms: the API server, or what the credentials come from, does not answer, or this process was stopped`,
  );
}

function foundByAWrite(age: number, renewDeadline: number, cause: unknown): Error {
  return new Error(
    `a write was about to leave ${age.toFixed()} ms after the last renewal, and the renew deadline is ${String(renewDeadline)} ms: this process was stopped, or too busy to notice`,
    { cause },
  );
}
