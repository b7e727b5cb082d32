import type { KubeConfig } from '@kubernetes/client-node';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { identityOf, userAgentOf, type ProgramOrName } from '../identity/program-identity.ts';
import { systemClock, type Clock } from '../time/clock.ts';
import type { Tenure } from './tenure.ts';
import { createClientMetrics, type ClientMetrics } from './client-metrics.ts';
import { createCredentialSource } from './credentials.ts';
import { mustBeRate } from '../time/rate-options.ts';
import { createTokenBucket } from '../time/token-bucket.ts';
import { createBusyLog } from './busy-log.ts';
import { createApiClient } from './http-api-client.ts';
import { createTransport } from './transport.ts';
import type { WritingClient } from './verbs.ts';
import { createWarningLog } from './warning-log.ts';
import type { ApiWarning } from './warnings.ts';

/** Which cluster a client connects to, as which user, and within which limits. */
export interface ConnectOptions {
  /**
   * Loads the kubeconfig; see `loadKubeConfig`. Called again if the API server refuses the credentials, or if no
   * request can be sent with them.
   */
  readonly kubeConfig: () => KubeConfig;
  readonly registry: Registry;
  /** Identifies the program in the API server's log, and is the field manager of what it applies. */
  readonly program: ProgramOrName;
  readonly version: string;
  /**
   * Requests per second; watches are limited separately at the same rate. Zero or less, the default, means no
   * limit.
   */
  readonly qps?: number;
  /** How many requests can be sent at once after a pause. Default: 1. */
  readonly burst?: number;
  /** Sends every write with `dryRun=All`. Default: false. */
  readonly dryRun?: boolean;
  /** How often a response with Retry-After is retried. Default: 10. */
  readonly retries?: number;
  /** A request that waits longer than this for the next byte fails, in milliseconds. Default: 30000. */
  readonly timeout?: number;
  /**
   * A request, apart from watches, whose response is not complete by then fails, in milliseconds. Default: 90000.
   */
  readonly timeLimit?: number;
  /**
   * Logs when the API server asks the client to wait, and its warnings, each text once. Default: nothing is
   * logged.
   */
  readonly logger?: Logger;
  /**
   * Called with each warning of the API server, even a repeated one. If it throws, the error is logged and
   * goes no further. Default: warnings are counted and logged.
   */
  readonly onWarning?: (warning: ApiWarning) => void;
  /** Asked right before each write is sent. Default: none. */
  readonly tenure?: Tenure;
  /**
   * The clock for rate limits, Retry-After, and the age of looks and credentials, so that tests need not wait
   * for them. How long a connection can be silent is always measured by the machine's clock. Default: the
   * machine's.
   */
  readonly clock?: Clock;
}

/**
 * Creates a client of the cluster that the kubeconfig names. It sends nothing yet.
 *
 * @throws what `kubeConfig` throws, and an error if `qps` or `burst` is NaN.
 */
export function connect(options: ConnectOptions): WritingClient {
  const {
    registry,
    program,
    version,
    qps = 0,
    burst = 1,
    dryRun = false,
    retries,
    timeout,
    timeLimit,
    logger,
    tenure,
    clock = systemClock,
  } = options;
  mustBeRate('connect', { qps, burst });
  const credentials = createCredentialSource(options.kubeConfig, clock, {
    onKept: (error) => logger?.warn({ err: error }, 'Credentials can not be renewed, the last ones are used'),
  });
  const cluster = options.kubeConfig().getCurrentCluster();
  const server = new URL(cluster?.server ?? '');
  const metrics = createClientMetrics(registry, server.host);
  return createApiClient({
    transport: createTransport({
      origin: server.origin,
      onWarning: passWarnings(metrics, logger, options.onWarning),
      ...(cluster?.proxyUrl === undefined ? {} : { proxyUrl: cluster.proxyUrl }),
    }),
    basePath: server.pathname.replace(/\/$/, ''),
    credentials,
    ...(qps > 0
      ? {
          rateLimit: createTokenBucket({ qps, burst, clock }),
          watchRateLimit: createTokenBucket({ qps, burst, clock }),
        }
      : {}),
    metrics,
    clock,
    userAgent: userAgentOf(program, version),
    fieldManager: identityOf(program).name,
    dryRun,
    ...(tenure === undefined ? {} : { tenure }),
    ...(timeout === undefined ? {} : { timeout }),
    ...(timeLimit === undefined ? {} : { timeLimit }),
    ...(retries === undefined ? {} : { retries }),
    ...(logger === undefined ? {} : { onBusy: createBusyLog(logger, clock) }),
  });
}

function passWarnings(
  metrics: ClientMetrics,
  logger: Logger | undefined,
  onWarning: ConnectOptions['onWarning'],
): (warning: ApiWarning) => void {
  const log = logger === undefined ? undefined : createWarningLog(logger);
  return (warning) => {
    metrics.warning();
    log?.(warning);
    try {
      onWarning?.(warning);
    } catch (error) {
      // The request that the warning came with is not at fault, and has perhaps been carried out.
      logger?.error({ err: error }, 'Callback for warnings failed');
    }
  };
}
