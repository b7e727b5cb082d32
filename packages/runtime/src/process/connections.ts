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

/** Of whose process the connections are. */
export interface ConnectionsOptions {
  readonly config: RuntimeConfig;
  /** The program, for the API server's log. */
  readonly program: ProgramOrName;
  readonly version: string;
  readonly registry: Registry;
  readonly logger: Logger;
}

/**
 * The clients of a process, none of which can starve another: each has connections, credentials and a rate limit of its own. Nothing is
 * sent yet.
 */
export interface Connections {
  /** Does the controllers' work, within `--kube-api-qps` and `--kube-api-burst`, and writes nothing when the tenure is over. */
  readonly client: WritingClient;
  /** Of this process, for the leader election. */
  readonly tenure: HeldTenure;
  /**
   * Takes and renews the lease, without a rate limit: the retry period limits it. A try that the API server tells to come back later
   * fails at once, since the next comes after the retry period.
   */
  readonly leases: ApiClient;
  /** Asks what callers from outside make the process ask, as for a webhook, within a rate limit for all of them. */
  readonly callers: ApiClient;
}

/** Half of the renew deadline is client-go's figure: a try that got lost leaves time for another. Milliseconds. */
const leastLeaseTimeout = 1_000;

/** Requests a second, and at once, for the sake of callers. */
const callersLimit = { qps: 20, burst: 40 };

/** @throws what {@link loadKubeConfig} throws. */
export function openConnections({ config, ...options }: ConnectionsOptions): Connections {
  const tenure = createTenure(systemClock);
  const connection = { ...options, kubeConfig: () => loadKubeConfig(config), dryRun: config.dryRun };
  return {
    tenure,
    client: connect({ ...connection, tenure, qps: config.kubeApiQps, burst: config.kubeApiBurst }),
    leases: connect({
      ...connection,
      retries: 0,
      timeout: Math.max(config.leaderElectRenewDeadline / 2, leastLeaseTimeout),
    }),
    callers: connect({ ...connection, ...callersLimit }),
  };
}
