import { hostname } from 'node:os';
import type { KubernetesObject } from '@holdfast/core';
import type { Registry } from 'prom-client';
import type { Logger } from 'pino';
import type { ApiClient, ConnectedClient } from '../client/api-client.ts';
import { systemClock } from '../time/clock.ts';
import type { Controller } from '../controller/controller.ts';
import type { EventRecorder } from '../events/event-recorder.ts';
import { runLeaderElection } from '../election/leader-election.ts';
import type { HeldTenure } from '../client/tenure.ts';
import type { BindAddress } from '../flags/bind-address.ts';
import { healthHandler, type HealthCheck } from '../serving/health.ts';
import { serveHttp, type HttpHandler, type HttpServer } from '../serving/http-server.ts';
import { makeOwnCertificate } from '../serving/own-certificate.ts';
import { createProtection } from '../serving/protected-handler.ts';
import { UsageError } from '../flags/command-line.ts';
import type { RuntimeConfig } from '../flags/runtime-flags.ts';
import type { WebhookServer } from '../webhook/webhook-server.ts';
import { endWhateverHangs } from './last-resort.ts';
import type { Follower } from './follower.ts';
import { checkLeaseParts, leaseOptions } from './lease.ts';
import { runControllers, type WorkingParts } from './run-controllers.ts';
import type { Runnable } from './runnable.ts';
import { openShutdown, type Shutdown } from './shutdown.ts';
import { syncChecks } from './sync-checks.ts';
import { runUninstall } from './uninstall.ts';
import type { UninstallStep } from './uninstall-step.ts';
import { flagzHandler, statuszHandler, type Program } from '../serving/z-pages.ts';

/** The parts of an app that run. */
export interface ManagerOptions {
  /** The version of the app, for the log. */
  readonly version: string;
  readonly config: RuntimeConfig;
  readonly client: ConnectedClient;
  /**
   * Takes and renews the lease. A client that shares neither connections nor rate limit with `client` keeps
   * the lease whatever the rest of the process does with those; see {@link openConnections}. Default:
   * `client`.
   */
  readonly leases?: ApiClient;
  /**
   * The tenure that `client` checks before it writes; see {@link openConnections}. It stops the writes of a process
   * that was frozen past the end of its lease, and tells that nobody led for long.
   */
  readonly tenure: HeldTenure;
  /** Sends the requests on behalf of callers of `/metrics` (`--metrics-secure`). Default: `client`. */
  readonly callers?: ApiClient;
  readonly logger: Logger;
  readonly registry: Registry;
  readonly informers: readonly Follower[];
  readonly controllers: readonly Controller[];
  /** Other work of the process. Default: none. */
  readonly runnables?: readonly Runnable[];
  /** Checks for /readyz, in addition to those of the caches and the webhooks. Default: none. */
  readonly readyChecks?: readonly HealthCheck[];
  /** Checks for /healthz, /livez and /readyz. The kubelet ends a process whose check fails. Default: none. */
  readonly liveChecks?: readonly HealthCheck[];
  /**
   * Aborting it ends the work in an orderly way, as SIGTERM does. Default: only signals of the process do.
   */
  readonly signal?: AbortSignal;
  /** See {@link Surroundings.shutdown}. */
  readonly shutdown?: Shutdown;
  /**
   * What /flagz and /statusz show; see {@link runProgram}. It also names the annotations of the lease that show that
   * nobody led for long, or that etcd was restored from a backup.
   */
  readonly program: Program;
  /** Runs until everything else has ended, so that the last events are sent too. Default: none. */
  readonly events?: EventRecorder;
  /** Serves from before the informers start to the very end, also on standbys. Default: none. */
  readonly webhooks?: WebhookServer;
  /**
   * What `--uninstall` takes back, see {@link runUninstall}; empty for an app that puts nothing on objects.
   * Default: the app does not support the flag, and refuses it.
   */
  readonly uninstall?: readonly UninstallStep<KubernetesObject>[];
}

/**
 * Runs an app: first its servers and informers, then its controllers, with `--leader-elect` only as the
 * leader. It runs until SIGTERM, SIGINT, the caller's signal, a failing runnable, or a lost lease. A standby
 * keeps its caches warm, but queues nothing: the informers' handlers are held until it leads, and are then
 * called for everything that exists.
 *
 * On the first signal no new work begins, work under way ends, and the lease is released. A second signal, or
 * a shutdown that takes longer than 20 s, abandons the work under way; so does a lost lease. The process
 * waits 3 s for abandoned work. Then it exits with code 1, or kills itself if a file system or a name lookup
 * hangs.
 *
 * With `--uninstall` it runs {@link runUninstall} instead.
 *
 * @returns the exit code: 0 after an orderly end, 1 if the lease was lost, work was abandoned or a runnable
 *   failed.
 * @throws UsageError if an address cannot be listened on, or the app does not support `--uninstall`; Error for options
 *   without `tenure` or `program`.
 */
