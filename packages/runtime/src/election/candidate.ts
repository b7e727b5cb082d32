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

/** A shutdown does not wait longer than this for the lease to be released, milliseconds. */
const releaseLimit = 5_000;

/** One of those who compete for a lease. */
export interface Candidate {
  /** Takes or renews the lease; false while another holds it, or when it changed between our read and write. */
  take(signal: AbortSignal): Promise<boolean>;
  /** Milliseconds until another's lease may be taken over; 0 when it may be, or nothing is known of it. */
  remaining(): number;
  /** Releases the lease if it is ours, even when the answer that made it ours was lost. Never rejects. */
  release(): Promise<void>;
}

export function createCandidate(options: CandidateOptions): Candidate {
  const { client, namespace, name, identity, leaseDuration, clock, now = () => new Date(), logger } = options;
  const ref = { namespace, name };
  /** The lease when it was last seen to change, and the time of that on our clock. */
  let observed: { readonly version: string; readonly at: number; readonly lease: Lease } | undefined;

  const observe = (lease: Lease, at: number): void => {
    if (observed?.version !== lease.metadata.resourceVersion) {
      observed = { version: lease.metadata.resourceVersion, at, lease };
    }
  };

  const specOf = (current: Lease | undefined, holder: string, seconds: number): Lease['spec'] => {
    const mine = current?.spec?.holderIdentity === holder;
    const time = microTime(now());
    return {
      holderIdentity: holder,
      leaseDurationSeconds: seconds,
      acquireTime: (mine ? current.spec.acquireTime : undefined) ?? time,
      renewTime: time,
      leaseTransitions: (current?.spec?.leaseTransitions ?? 0) + (mine || current === undefined ? 0 : 1),
    };
  };

  const replace = (lease: Lease, spec: Lease['spec'], signal?: AbortSignal): Promise<Lease> => {
    const patch: JsonPatch = [
      { op: 'test', path: '/metadata/uid', value: lease.metadata.uid },
      lease.spec === undefined ? testAbsent('/spec') : { op: 'test', path: '/spec', value: lease.spec },
      { op: 'add', path: '/spec', value: spec },
    ];
    return client.patch(leases, ref, patch, signal === undefined ? {} : { signal });
  };

  const seconds = Math.ceil(leaseDuration / 1000);

  const remaining = (): number => {
    const { at, lease } = observed ?? {};
    if (at === undefined || (lease?.spec?.holderIdentity ?? '') === '') {
      return 0;
    }
    return Math.max(0, at + (lease?.spec?.leaseDurationSeconds ?? seconds) * 1000 - clock.now());
  };

  const take = async (signal: AbortSignal): Promise<boolean> => {
    const lease = await find(client, leases, ref, { signal });
    if (lease === undefined) {
      try {
        const object = { metadata: { name, namespace }, spec: specOf(undefined, identity, seconds) };
        const asked = clock.now();
        observe(await client.create(leases, namespace, object, { signal }), asked);
        return true;
      } catch (error) {
        if (isAlreadyExists(error)) {
          return false;
        }
        throw error;
      }
    }
    observe(lease, clock.now());
    const holder = lease.spec?.holderIdentity ?? '';
    if (holder !== '' && holder !== identity) {
      if (remaining() > 0) {
        return false;
      }
    }
    const asked = clock.now();
    const written = await guardedWrite(() => replace(lease, specOf(lease, identity, seconds), signal));
    switch (written.kind) {
      case 'written':
        observe(written.object, asked);
        return true;
      case 'gone':
      case 'outdated':
        return false;
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
