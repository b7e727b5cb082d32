import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KubernetesObject } from '@holdfast/core';
import type { DefinedResource } from '@holdfast/core/custom-resource';
import {
  chosenBackend,
  startControlPlane,
  startEmbeddedControlPlane,
  startRequestRecorder,
  type ControlPlane,
  type ControlPlaneBackend,
  type ControlPlaneOptions,
  type EmbeddedControlPlaneOptions,
  type RecordedRequest,
} from '@holdfast/testing';
import { createFakeClock, type FakeClock } from '@holdfast/testing/fake-clock';
import { Registry } from 'prom-client';
import { connect } from '../client/connect.ts';
import { loadKubeConfig } from '../client/kubeconfig.ts';
import type { WritingClient } from '../client/verbs.ts';
import { appCommand } from '../flags/app-command.ts';
import { parseCommandLine, type Command } from '../flags/command-line.ts';
import type { FlagValues } from '../flags/flags.ts';
import type { RuntimeConfig, RuntimeFlags } from '../flags/runtime-flags.ts';
import { runComposed, type ProgramApp, type RunAppOptions } from '../process/run-app.ts';
import { createActivity } from './activity.ts';
import { createCleanUp } from './clean-up.ts';
import { createKeptLog, type LogLine } from './kept-log.ts';
import { lastTrouble } from './last-trouble.ts';
import { observe, type Observation } from './observed-app.ts';
import { callerOf, writeRequestFile } from './request-file.ts';
import { serveKinds } from './serve-kinds.ts';
import { createTestShutdown } from './test-shutdown.ts';
import { createWaits } from './waits.ts';
import { wireWebhooks, type WebhookConfigurationDraft } from './wired-webhooks.ts';

/**
 * Options for starting a control plane, see `startControlPlane`; users, services and faults only apply to the
 * embedded one.
 */
export type TestControlPlaneOptions = Omit<ControlPlaneOptions, 'backend'> &
  Pick<EmbeddedControlPlaneOptions, 'users' | 'services' | 'faults'>;

/** The operator under test, and the environment in which it runs. */
export interface TestOperatorOptions<Table extends RuntimeFlags> extends Pick<
  RunAppOptions<FlagValues<Table>>,
  'webhooks' | 'uninstall'
> {
  /** As passed to `runApp`. */
  readonly compose: (app: ProgramApp<FlagValues<Table>>) => void;
  /** As passed to `runApp`. Default: a command named `operator` with the runtime's flags. */
  readonly command?: Command<Table>;
  /**
   * The command line, such as `--namespaces=shop`. Unless it says otherwise, there is no leader election, no
   * metrics and health servers, and webhooks listen on a free port of the loopback with a certificate of
   * their own. The environment is ignored.
   */
  readonly flags?: readonly string[];
  /**
   * Kinds that the API server must serve. Their definitions are created, and the start waits for them.
   * Default: none.
   */
  readonly resources?: readonly DefinedResource<KubernetesObject>[];
  /**
   * The webhook configurations as they are shipped, created with the server's address in place of the
   * service. Required with `webhooks`.
   */
  readonly webhookConfigurations?: readonly WebhookConfigurationDraft[];
  /** `embedded`, `real` or `existing`. Default: what the environment chooses, see `startControlPlane`. */
  readonly backend?: ControlPlaneBackend;
  /**
   * An existing control plane, which is left running. Default: one that is started for this operator and ends
   * with it.
   */
  readonly plane?: ControlPlane;
  /** Options for the control plane that is started. Default: none, without TLS. */
  readonly controlPlane?: TestControlPlaneOptions;
  /**
   * Returns the kubeconfig text with which the operator connects, such as that of a service account. Default:
   * a cluster admin's.
   */
  readonly kubeconfig?: (plane: ControlPlane) => string | Promise<string>;
  /**
   * `fake`: time stands still until the test advances it, see {@link TestOperator.clock}. Default: the
   * machine's clock.
   */
  readonly clock?: 'fake';
  /**
   * A folder for the operator's requests, from which `npx holdfast rbac` makes a role; a file is written at
   * the end. Default: $HOLDFAST_RECORD_REQUESTS; if that is not set, nothing is written.
   */
  readonly recordRequests?: string;
  /** The most milliseconds that a start, `idle` and `eventually` take. Default: 10000. */
  readonly patience?: number;
}

