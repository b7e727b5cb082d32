import { leases, testAbsent, type JsonPatch, type Lease } from '@holdfast/core';
import type { Logger } from 'pino';
import { isAlreadyExists } from '../client/api-error.ts';
import { askedTogether } from '../client/asked-together.ts';
import type { ApiClient } from '../client/api-client.ts';
import { find } from '../client/find.ts';
import { guardedWrite } from '../client/guarded-write.ts';
import type { Clock } from '../time/clock.ts';
import { unlessAborted } from '../time/unless-aborted.ts';
import { microTime } from '../time/micro-time.ts';
import { createLeaseHistory, type SignOfRestore } from './lease-history.ts';
import { annotate, ledAgainAt, ledAgainOf, wasVacantForLong, type WallTimes } from './vacancy.ts';

export interface CandidateOptions {
  readonly client: ApiClient;
  readonly namespace: string;
  /** Name of the Lease. */
  readonly name: string;
  /** Identifies this candidate; no two candidates may share an identity. */
  readonly identity: string;
  /**
   * Another candidate can take over a lease that it has not seen change for this long. In milliseconds;
   * written to the Lease in whole seconds.
   */
  readonly leaseDuration: number;
  readonly clock: Clock;
  /**
   * Wall clock for the times in the Lease, which people read. Of what this candidate does, only
   * {@link Take.ledAgain} depends on it.
   */
  readonly now?: () => Date;
  /**
   * What is recorded on the Lease beside its spec. Default: nobody notices whether it was held before, nor whether it
   * was restored from a backup, as in a dry run, in which the Lease is never stored.
   */
  readonly annotations?: LeaseAnnotations;
  /**
   * Called when the lease shows that the API server's data were restored from a backup: at once, and if it shows that
   * several times within half a minute, once more at the end of it. Default: not called.
   */
  readonly onRestored?: () => void;
  readonly logger: Logger;
}

/** The names of the annotations of a Lease. */
export interface LeaseAnnotations {
  /** Says since when it is held again. */
  readonly ledAgain: string;
  /** Says when its holder last found that it was restored. */
  readonly restored: string;
}

/**
 * The API server accepts at most an int32. A lease that has reached it, for whatever reason, must not be
 * refused forever.
 */
const mostTransitions = 2 ** 31 - 1;

/** A shutdown waits at most this long for the release of the lease, in milliseconds. */
const releaseLimit = 5_000;

/**
 * A candidate that has found a restore is told of the same by the holder of the lease, in milliseconds at the most
 * after that: the holder writes every few seconds.
 */
const sameRestore = 60_000;

/**
 * The least time between two calls of {@link CandidateOptions.onRestored}, in milliseconds. Something that deletes the
 * lease again and again, or a proxy that answers with an old one, must not have everything listed every few seconds.
 */
const leastBetweenNotices = 30_000;

/** How many states are remembered: more than there are tries within a renew deadline. */
const mostWritten = 64;

/** The result of a try to take or renew a lease. */
export type Take =
  | {
      readonly kind: 'ours';
      /**
       * When it was last held again after nobody had renewed it for more than five minutes, in milliseconds since
       * 1970; undefined if that is not known to have happened.
       */
      readonly ledAgain: number | undefined;
    }
  /** `holder` holds it, or held it when it was deleted, and might still act. */
  | { readonly kind: 'held'; readonly holder: string }
  /** Another candidate wrote it between our read and our write. */
  | { readonly kind: 'contended' };

/** One of the processes that compete for a lease. */
export interface Candidate {
  /**
   * Tries to take or renew the lease.
   *
   * @throws what the client throws.
   */
  take(signal: AbortSignal): Promise<Take>;
  /**
   * Returns the milliseconds until another's lease can be taken over; 0 if it can be now, or nothing is known
   * about it.
   *
   * The holder of a deleted lease might not know about the deletion yet, so the candidate waits for it
   * likewise, but for no longer than its own duration: people also delete a lease to free it from a dead
   * holder that asked for years.
   */
  remaining(): number;
  /**
   * Returns {@link Take.ledAgain} by the lease as the API server has it now, and now if that is not ours any more.
   *
   * @throws what the client throws.
   */
  askLedAgain(signal: AbortSignal): Promise<number | undefined>;
  /** Releases the lease if it is ours, even if the response that made it ours was lost. Never rejects. */
  release(): Promise<void>;
}

