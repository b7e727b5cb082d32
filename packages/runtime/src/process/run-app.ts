import type { KubernetesObject } from '@holdfast/core';
import type { ApiClient } from '../client/api-client.ts';
import type { Tenure } from '../client/tenure.ts';
import type { WritingClient } from '../client/verbs.ts';
import { createEventMetrics } from '../events/event-metrics.ts';
import { createEventRecorder } from '../events/event-recorder.ts';
import type { Command } from '../flags/command-line.ts';
import type { FlagValues } from '../flags/flags.ts';
import type { RuntimeConfig, RuntimeFlags } from '../flags/runtime-flags.ts';
import { identityOf, type ProgramIdentity } from '../identity/program-identity.ts';
import { createMetricsRegistry } from '../metrics/metrics-registry.ts';
import type { Program } from '../serving/z-pages.ts';
import type { WebhookServer } from '../webhook/webhook-server.ts';
import { composeApp, type App } from './app.ts';
import { openConnections } from './connections.ts';
import { createLogger } from './logger.ts';
import { runManager } from './manager.ts';
import { runProgram } from './run-program.ts';
import type { Surroundings } from './surroundings.ts';
import type { UninstallStep } from './uninstall-step.ts';

/** What an app that runs as a program composes itself from. */
export interface ProgramApp<Config extends RuntimeConfig = RuntimeConfig> extends Omit<
  App,
  'client' | 'gates'
> {
  readonly client: WritingClient;
  readonly gates: Config['featureGates'];
  readonly version: string;
  /** Determines all names that are the program's own. */
  readonly identity: ProgramIdentity;
  /** The values of all flags. */
  readonly config: Config;
  /** Sends requests on behalf of callers from outside, see {@link openConnections}. */
  readonly callers: ApiClient;
  /** Ends with the lease. Check it before any write that does not go through the client. */
  readonly tenure: Tenure;
}

/** The app of a command: `function operator(app: AppOf<typeof command>): void`. */
export type AppOf<C extends Pick<Command<RuntimeFlags>, 'flags'>> = ProgramApp<FlagValues<C['flags']>>;

/** What an app has in addition to its controllers. */
export interface RunAppOptions<Config extends RuntimeConfig> {
  /** Creates the server of its webhooks. Default: none. */
  readonly webhooks?: (app: ProgramApp<Config>) => WebhookServer;
  /**
   * What `--uninstall` takes back, see {@link runUninstall}; empty for an app that puts nothing on objects.
   * Default: the flag is refused.
   */
  readonly uninstall?: (app: ProgramApp<Config>) => readonly UninstallStep<KubernetesObject>[];
  /**
   * Aborting it ends the work in an orderly way, as SIGTERM does. Default: only signals of the process do.
   */
  readonly signal?: AbortSignal;
}

/**
 * Runs a whole operator. It reads the command line, creates logger, metrics, connections and event recorder,
 * has the app composed, runs it until it ends, see {@link runManager}, and then sets the exit code, see
 * {@link runProgram}.
 *
 *     const command = appCommand({ name, version, description, gates: {}, flags: {} });
 *     await runApp(command, (app) => {
 *       const maps = app.watch(configMaps, slimConfigMap);
 *       app.controller({
 *         reconcile: createReconcile(app, maps.store),
 *         wakes: [wake(maps, { present: objectKey })],
 *       });
 *     });
 *
 * @param compose declares what is watched, what wakes which key, and what is then done. It is called once,
 *   also for `--uninstall`; nothing runs yet.
 */
export async function runApp<Table extends RuntimeFlags>(
  command: Command<Table>,
  compose: (app: ProgramApp<FlagValues<Table>>) => void,
  options: RunAppOptions<FlagValues<Table>> = {},
): Promise<void> {
  await runProgram(command, (config, program) => runComposed(config, program, compose, options));
}

/**
 * Runs an app whose command line the caller has already read, such as a test whose process continues
 * afterwards: see `parseCommandLine` and {@link runApp}.
 *
 * @returns the exit code.
 */
export async function runComposed<Config extends RuntimeConfig>(
  config: Config,
  program: Program,
  compose: (app: ProgramApp<Config>) => void,
  options: RunAppOptions<Config> & Surroundings = {},
): Promise<number> {
  const { webhooks, uninstall, signal, clock, now, shutdown } = options;
  const { name, version } = program;
  const identity = identityOf(program);
  const { featureGates: gates, namespaces, concurrentSyncs } = config;
  const logger = options.logger ?? (await createLogger(name, config));
  const registry = options.registry ?? createMetricsRegistry(identity, version, gates);
  const connections = openConnections({ config, program: identity, version, registry, logger });
  const { client, callers, tenure } = connections;
  const events = createEventRecorder({
    client,
    app: identity,
    logger,
    metrics: createEventMetrics(registry, identity),
  });
  let serving: WebhookServer | undefined;
  let steps: readonly UninstallStep<KubernetesObject>[] | undefined;
  const composition = composeApp(
    {
      ...{ name, client, logger, registry, events, gates, namespaces, concurrentSyncs },
      ...(clock === undefined ? {} : { clock }),
      ...(now === undefined ? {} : { now }),
    },
    (parts) => {
      const app = { ...parts, client, gates, version, identity, config, callers, tenure };
      const answering: (app: ProgramApp<Config>) => unknown = compose;
      const composed = answering(app);
      serving = webhooks?.(app);
      steps = uninstall?.(app);
      return composed;
    },
  );
  return runManager({
    ...composition,
    ...connections,
    version,
    config,
    program,
    logger,
    registry,
    events,
    ...(serving === undefined ? {} : { webhooks: serving }),
    ...(steps === undefined ? {} : { uninstall: steps }),
    ...(signal === undefined ? {} : { signal }),
    ...(shutdown === undefined ? {} : { shutdown }),
  });
}
