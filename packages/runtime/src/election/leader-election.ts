import type { HeldTenure } from '../client/tenure.ts';
import { slept } from '../time/clock.ts';
import { unlessAborted } from '../time/unless-aborted.ts';
import { legible } from '../logging/legible.ts';
import { quoted } from '../logging/quoted.ts';
import { createCandidate, type CandidateOptions, type Take } from './candidate.ts';
import type { LeaderElectionMetrics } from './leader-election-metrics.ts';

/** A candidate and its lease. */
export interface LeaderElectionOptions extends CandidateOptions {
  /** The leader that could not renew for this long is leader no more. Milliseconds, below leaseDuration. */
  readonly renewDeadline: number;
  /** Between two tries. Milliseconds. */
  readonly retryPeriod: number;
  readonly random?: () => number;
  readonly metrics: LeaderElectionMetrics;
  /** Ends when the lease does, also where no timer could say so yet. Default: none. */
  readonly tenure?: HeldTenure;
}

/** How a term ended: the lease was released, or could not be kept. */
export type TermEnd = 'released' | 'lost' | 'never led';

/**
 * Waits until this candidate holds the lease, then leads: `lead` runs until it resolves, and must end at once when its
 * signal is aborted because the lease was lost. Aborting `signal` ends the wait; a leader decides itself when it has
 * finished, and the lease is then released, so that another takes over without waiting.
 *
 * client-go's algorithm, see `tools/leaderelection`.
 *
 * # Guarantees
 * There are never two leaders at once, unless a leader's clock runs slower than a follower's by more than leaseDuration -
 * renewDeadline. A follower judges by how long it has seen the lease unchanged, on its own clock: times written by others are never
 * compared with ours.
 *
 * Where somebody deletes the lease, or gives it to another by hand, there might be two, for as long as a leader takes to find out: a candidate waits
 * for the holder that it has seen, and a leader that finds another in its place is leader no more at that moment, a retry period later at
 * the latest while the API server answers. client-go's candidate takes a deleted lease at once, and its leader goes on until its renew deadline.
 *
 * Nothing that asks the tenure acts after the renew deadline, not even in a process that was stopped and goes on.
 *
 * The loss is judged by the clock alone: a request that hangs, and heeds no signal, ends neither the leader's watch over its lease nor a
 * candidate's wait (H2).
 */
export async function runLeaderElection(
  options: LeaderElectionOptions,
  lead: (lost: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<TermEnd> {
  const { clock, retryPeriod, renewDeadline, random = Math.random, logger, metrics, tenure } = options;
  const candidate = createCandidate(options);

  let lastError: unknown;
  let lastHolder: string | undefined;
  /** Ends when the limit is aborted, whatever the client does. */
  const attempt = async (limit: AbortSignal): Promise<Take['kind'] | 'failed'> => {
    try {
      const take = await unlessAborted(candidate.take(limit), limit);
      lastError = reasonAgainst(take);
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
  // A success that arrives later than the renew deadline does not count: another may lead by now.
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

  const extend = (renewed: number): void =>
    tenure?.extend(renewed + renewDeadline, () => {
      if (!finished.signal.aborted) {
        lose(foundByAWrite(clock.now() - renewed, renewDeadline, lastError));
      }
    });

  const renew = async (): Promise<void> => {
    let renewed = acquired;
    extend(renewed);
    // A try that hung on a dead connection has taken its time: the next one is due at once, or it would come too late.
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
          // Beyond client-go, which goes on until the renew deadline: whoever holds it now acts by right.
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

/** Why a try has not taken the lease; undefined: it has. */
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