export function createCandidate(options: CandidateOptions): Candidate {
  const { client, namespace, name, identity, leaseDuration, clock, now = () => new Date(), logger } = options;
  const { annotations, onRestored = () => undefined } = options;
  const ref = { namespace, name };
  const seconds = Math.ceil(leaseDuration / 1000);
  /** The lease as its holder last left it, and when we first saw that, on our clock. */
  let observed: Observed | undefined;
  /**
   * What the clocks said when this candidate wrote the lease in these states, the newest first. An older one is what a
   * read shows that overtakes the write, or comes after writes that failed.
   */
  let written: readonly (WallTimes & { readonly state: string })[] = [];
  const history = createLeaseHistory(annotations && [annotations.restored, annotations.ledAgain]);
  /** When it was found that the lease was restored, until the other candidates have been told of it. */
  let untold: string | undefined;
  /** When this candidate last found it, on our clock, until its holder has told of the same. */
  let found = -Infinity;
  /** What has shown it since {@link CandidateOptions.onRestored} was last called. */
  let news: SignOfRestore | undefined;
  /** When that was called, on our clock. */
  let noticed = -Infinity;

  /**
   * Compares only the spec, as client-go does: a label that others keep changing is no sign of life of the
   * holder.
   */
  const observe = (lease: Lease, at: number): void => {
    const { spec } = lease;
    const state = stateOf(lease.metadata, spec);
    if (observed?.state === state) {
      observed = { ...observed, isDeleted: false };
      return;
    }
    // If the duration is invalid, ours is used; otherwise the lease would expire at once.
    const given = spec?.leaseDurationSeconds;
    const duration = (Number.isInteger(given) && Number(given) > 0 ? Number(given) : seconds) * 1000;
    observed = { state, at, holder: spec?.holderIdentity ?? '', duration, isDeleted: false };
  };

  const observeDeletion = (): void => {
    observed &&= { ...observed, isDeleted: true };
  };

  const specOf = (current: Lease | undefined, holder: string, seconds: number): Lease['spec'] => {
    const mine = current?.spec?.holderIdentity === holder;
    const time = differingFrom(current?.spec?.renewTime, microTime(now()));
    const transitions = current?.spec?.leaseTransitions;
    return {
      holderIdentity: holder,
      leaseDurationSeconds: seconds,
      acquireTime: (mine ? current.spec.acquireTime : undefined) ?? time,
      renewTime: time,
      leaseTransitions: Math.min(
        (typeof transitions === 'number' ? transitions : 0) + (mine || current === undefined ? 0 : 1),
        mostTransitions,
      ),
    };
  };

  /** Must be called before the lease is sent: its answer might be lost, or another read might come before it. */
  const noteWritten = ({ metadata }: Lease, spec: Lease['spec'], at: WallTimes): void => {
    const state = stateOf(metadata, spec);
    written = [{ ...at, state }, ...written.filter((own) => own.state !== state)].slice(0, mostWritten);
  };

  const observeOwn = (lease: Lease, asked: number, at: WallTimes): void => {
    observe(lease, asked);
    noteWritten(lease, lease.spec, at);
    history.wrote(lease);
  };

  /**
   * Another restore might have been found while what was told before was on its way. Whether the annotation is on the
   * lease does not matter: admission that takes it off would make the hour begin anew with each renewal.
   */
  const noteTold = (told: string | undefined): void => {
    untold = untold === told ? undefined : untold;
  };

  /** Reads the lease, and finds out whether it was restored since what was known of it before. */
  const read = async (signal?: AbortSignal): Promise<Lease | undefined> => {
    const judge = history.read();
    const lease = await find(client, leases, ref, signal === undefined ? {} : { signal });
    const sign = judge(lease);
    if (sign === 'found') {
      untold = now().toISOString();
      found = clock.now();
      news = sign;
    } else if (sign === 'told') {
      untold = undefined;
      news ??= clock.now() - found < sameRestore ? undefined : sign;
      found = -Infinity;
    }
    if (news !== undefined && clock.now() - noticed >= leastBetweenNotices) {
      const text = 'Lease shows that etcd was perhaps restored from a backup; everything is listed again';
      logger.warn({ lease: name, sign: news }, text);
      news = undefined;
      noticed = clock.now();
      onRestored();
    }
    return lease;
  };

  /** What this candidate records on the lease with its next write. */
  const toRecord = (ledAgain: number | undefined): Readonly<Record<string, string>> =>
    annotations === undefined
      ? {}
      : {
          ...(ledAgain === undefined ? {} : { [annotations.ledAgain]: new Date(ledAgain).toISOString() }),
          ...(untold === undefined ? {} : { [annotations.restored]: untold }),
        };

  const wasVacant = (lease: Lease, at: WallTimes): boolean => {
    const state = stateOf(lease.metadata, lease.spec);
    return (
      annotations !== undefined &&
      wasVacantForLong(
        lease,
        at,
        written.find((own) => own.state === state),
      )
    );
  };

  const ledAgainBy = (lease: Lease): number | undefined =>
    annotations === undefined ? undefined : ledAgainOf(lease, annotations.ledAgain);

  const times = (): WallTimes => ({ now: now().getTime(), serverNow: client.serverTime()?.getTime() });

  const replace = (
    lease: Lease,
    spec: Lease['spec'],
    signal?: AbortSignal,
    more: JsonPatch = [],
  ): Promise<Lease> => {
    const patch: JsonPatch = [
      { op: 'test', path: '/metadata/uid', value: lease.metadata.uid },
      lease.spec === undefined ? testAbsent('/spec') : { op: 'test', path: '/spec', value: lease.spec },
      { op: 'add', path: '/spec', value: spec },
      ...more,
    ];
    return client.patch(leases, ref, patch, {
      outlivesTenure: true,
      ...(signal === undefined ? {} : { signal }),
    });
  };

  const remaining = (): number => {
    if (observed === undefined || observed.holder === '' || observed.holder === identity) {
      return 0;
    }
    const { at, duration, isDeleted } = observed;
    return Math.max(0, at + (isDeleted ? Math.min(duration, leaseDuration) : duration) - clock.now());
  };

  const create = async (signal: AbortSignal): Promise<Take> => {
    const at = times();
    // A lease that was there is gone: somebody has deleted it, or etcd was restored from a backup that lacks it.
    const telling = untold;
    const record = toRecord(observed === undefined ? undefined : ledAgainAt(at));
    const object = {
      metadata: { name, namespace, ...(Object.keys(record).length === 0 ? {} : { annotations: record }) },
      spec: specOf(undefined, identity, seconds),
    };
    const asked = clock.now();
    try {
      const created = await client.create(leases, namespace, object, { signal, outlivesTenure: true });
      observeOwn(created, asked, at);
      noteTold(telling);
      return { kind: 'ours', ledAgain: ledAgainBy(created) };
    } catch (error) {
      if (isAlreadyExists(error)) {
        return { kind: 'contended' };
      }
      throw error;
    }
  };

  const take = async (signal: AbortSignal): Promise<Take> => {
    const lease = await read(signal);
    if (lease === undefined) {
      observeDeletion();
    } else {
      observe(lease, clock.now());
    }
    if (remaining() > 0) {
      return { kind: 'held', holder: observed?.holder ?? '' };
    }
    if (lease === undefined) {
      return create(signal);
    }
    const asked = clock.now();
    const at = times();
    const telling = untold;
    const isAgain = wasVacant(lease, at) || telling !== undefined;
    const spec = specOf(lease, identity, seconds);
    noteWritten(lease, spec, at);
    const outcome = await guardedWrite(
      () => replace(lease, spec, signal, annotate(lease, toRecord(isAgain ? ledAgainAt(at) : undefined))),
      // If admission left the lease to another candidate, there would otherwise be two leaders.
      ({ spec }) => spec?.holderIdentity === identity,
    );
    switch (outcome.kind) {
      case 'written':
        observeOwn(outcome.object, asked, at);
        noteTold(telling);
        if (isAgain) {
          logger.warn(
            { lease: name, lastRenewed: lease.spec?.renewTime },
            'Nobody led for long, or etcd was restored from a backup',
          );
        }
        return { kind: 'ours', ledAgain: ledAgainBy(outcome.object) };
      case 'gone':
      case 'outdated':
        return { kind: 'contended' };
      case 'failed':
        throw outcome.error;
    }
  };

  // Shared, because any number of workers can ask at once, and they must not delay the renewal of the lease.
  const askTogether = askedTogether(async (): Promise<number | undefined> => {
    const lease = await read();
    const at = times();
    return lease?.spec?.holderIdentity === identity && !wasVacant(lease, at) && untold === undefined
      ? ledAgainBy(lease)
      : ledAgainAt(at);
  });

  const askLedAgain = async (signal: AbortSignal): Promise<number | undefined> =>
    annotations === undefined ? undefined : unlessAborted(askTogether(), signal);

  const releaseWithin = async (signal: AbortSignal): Promise<void> => {
    // The lease is read again, since the response to our own last renewal might have been lost.
    const lease = await find(client, leases, ref, { signal });
    if (lease?.spec?.holderIdentity === identity) {
      // One second is the shortest duration that the API server accepts; without a holder it has no meaning.
      await replace(lease, { ...lease.spec, holderIdentity: '', leaseDurationSeconds: 1 }, signal);
      logger.info({ lease: name, identity }, 'Released the lease');
    }
  };

  const release = async (): Promise<void> => {
    const limit = new AbortController();
    const timer = clock.after(releaseLimit, () =>
      limit.abort(new Error('the API server did not answer in time')),
    );
    try {
      await unlessAborted(releaseWithin(limit.signal), limit.signal);
    } catch (error) {
      logger.warn({ err: error, lease: name }, 'Lease could not be released');
    } finally {
      timer.cancel();
    }
  };

  return { take, remaining, askLedAgain, release };
}

function stateOf({ uid }: Lease['metadata'], spec: Lease['spec']): string {
  return JSON.stringify([uid, spec]);
}

/** What a candidate knows of a lease. */
interface Observed {
  /** UID and spec. */
  readonly state: string;
  readonly at: number;
  /** Empty if nobody holds it. */
  readonly holder: string;
  /** Milliseconds. */
  readonly duration: number;
  readonly isDeleted: boolean;
}

/**
 * Makes each renewal differ from the previous one, since others would not notice an equal one; a wall clock
 * can stand still.
 */
function differingFrom(before: string | undefined, time: string): string {
  return before === time ? time.replace(/000Z$/, '001Z') : time;
}
