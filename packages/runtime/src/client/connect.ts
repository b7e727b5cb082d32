import type { KubeConfig } from '@kubernetes/client-node';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { identityOf, userAgentOf, type ProgramOrName } from '../identity/program-identity.ts';
import { systemClock, type Clock } from '../time/clock.ts';
import type { Tenure } from './tenure.ts';
import { createClientMetrics, type ClientMetrics } from './client-metrics.ts';
import { createCredentialSource } from './credentials.ts';
import { createTokenBucket } from '../time/token-bucket.ts';
import { createBusyLog } from './busy-log.ts';
import { createApiClient } from './http-api-client.ts';
import { createTransport } from './transport.ts';
import type { WritingClient } from './verbs.ts';
import { createWarningLog } from './warning-log.ts';
import type { ApiWarning } from './warnings.ts';

/** To which cluster, as whom, and within which limits a client connects. */
export interface ConnectOptions {
  /** Reads the kubeconfig; see `loadKubeConfig`. Called again when the API server refuses the credentials. */
  readonly kubeConfig: () => KubeConfig;
  readonly registry: Registry;
  /** The program, for the API server's log and as the field manager of what is applied. */
  readonly program: ProgramOrName;
  readonly version: string;
  /** Requests a second, and as many watches opened; zero or less: no limit, which is the default. */
  readonly qps?: number;
  /** Requests at once after a rest. Default 1. */
  readonly burst?: number;
  /** Send every write with `dryRun=All`. Default false. */
  readonly dryRun?: boolean;
  /** How often an answer with Retry-After is waited out. Default 10. */
  readonly retries?: number;
  /** A request that waits longer for the next byte fails, milliseconds. Default 30000. */
  readonly timeout?: number;
  /** Logs when the API server asks to wait, and what it warns of, each text once. Default: nothing is logged. */
  readonly logger?: Logger;
  /**
   * Called with each warning of the API server, also where it says the same again. What it throws is logged and goes no further. Default: warnings are
   * counted, and logged.
   */
  readonly onWarning?: (warning: ApiWarning) => void;
  /** Asked right before each write leaves. Default: none. */
  readonly tenure?: Tenure;
  /**
   * Of rate limits, Retry-Afters and the age of looks and credentials, so that tests need not wait for them. How long a connection may be silent is counted by the
   * machine's clock all the same. Default: the machine's.
   */
  readonly clock?: Clock;
}

/**
 * A client of the cluster that the kubeconfig names. Nothing is sent yet.
 *
 * @throws what `kubeConfig` throws.
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
    logger,
    tenure,
    clock = systemClock,
  } = options;
  const credentials = createCredentialSource(options.kubeConfig, clock);
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
