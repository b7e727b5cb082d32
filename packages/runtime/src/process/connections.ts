import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { ApiClient } from '../client/api-client.ts';
import { connect } from '../client/connect.ts';
import { loadKubeConfig } from '../client/kubeconfig.ts';
import { createTenure, type HeldTenure } from '../client/tenure.ts';
import type { WritingClient } from '../client/verbs.ts';
import type { RuntimeConfig } from '../flags/runtime-flags.ts';
import type { ProgramOrName } from '../identity/program-identity.ts';
import { systemClock } from '../time/clock.ts';

/** The process that the connections belong to. */
export interface ConnectionsOptions {
  readonly config: RuntimeConfig;
  /** The program, for the API server's log. */
  readonly program: ProgramOrName;
  readonly version: string;
  readonly registry: Registry;
  readonly logger: Logger;
}

/**
 * The clients of a process. None can starve another, since each has its own connections, credentials and rate
 * limit. Nothing is sent yet.
 */
export interface Connections {
  /**
   * Does the controllers' work, within `--kube-api-qps` and `--kube-api-burst`. It writes nothing after the
   * tenure has ended.
   */
  readonly client: WritingClient;
  /** The tenure of this process, for the leader election. */
  readonly tenure: HeldTenure;
  /**
   * Takes and renews the lease, without a rate limit, because the retry period limits it. If the API server
   * asks the client to come back later, the try fails at once, since the next try comes after the retry
   * period.
   */
  readonly leases: ApiClient;
  /**
   * Sends requests on behalf of callers from outside, such as a webhook's, within a rate limit for all of
   * them.
   */
  readonly callers: ApiClient;
}

/**
 * In milliseconds. The timeout is half of the renew deadline, client-go's figure, so that a lost try leaves
 * time for another. It counts for the whole response: one that drips would use up all of the time.
 */
const leastLeaseTimeout = 1_000;

/** The limits on requests on behalf of callers: per second, and at once. */
const callersLimit = { qps: 20, burst: 40 };

/** @throws what {@link loadKubeConfig} throws. */
export function openConnections({ config, ...options }: ConnectionsOptions): Connections {
  const tenure = createTenure(systemClock);
  const leaseTimeout = Math.max(config.leaderElectRenewDeadline / 2, leastLeaseTimeout);
  const connection = { ...options, kubeConfig: () => loadKubeConfig(config), dryRun: config.dryRun };
  return {
    tenure,
    client: connect({ ...connection, tenure, qps: config.kubeApiQps, burst: config.kubeApiBurst }),
    leases: connect({ ...connection, retries: 0, timeout: leaseTimeout, timeLimit: leaseTimeout }),
    callers: connect({ ...connection, ...callersLimit }),
  };
}
