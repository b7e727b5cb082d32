import { leases, testAbsent, type JsonPatch, type Lease } from '@holdfast/core';
import { Gauge, type Registry } from 'prom-client';
import type { Logger } from 'pino';
import { isAlreadyExists } from './client/api-error.ts';
import type { ApiClient } from './client/api-client.ts';
import { find } from './client/find.ts';
import { guardedWrite } from './client/guarded-write.ts';
import { sleep, type Clock } from './clock.ts';
import { microTime } from './micro-time.ts';

export interface LeaderElectionOptions {
  readonly client: ApiClient;
  readonly namespace: string;
  /** Name of the Lease. */
  readonly name: string;
  /** Who we are; no two candidates may share it. */
  readonly identity: string;
  /** A lease that was not seen to change for so long may be taken over. Milliseconds; whole seconds are written. */
  readonly leaseDuration: number;
  /** The leader that could not renew for so long is leader no more. Milliseconds, below leaseDuration. */
  readonly renewDeadline: number;
  /** Between two tries. Milliseconds. */
  readonly retryPeriod: number;
  readonly clock: Clock;
  /** Wall clock for the times in the Lease, which people read and no decision rests on. */
  readonly now?: () => Date;
  readonly random?: () => number;
  readonly logger: Logger;
  readonly metrics: LeaderElectionMetrics;
}

export interface LeaderElectionMetrics {
  leading(isLeader: boolean): void;
}

/** `leader_election_master_status`, as component-base has it. */
export function createLeaderElectionMetrics(registry: Registry, name: string): LeaderElectionMetrics {
  const status = new Gauge({
    name: 'leader_election_master_status',
    help: 'Gauge of if the reporting system is master of the relevant lease, 0 indicates backup, 1 indicates master.',
    labelNames: ['name'],
    registers: [registry],
  }).labels({ name });
  status.set(0);
  return { leading: (isLeader) => status.set(isLeader ? 1 : 0) };
}

/** How a term ended: we let go of it, or could not hold it. */
export type TermEnd = 'released' | 'lost' | 'never led';

/**
 * Waits until this candidate holds the lease, then leads: `lead` runs until it resolves, and must end at once when its
 * signal is aborted because the lease was lost. Aborting `signal` ends the wait; a leader decides itself when it has
 * finished, and the lease is then released, so that another takes over without waiting.
 *
 * Guarantee: two leaders at once only if a leader's clock runs slower than a follower's by more than
 * leaseDuration - renewDeadline. A follower judges by how long it saw the lease unchanged, on its own clock: times written
 * by others are never compared with ours. client-go's algorithm, see `tools/leaderelection`.
 */
export async function runLeaderElection(
  options: LeaderElectionOptions,
  lead: (lost: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<TermEnd> {
  const { clock, retryPeriod, renewDeadline, random = Math.random, logger, metrics } = options;
  const tryOnce = createCandidate(options);

  const attempt = async (limit: AbortSignal): Promise<boolean> => {
    try {
      return await tryOnce(limit);
    } catch (error) {
      if (!limit.aborted) {
        logger.warn({ err: error, lease: options.name }, 'Lease could not be taken or renewed');
      }
      return false;
    }
  };

  const passed = (delay: number, unless: AbortSignal): Promise<boolean> =>
    sleep(clock, delay, unless).then(
      () => true,
      () => false,
    );

  const aborted = (): boolean => signal.aborted;
  let acquired = clock.now();
  // A success that took longer to arrive than a leader may go unrenewed is none: another may lead by now.
  while (!(await attempt(signal)) || clock.now() - acquired >= renewDeadline) {
    // Beyond client-go's: whoever knows when the lease runs out need not sleep past that.
    const left = tryOnce.remaining();
    const delay = retryPeriod * (1 + 1.2 * random());
    if (!(await passed(left > 0 ? Math.min(left, delay) : delay, signal))) {
      await tryOnce.release();
      return 'never led';
    }
    acquired = clock.now();
  }
  if (aborted()) {
    await tryOnce.release();
    return 'never led';
  }

  const lost = new AbortController();
  const finished = new AbortController();
  metrics.leading(true);
  logger.info({ lease: options.name, identity: options.identity }, 'Became leader');

  const renew = async (): Promise<void> => {
    let renewed = acquired;
    const remaining = (): number => renewed + renewDeadline - clock.now();
    while (await passed(Math.min(retryPeriod, remaining()), finished.signal)) {
      if (remaining() > 0) {
        const limit = new AbortController();
        const timer = clock.after(remaining(), () => limit.abort(new Error('renew deadline passed')));
        const started = clock.now();
        if (await attempt(limit.signal)) {
          renewed = started;
        }
        timer.cancel();
      }
      if (remaining() <= 0) {
        metrics.leading(false);
        logger.error({ lease: options.name, identity: options.identity }, 'Lost the lease');
        lost.abort(new Error(`lease ${options.namespace}/${options.name} was lost`));
        return;
      }
    }
  };

  const renewing = renew();
  try {
    await lead(lost.signal);
  } finally {
    finished.abort();
    await renewing;
    metrics.leading(false);
    if (!lost.signal.aborted) {
      await tryOnce.release();
    }
  }
  return lost.signal.aborted ? 'lost' : 'released';
}

/** A shutdown does not wait longer than this for the lease to be released, milliseconds. */
const releaseLimit = 5_000;

interface Candidate {
  /** Takes or renews the lease; false while another holds it, or changed it under our hands. */
  (signal: AbortSignal): Promise<boolean>;
  /** Until another's lease may be taken over, milliseconds; 0 when it may be, or nothing is known of it. */
  remaining(): number;
  /** Lets go of the lease if it is ours, also when we do not know that it is. Never rejects. */
  release(): Promise<void>;
}

function createCandidate(options: LeaderElectionOptions): Candidate {
  const { client, namespace, name, identity, leaseDuration, clock, now = () => new Date(), logger } = options;
  const ref = { namespace, name };
  /** What the lease was when it was last seen to change, and when that was on our clock. */
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

  const tryOnce = async (signal: AbortSignal): Promise<boolean> => {
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

  const release = async (): Promise<void> => {
    const limit = new AbortController();
    const timer = clock.after(releaseLimit, () =>
      limit.abort(new Error('the API server did not answer in time')),
    );
    try {
      // Not what was seen last: the answer to our own last renewal may have been lost.
      const lease = await find(client, leases, ref, { signal: limit.signal });
      if (lease?.spec?.holderIdentity === identity) {
        // A second is the least that the API server takes; with no holder it does not count.
        await replace(lease, { ...lease.spec, holderIdentity: '', leaseDurationSeconds: 1 }, limit.signal);
        logger.info({ lease: name, identity }, 'Released the lease');
      }
    } catch (error) {
      logger.warn({ err: error, lease: name }, 'Lease could not be released');
    } finally {
      timer.cancel();
    }
  };

  return Object.assign(tryOnce, { remaining, release });
}
