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
  readonly tenure?: HeldTenure;
  /** Called when the lease shows that the API server's data were restored from a backup. */
  readonly onRestored: () => void;
  /**
   * Names the annotation that says since when the lease is held again. Default: nobody notices whether it was held
   * before.
   */
  readonly program?: ProgramOrName;
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
    ...(program === undefined || config.dryRun
      ? {}
      : {
          annotations: {
            ledAgain: annotationName(program, 'led-again'),
            restored: annotationName(program, 'restored'),
          },
        }),
    onRestored,
    ...(tenure === undefined ? {} : { tenure }),
  };
}
