import { leases, testAbsent, type JsonPatch, type Lease } from '@holdfast/core';
import type { Logger } from 'pino';
import { isAlreadyExists } from '../client/api-error.ts';
import type { ApiClient } from '../client/api-client.ts';
import { find } from '../client/find.ts';
import { guardedWrite } from '../client/guarded-write.ts';
import type { Clock } from '../time/clock.ts';
import { unlessAborted } from '../time/unless-aborted.ts';
import { microTime } from '../time/micro-time.ts';

export interface CandidateOptions {
  readonly client: ApiClient;
  readonly namespace: string;
  /** Name of the Lease. */
  readonly name: string;
  /** Names this candidate; no two candidates may share an identity. */
  readonly identity: string;
  /** A lease that was not seen to change for this long may be taken over. Milliseconds; whole seconds are written. */
  readonly leaseDuration: number;
  readonly clock: Clock;
  /** Wall clock for the times in the Lease, which people read and no decision rests on. */
  readonly now?: () => Date;
  readonly logger: Logger;
}

/** The API server takes no more than an int32: a lease that has come there, by whatever hand, must not be refused for ever. */
const mostTransitions = 2 ** 31 - 1;

/** A shutdown does not wait longer than this for the lease to be released, milliseconds. */
const releaseLimit = 5_000;

/** What came of a try to take or renew a lease. */
export type Take =
  | { readonly kind: 'ours' }
  /** `holder` holds it, or held it when it was deleted, and might act still. */
  | { readonly kind: 'held'; readonly holder: string }
  /** Another wrote it between our read and our write. */
  | { readonly kind: 'contended' };

/** One of those who compete for a lease. */
export interface Candidate {
  /**
   * Takes or renews the lease.
   *
   * @throws what the client throws.
   */
  take(signal: AbortSignal): Promise<Take>;
  /**
   * Milliseconds until another's lease may be taken over; 0 when it may be, or nothing is known of it. Whoever held a lease that was deleted
   * might not know yet, and is waited for likewise, but for no longer than our own duration: deleting it is also how people free a lease
   * that a dead holder has asked years for.
   */
  remaining(): number;
  /** Releases the lease if it is ours, even when the answer that made it ours was lost. Never rejects. */
  release(): Promise<void>;
}

export function createCandidate(options: CandidateOptions): Candidate {
  const { client, namespace, name, identity, leaseDuration, clock, now = () => new Date(), logger } = options;
  const ref = { namespace, name };
  const seconds = Math.ceil(leaseDuration / 1000);
  /** The lease as its holder left it last, and when that was first seen, on our clock. */
  let observed: Observed | undefined;

  /** By its spec alone, as in client-go: a label that others change again and again is no sign of life of the holder. */
  const observe = (lease: Lease, at: number): void => {
    const { spec } = lease;
    const state = JSON.stringify([lease.metadata.uid, spec]);
    if (observed?.state === state) {
      observed = { ...observed, isDeleted: false };
      return;
    }
    // Of a duration that is none ours counts: reckoned with, it would be over at once.
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

  const replace = (lease: Lease, spec: Lease['spec'], signal?: AbortSignal): Promise<Lease> => {
    const patch: JsonPatch = [
      { op: 'test', path: '/metadata/uid', value: lease.metadata.uid },
      lease.spec === undefined ? testAbsent('/spec') : { op: 'test', path: '/spec', value: lease.spec },
      { op: 'add', path: '/spec', value: spec },
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
    const object = { metadata: { name, namespace }, spec: specOf(undefined, identity, seconds) };
    const asked = clock.now();
    try {
      observe(await client.create(leases, namespace, object, { signal, outlivesTenure: true }), asked);
      return { kind: 'ours' };
    } catch (error) {
      if (isAlreadyExists(error)) {
        return { kind: 'contended' };
      }
      throw error;
    }
  };

  const take = async (signal: AbortSignal): Promise<Take> => {
    const lease = await find(client, leases, ref, { signal });
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
    const written = await guardedWrite(
      () => replace(lease, specOf(lease, identity, seconds), signal),
      // Led by a lease that admission has left to another, there would be two.
      ({ spec }) => spec?.holderIdentity === identity,
    );
    switch (written.kind) {
      case 'written':
        observe(written.object, asked);
        return { kind: 'ours' };
      case 'gone':
      case 'outdated':
        return { kind: 'contended' };
      case 'failed':
        throw written.error;
    }
  };

  const releaseWithin = async (signal: AbortSignal): Promise<void> => {
    // Not what was seen last: the answer to our own last renewal may have been lost.
    const lease = await find(client, leases, ref, { signal });
    if (lease?.spec?.holderIdentity === identity) {
      // A second is the shortest duration that the API server accepts; without a holder it has no meaning.
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

  return { take, remaining, release };
}

/** What a candidate knows of a lease. */
interface Observed {
  /** UID and spec. */
  readonly state: string;
  readonly at: number;
  /** Empty: nobody. */
  readonly holder: string;
  /** Milliseconds. */
  readonly duration: number;
  readonly isDeleted: boolean;
}

/** Each renewal must differ from the one before, or it is none to those who watch; a wall clock can stand still. */
function differingFrom(before: string | undefined, time: string): string {
  return before === time ? time.replace(/000Z$/, '001Z') : time;
}
