import { leases, type KubernetesObject } from '@holdfast/core';
import type { Logger } from 'pino';
import type { ApiClient, ConnectedClient } from '../client/api-client.ts';
import { find } from '../client/find.ts';
import { runLeaderElection } from '../election/leader-election.ts';
import { legible } from '../logging/legible.ts';
import { systemClock, type ClockTimer } from '../time/clock.ts';
import { endWhateverHangs } from './last-resort.ts';
import { checkLeaseParts, leaseOptions, type LeaseParts } from './lease.ts';
import { openShutdown, type Shutdown } from './shutdown.ts';
import { runStep } from './run-step.ts';
import type { Tally, UninstallStep } from './uninstall-step.ts';

/** The parts of a process that takes back what its app put into the cluster. */
export interface UninstallOptions extends Omit<LeaseParts, 'onRestored'> {
  readonly version: string;
  readonly client: ConnectedClient;
  /** Takes and renews the lease, see {@link ManagerOptions.leases}. Default: `client`. */
  readonly leases?: ApiClient;
  /** They run one after the other. Empty for an app that puts nothing on objects. */
  readonly steps: readonly UninstallStep<KubernetesObject>[];
  /** Aborting it stops the run, as SIGTERM does. Default: only signals of the process do. */
  readonly signal?: AbortSignal;
  /** See {@link Surroundings.shutdown}. */
  readonly shutdown?: Shutdown;
}

/** Time between two lines of progress, in milliseconds. */
const progressPeriod = 5_000;

/**
 * Takes back everything that an app put into the cluster, and ends. `--uninstall` runs this instead of the
 * controllers. An app declares its steps in a file of its own, and `main.ts` passes them on:
 *
 *     // uninstall.ts
 *     export const uninstallSteps = [
 *       {
 *         what: 'finalizer example.com/protected',
 *         resource: persistentVolumeClaims,
 *         takeBack: ({ metadata: { finalizers = [] } }: PersistentVolumeClaim) => {
 *           const index = finalizers.indexOf('example.com/protected');
 *           return index < 0
 *             ? undefined
 *             : [
 *                 { op: 'test', path: '/metadata/finalizers', value: finalizers },
 *                 { op: 'remove', path: `/metadata/finalizers/${String(index)}` },
 *               ];
 *         },
 *       },
 *     ] satisfies readonly UninstallStep<PersistentVolumeClaim>[];
 *
 *     // main.ts
 *     await runApp(command, compose, { uninstall: () => uninstallSteps });
 *
 * In the cluster it runs as a Job with the app's service account and flags, after `kubectl scale deployment
 * APP --replicas=0`.
 *
 * It first takes the lease and keeps it, so that no controller of the app puts back what is taken. If a
 * killed process left its lease behind, the run waits for it to expire. It does not wait for a lease that is
 * renewed: scale the Deployment to zero first. With `--leader-elect=false`, and in a dry run, which changes
 * nothing, there is no lease, and the caller must make sure that no controller runs.
 *
 * The next run continues one that was killed; a run after a complete one changes nothing. What stays is the
 * Lease itself, released, and Events, which expire.
 *
 * @returns the exit code: 0 if a last look found nothing of the app's (in a dry run: if nothing would be
 *   refused), otherwise 1, and the log says why: the lease is held or was lost, a signal stopped the run,
 *   permissions are missing, or something was refused.
 * @throws Error for options without `tenure` or `program`.
 */
export async function runUninstall(options: UninstallOptions): Promise<number> {
  const { version, config, client, logger } = options;
  checkLeaseParts(options);
  logger.info({ version, namespaces: config.namespaces }, 'Uninstalling');
  const shutdown = options.shutdown ?? openShutdown(logger, options.signal);
  const allHasEnded =
    options.shutdown === undefined ? endWhateverHangs(shutdown.abandon, logger) : () => undefined;
  try {
    if (config.dryRun || !config.leaderElect) {
      return await run(options, shutdown.stop);
    }
    return await runAsLeader(options, shutdown);
  } finally {
    await Promise.all([client.close(), options.leases?.close()]);
    shutdown.over();
    allHasEnded();
  }
}

async function runAsLeader(options: UninstallOptions, { stop, giveUp }: Shutdown): Promise<number> {
  const { logger } = options;
  // If the patches of the run had used up the rate limit, a renewal that waited for it would come too late.
  const client = options.leases ?? options.client;
  const lease = leaseOptions({ ...options, client, onRestored: () => undefined });
  const { namespace, name, leaseDuration, retryPeriod, clock } = lease;
  // This is long enough to see a whole lease expire, as a candidate does, which tries at most 2.2 periods
  // apart.
  const patience = new AbortController();
  const timer = clock.after(leaseDuration + 5 * retryPeriod, () =>
    patience.abort(new Error('the lease is held')),
  );
  let code = 1;
  const end = await runLeaderElection(
    lease,
    async (lost) => {
      timer.cancel();
      lost.addEventListener('abort', () => giveUp(lost.reason), { once: true });
      code = await run(options, stop);
    },
    AbortSignal.any([patience.signal, stop]),
  );
  timer.cancel();
  if (end === 'never led' && !stop.aborted) {
    const held = await find(client, leases, { namespace, name }, { signal: stop }).catch(() => undefined);
    logger.error(
      { lease: name, namespace, holder: legible(held?.spec?.holderIdentity ?? '') },
      'The lease is held, or could not be taken: scale the Deployment to zero, and run this again',
    );
  }
  return end === 'released' ? code : 1;
}

async function run(
  { steps, config, client, logger }: UninstallOptions,
  signal: AbortSignal,
): Promise<number> {
  let code = 0;
  for (const step of steps) {
    const { what } = step;
    const tally: Tally = { seen: 0, takenBack: 0, outdated: 0, refused: 0 };
    const progress = logProgress(logger, what, tally);
    try {
      const isClean = await runStep(
        step,
        {
          client,
          namespaces: config.namespaces,
          concurrency: config.concurrentSyncs,
          dryRun: config.dryRun,
          clock: systemClock,
          logger,
          signal,
        },
        tally,
      );
      if (isClean && tally.refused === 0) {
        logger.info({ what, ...tally }, 'Taken back');
      } else {
        code = 1;
        logger.error(
          { what, ...tally },
          'Something is left: fix what the lines above name, and run this again',
        );
      }
    } catch (error) {
      if (!signal.aborted) {
        throw error;
      }
      logger.error({ what, ...tally, reason: String(signal.reason) }, 'Stopped half way: run this again');
      return 1;
    } finally {
      progress.cancel();
    }
  }
  logger.info({ steps: steps.map(({ what }) => what) }, code === 0 ? 'Uninstalled' : 'Not uninstalled');
  return code;
}

function logProgress(logger: Logger, what: string, tally: Tally): ClockTimer {
  let timer: ClockTimer;
  const wait = (): void => {
    timer = systemClock.after(progressPeriod, () => {
      logger.info({ what, ...tally }, 'Taking back');
      wait();
    });
  };
  wait();
  return { cancel: () => timer.cancel() };
}