/** An operator that runs in the process of its test. */
export interface TestOperator<Config extends RuntimeConfig = RuntimeConfig> extends AsyncDisposable {
  /** The values of all flags. */
  readonly config: Config;
  readonly plane: ControlPlane;
  /** A client with the rights of a cluster admin. Its requests are not among `requests`. */
  readonly client: WritingClient;
  /** The operator's requests to the API server, in the order of their responses. */
  readonly requests: readonly RecordedRequest[];
  /** What the operator logged, from `--log-level` on. */
  readonly log: readonly LogLine[];
  /** The operator's metrics, without those of the process. */
  readonly registry: Registry;
  /**
   * The clock for back-offs, requeue delays, caches and `now` of the app, and of the embedded API server. An
   * API server that is a separate process uses the machine's clock.
   *
   * @throws Error unless `clock` of the options is `fake`.
   */
  readonly clock: FakeClock;
  /**
   * Tries the expectation whenever something happens, until it holds.
   *
   * @param expectation throws, rejects or returns false while it does not hold.
   * @param patience in milliseconds; default: that of the options.
   * @returns what the expectation returns.
   * @throws Error with what it threw last, if the patience is exceeded, or the operator has ended or was
   *   stopped.
   */
  eventually<T>(expectation: () => T | Promise<T>, patience?: number): Promise<T>;
  /**
   * Resolves when no key is queued, worked on or waiting for a retry, and the caches have everything that the
   * API server has. Keys that wait for a time that the operator requested are idle; with a fake clock, keys
   * that wait for a retry are too. Runnables, webhooks and events do not count.
   *
   * @param patience in milliseconds; default: that of the options.
   * @throws Error naming what the operator is busy with, if the patience is exceeded, or the operator
   *   has ended or was stopped.
   */
  idle(patience?: number): Promise<void>;
  /**
   * Resolves with the exit code once the operator has ended by itself, for example because a runnable failed.
   * After this call such an end is no error in `stop`.
   */
  exited(): Promise<number>;
  /**
   * Ends operator, control plane and connections; `await using` calls it. Idempotent.
   *
   * @throws Error naming what does not end, or how the operator ended by itself; everything is ended
   *   nonetheless.
   */
  stop(): Promise<void>;
}

/** How long work under way can take to end by itself, and then after it was abandoned, in milliseconds. */
const grace = { stop: 2_000, abandon: 3_000 };

/**
 * Runs an operator in this process, on a control plane of its own, as {@link runApp} runs it in its own
 * process. Resolves when its caches are full and its controllers work.
 *
 *     await using t = await testOperator({ compose, resources: [sites] });
 *     await t.client.create(sites, 'default', { metadata: { name: 'a' }, spec: { host: 'a.example.com' } });
 *     await t.idle();
 *     expect((await t.client.get(sites, { namespace: 'default', name: 'a' })).status?.phase).toBe('Ready');
 *
 * @throws Error naming what keeps it from starting: a refused kind, what `compose` throws, a cache that stays
 *   empty. Then everything already started has been ended.
 */
export async function testOperator<Table extends RuntimeFlags = RuntimeFlags>(
  options: TestOperatorOptions<Table>,
): Promise<TestOperator<FlagValues<Table>>> {
  const test = callerOf(testOperator);
  const cleanUp = createCleanUp();
  try {
    return await start(options, test, cleanUp.add, cleanUp.run);
  } catch (error) {
    await cleanUp.run().catch(() => undefined);
    throw error;
  }
}

