import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { ApiClient } from '../client/api-client.ts';
import { podNamespace } from '../client/pod-namespace.ts';
import type { LeaderElectionOptions } from '../election/leader-election.ts';
import type { HeldTenure } from '../client/tenure.ts';
import { createLeaderElectionMetrics } from '../election/leader-election-metrics.ts';
import type { RuntimeConfig } from '../flags/runtime-flags.ts';
import { annotationName, type ProgramOrName } from '../identity/program-identity.ts';
import { systemClock } from '../time/clock.ts';

/** The parts of a process that its leader election needs. */
export interface LeaseParts {
  readonly config: RuntimeConfig;
  readonly client: ApiClient;
  readonly logger: Logger;
  readonly registry: Registry;
  readonly tenure: HeldTenure;
  /** Called when the lease shows that the API server's data were restored from a backup. */
  readonly onRestored: () => void;
  /** Names the annotations that say since when the lease is held again, and whether the server was restored. */
  readonly program: ProgramOrName;
}

/**
 * Plain JavaScript might leave out what makes leading safe, and nothing would show it.
 *
 * @throws Error naming what is missing.
 */
export function checkLeaseParts({ tenure, program }: Partial<Pick<LeaseParts, 'tenure' | 'program'>>): void {
  const missing = [
    ...(tenure === undefined ? ['tenure, as openConnections returns it'] : []),
    ...(program === undefined ? ['program, as runProgram passes it on'] : []),
  ];
  if (missing.length > 0) {
    throw new Error(
      `give ${missing.join(' and ')}: without, a process that was frozen might write after its lease, and nobody notices that nobody led for long, or that etcd was restored`,
    );
  }
}

/**
 * Returns the options for the lease that the flags name, with this process as the candidate. Call it once for
 * each registry.
 */
export function leaseOptions({
  config,
  client,
  logger,
  registry,
  tenure,
  program,
  onRestored,
}: LeaseParts): LeaderElectionOptions {
  const name = config.leaderElectResourceName;
  return {
    client,
    name,
    namespace: config.leaderElectResourceNamespace ?? podNamespace() ?? 'kube-system',
    identity: `${hostname()}_${randomUUID()}`,
    leaseDuration: config.leaderElectLeaseDuration,
    renewDeadline: config.leaderElectRenewDeadline,
    retryPeriod: config.leaderElectRetryPeriod,
    clock: systemClock,
    logger,
    metrics: createLeaderElectionMetrics(registry, name),
    // In a dry run the Lease is never stored: each look would find it gone, and nothing would ever be due.
    ...(config.dryRun
      ? {}
      : {
          annotations: {
            ledAgain: annotationName(program, 'led-again'),
            restored: annotationName(program, 'restored'),
          },
        }),
    onRestored,
    tenure,
  };
}