export async function runManager(options: ManagerOptions): Promise<number> {
  const { version, config, client, logger, informers, runnables = [], events, webhooks, uninstall } = options;
  checkLeaseParts(options);
  if (config.uninstall) {
    if (uninstall === undefined) {
      throw new UsageError(
        "--uninstall: this program does not say what it puts on objects, so it can't remove it; see its documentation, or run it without the flag",
      );
    }
    return runUninstall({ ...options, steps: uninstall });
  }
  const servers = await startServers(options);
  // Nothing is logged before this, so that an invalid address is reported in one line of its own.
  logger.info({ version, namespaces: config.namespaces }, 'Starting');
  for (const { purpose, address } of servers) {
    logger.info({ purpose, address }, 'Serving');
  }
  const shutdown = options.shutdown ?? openShutdown(logger, options.signal);
  const allHasEnded =
    options.shutdown === undefined ? endWhateverHangs(shutdown.abandon, logger) : () => undefined;
  const watching = new AbortController();
  const telling = new AbortController();
  let following: Promise<unknown> | undefined;
  let recording: Promise<void> | undefined;
  const failures: unknown[] = [];
  const serving = webhooks?.run(telling.signal);

  /** Whatever fails, the rest ends in an orderly way: it must not go on while the lease is released. */
  const guarded = (what: string, run: Controller['run'], name?: string): Pick<Controller, 'run'> => ({
    run: async (stop, abandon) => {
      try {
        await run(stop, abandon);
      } catch (error) {
        failures.push(error);
        logger.error(
          { err: error, ...(name === undefined ? {} : { [what.toLowerCase()]: name }) },
          `${what} failed; stopping`,
        );
        shutdown.begin(`the failure of ${name ?? `a ${what.toLowerCase()}`}`);
      }
    },
  });
  const guardedRunnable = (runnable: Runnable): Pick<Controller, 'run'> =>
    guarded('Runnable', (stop) => runnable.run(stop, shutdown.abandon), runnable.name);
  // A controller never rejects, but what the app has put around it might.
  const controllers = options.controllers.map((controller) =>
    guarded('Controller', (stop, abandon) => controller.run(stop, abandon)),
  );
  const beside = new AbortController();
  const everywhere = runnables.filter(({ on }) => on === 'everyReplica').map(guardedRunnable);
  const leading = runnables.filter(({ on }) => on !== 'everyReplica').map(guardedRunnable);
  const accompanying = Promise.all(everywhere.map((each) => each.run(beside.signal)));

  try {
    recording = events?.run(telling.signal);
    informers.forEach((informer) => informer.holdHandlers());
    following = Promise.all(informers.map((informer) => informer.run(watching.signal)));
    await lead({ ...options, controllers: [...controllers, ...leading] }, shutdown);
  } finally {
    beside.abort(new Error('shutting down'));
    await accompanying;
    watching.abort(new Error('shutting down'));
    await following;
    telling.abort(new Error('shutting down'));
    await Promise.all([recording, serving]);
    await Promise.all([client.close(), options.leases?.close(), options.callers?.close()]);
    await Promise.all(servers.map((server) => server.close()));
    shutdown.over();
    allHasEnded();
  }
  logger.info('Stopped');
  return failures.length > 0 || shutdown.abandon.aborted ? 1 : 0;
}

async function lead(
  options: Omit<ManagerOptions, 'controllers'> & WorkingParts,
  { stop, abandon, giveUp }: Shutdown,
): Promise<void> {
  if (!options.config.leaderElect) {
    await runControllers(options, stop, abandon);
    return;
  }
  await runLeaderElection(
    leaseOptions({
      ...options,
      client: options.leases ?? options.client,
      onRestored: () => options.informers.forEach((informer) => informer.listAgain()),
    }),
    async (lost) => {
      lost.addEventListener('abort', () => giveUp(lost.reason), { once: true });
      await runControllers(options, stop, abandon);
    },
    stop,
  );
}

async function startServers(options: ManagerOptions): Promise<readonly HttpServer[]> {
  const { config, informers, logger, webhooks, liveChecks = [], readyChecks = [] } = options;
  const alive: readonly HealthCheck[] = [{ name: 'ping', healthy: () => true }, ...liveChecks];
  const ready: HealthCheck[] = [...syncChecks(informers), ...readyChecks];
  if (webhooks !== undefined) {
    ready.push({ name: 'webhook', healthy: webhooks.isReady });
  }
  const healthRoutes = {
    '/healthz': healthHandler('healthz', alive),
    '/livez': healthHandler('livez', alive),
    '/readyz': healthHandler('readyz', [...alive, ...ready]),
  };
  const servers: HttpServer[] = [];
  try {
    const webhookServer = await webhooks?.start();
    if (webhookServer !== undefined) {
      servers.push(webhookServer);
    }
    if (config.healthProbeBindAddress.kind === 'listen') {
      servers.push(await serveHttp('health-probe', config.healthProbeBindAddress, healthRoutes, logger));
    }
    if (config.metricsBindAddress.kind === 'listen') {
      servers.push(await serveMetrics(options, config.metricsBindAddress, Object.keys(healthRoutes)));
    }
  } catch (error) {
    await Promise.all(servers.map((server) => server.close()));
    throw error;
  }
  return servers;
}

async function serveMetrics(
  { config, client, callers = client, registry, logger, program }: ManagerOptions,
  bind: Extract<BindAddress, { readonly kind: 'listen' }>,
  otherPaths: readonly string[],
): Promise<HttpServer> {
  const open: Record<string, HttpHandler> = {
    '/metrics': async (_request, response) => {
      const text = await registry.metrics();
      response.writeHead(200, { 'content-type': registry.contentType }).end(text);
    },
    '/flagz': flagzHandler(program),
    '/statusz': statuszHandler(program, [...otherPaths, '/flagz', '/metrics', '/statusz']),
  };
  if (!config.metricsSecure) {
    return serveHttp('metrics', bind, open, logger);
  }
  const protect = createProtection({ client: callers, clock: systemClock, logger });
  const routes = Object.fromEntries(Object.entries(open).map(([path, handler]) => [path, protect(handler)]));
  const hosts = [hostname(), 'localhost'];
  const certificate = await makeOwnCertificate({ name: 'metrics', hosts, clock: systemClock, logger });
  return serveHttp('metrics', bind, routes, logger, certificate);
}