async function start<Table extends RuntimeFlags>(
  options: TestOperatorOptions<Table>,
  test: string,
  atEnd: (step: () => Promise<unknown>) => void,
  stop: () => Promise<void>,
): Promise<TestOperator<FlagValues<Table>>> {
  const { compose, resources = [], webhookConfigurations = [], patience = 10_000 } = options;
  // The default command has only the runtime's flags, which is also all that is known about Table.
  const command = options.command ?? (defaultCommand as unknown as Command<Table>);
  const { name, version } = command;
  checkWebhooks(name, options);
  const clock = options.clock === 'fake' ? createFakeClock(Date.now()) : undefined;

  const plane = options.plane ?? (await startPlane(options, clock));
  if (options.plane === undefined) {
    atEnd(() => plane.stop());
  }
  const folder = await mkdtemp(join(tmpdir(), `${name}-`));
  atEnd(() => rm(folder, { recursive: true }));
  const write = async (file: string, kubeconfig: string): Promise<string> => {
    const path = join(folder, file);
    await writeFile(path, kubeconfig, { mode: 0o600 });
    return path;
  };
  const adminFile = await write('admin.kubeconfig', plane.kubeconfig);
  const admin = {
    kubeConfig: () => loadKubeConfig({ kubeconfig: adminFile, insecureHttp: true }),
    program: `${name}-test`,
    version,
  };
  const client = connect({ ...admin, registry: new Registry() });
  atEnd(() => client.close());
  const rehearsal = connect({ ...admin, registry: new Registry(), dryRun: true });
  atEnd(() => rehearsal.close());
  await serveKinds(client, resources, AbortSignal.timeout(patience));

  const activity = createActivity();
  const recorder = await startRequestRecorder((await options.kubeconfig?.(plane)) ?? plane.kubeconfig, {
    answered: activity.stir,
  });
  atEnd(() => recorder.close());
  const { config, program } = readFlags(command, await write('kubeconfig', recorder.kubeconfig), options);
  const runtimeConfig: RuntimeConfig = config;
  const { logger, lines } = createKeptLog(name, runtimeConfig.logLevel);
  const folderOfRequests = options.recordRequests ?? process.env['HOLDFAST_RECORD_REQUESTS'];
  if (folderOfRequests !== undefined && folderOfRequests !== '') {
    atEnd(() =>
      writeRequestFile({
        folder: folderOfRequests,
        operator: name,
        test,
        config: runtimeConfig,
        requests: recorder.requests,
      }),
    );
  }
  const registry = new Registry();
  const shutdown = createTestShutdown();
  const giveUp = new AbortController();

  let observation: Observation | undefined;
  let wired: ((signal: AbortSignal) => Promise<void>) | undefined;
  const { webhooks, uninstall } = options;
  const observed = (app: ProgramApp<FlagValues<Table>>): ProgramApp<FlagValues<Table>> => {
    const seen = observe(app, {
      admin: client,
      isStill: clock !== undefined,
      stirred: activity.stir,
      giveUp: giveUp.signal,
    });
    observation = seen.observation;
    return seen.app;
  };

  let end: OperatorEnd | undefined;
  let isEndKnown = false;
  let isStopping = false;
  let isStopped = false;
  const running = runComposed(config, program, (app) => compose(observed(app)), {
    logger,
    registry,
    shutdown,
    ...(clock === undefined
      ? {}
      : { clock: { now: clock.now, after: clock.after }, now: () => new Date(clock.now()) }),
    ...(uninstall === undefined ? {} : { uninstall }),
    ...(webhooks === undefined
      ? {}
      : {
          webhooks: (app) => {
            const joined = wireWebhooks({
              client,
              rehearsal,
              server: webhooks(app),
              configurations: webhookConfigurations,
              trouble: () => lastTrouble(lines),
            });
            wired = joined.wired;
            return joined.server;
          },
        }),
  }).then(
    (code) => (end = { kind: 'exited', code }),
    (error: unknown) => (end = { kind: 'failed', error }),
  );
  const ended = running.finally(activity.stir);

  const endedError = (): Error | undefined => {
    if (isStopped) {
      return new Error(`operator ${name} was stopped; await idle() and eventually() before stop()`);
    }
    if (end === undefined || isStopping) {
      return undefined;
    }
    isEndKnown = true;
    return endError(name, end, lines);
  };

  atEnd(async () => {
    isStopping = true;
    try {
      await endOperator();
    } finally {
      isStopped = true;
      activity.stir();
    }
  });
  const endOperator = async (): Promise<void> => {
    if (end === undefined) {
      shutdown.begin('the end of the test');
      await within(grace.stop, ended);
    } else if (!isEndKnown) {
      throw endError(name, end, lines);
    }
    const hanging = observation?.busyWith() ?? [];
    if (end === undefined) {
      shutdown.giveUp(new Error('the test has ended'));
      await within(grace.abandon, ended);
    }
    if (end === undefined) {
      giveUp.abort(new Error('the test has ended'));
      await within(grace.abandon, ended);
      throw new Error(
        `operator ${name} does not end, ${String(grace.stop + grace.abandon)} ms after it was told to: ${hanging.join('; ') || 'a runnable or a server is under way'}; heed the signal that reconcile and run are given`,
      );
    }
  };

  const waits = createWaits({
    activity,
    patience,
    endedError,
    observation: () => observation,
    operator: name,
    lines,
  });
  await waits.begun();
  await wired?.(AbortSignal.timeout(patience));

  return {
    config,
    plane,
    client,
    requests: recorder.requests,
    log: lines,
    registry,
    get clock() {
      if (clock === undefined) {
        throw new Error(`operator ${name} goes by the machine's clock; give testOperator clock: 'fake'`);
      }
      return clock;
    },
    eventually: waits.eventually,
    idle: waits.idle,
    exited: async () => {
      isEndKnown = true;
      const last = await ended;
      if (last.kind === 'failed') {
        throw endError(name, last, lines);
      }
      return last.code;
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** How an operator ended. */
type OperatorEnd =
  { readonly kind: 'exited'; readonly code: number } | { readonly kind: 'failed'; readonly error: unknown };

const defaultCommand = appCommand({
  name: 'operator',
  version: '0.0.0',
  description: 'an operator under test.',
  gates: {},
  flags: {},
});

function startPlane<Table extends RuntimeFlags>(
  { backend = backendOf(), controlPlane = {} }: TestOperatorOptions<Table>,
  clock: FakeClock | undefined,
): Promise<ControlPlane> {
  if (backend !== 'embedded') {
    return startControlPlane({ ...controlPlane, backend });
  }
  const { apiServerFeatureGates, ...others } = controlPlane;
  return startEmbeddedControlPlane({
    tls: false,
    ...others,
    ...(apiServerFeatureGates === undefined ? {} : { featureGates: apiServerFeatureGates }),
    ...(clock === undefined ? {} : { now: clock.now, after: clock.after }),
  });
}

/** @throws Error if real binaries are chosen but missing. */
function backendOf(): ControlPlaneBackend {
  const chosen = chosenBackend();
  if (chosen === 'real-missing') {
    throw new Error(
      'a real control plane was asked for, and its binaries are missing; see controlPlaneMissing',
    );
  }
  return chosen;
}

/** @throws Error if webhooks are given without configurations, or the other way round. */
function checkWebhooks<Table extends RuntimeFlags>(
  name: string,
  { webhooks, webhookConfigurations = [] }: TestOperatorOptions<Table>,
): void {
  if (webhooks !== undefined && webhookConfigurations.length === 0) {
    throw new Error(
      `operator ${name} has webhooks, and no configuration by which the API server would call them; give testOperator those that you ship as webhookConfigurations`,
    );
  }
  if (webhooks === undefined && webhookConfigurations.length > 0) {
    throw new Error(
      `webhookConfigurations are given, and operator ${name} has no webhooks; give testOperator webhooks as runApp is given it`,
    );
  }
}

/** @throws UsageError as the operator would; Error for `--help` and `--version`. */
function readFlags<Table extends RuntimeFlags>(
  command: Command<Table>,
  kubeconfig: string,
  { flags = [], webhooks }: TestOperatorOptions<Table>,
) {
  const line = parseCommandLine(
    command,
    [
      `--kubeconfig=${kubeconfig}`,
      '--insecure-http',
      '--leader-elect=false',
      '--metrics-bind-address=0',
      '--health-probe-bind-address=0',
      ...(webhooks !== undefined && 'webhookBindAddress' in command.flags
        ? ['--webhook-bind-address=127.0.0.1:0', '--webhook-self-signed']
        : []),
      ...flags,
    ],
    {},
  );
  if (line.kind === 'print') {
    throw new Error(
      `flags ${flags.join(' ')} print something and run nothing; leave --help and --version out`,
    );
  }
  return {
    config: line.values,
    program: { name: command.name, version: command.version, flags: line.texts },
  };
}

/** Returns the error for an operator that has ended by itself. */
function endError(name: string, end: OperatorEnd, lines: readonly LogLine[]): Error {
  if (end.kind === 'failed') {
    const { error } = end;
    return new Error(`operator ${name} failed: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
  return new Error(
    `operator ${name} has ended by itself, with exit code ${String(end.code)}${lastTrouble(lines)}; await exited() where it should`,
  );
}

async function within(milliseconds: number, promise: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([promise, timeout]);
  clearTimeout(timer);
}
