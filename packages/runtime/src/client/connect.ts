import type { KubeConfig } from '@kubernetes/client-node';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { systemClock } from '../time/clock.ts';
import type { Tenure } from './tenure.ts';
import type { ConnectedClient } from './api-client.ts';
import { createClientMetrics } from './client-metrics.ts';
import { createCredentialSource } from './credentials.ts';
import { createTokenBucket } from '../time/token-bucket.ts';
import { createBusyLog } from './busy-log.ts';
import { createApiClient } from './http-api-client.ts';
import { createTransport } from './transport.ts';

export interface ConnectOptions {
  /** Reads the kubeconfig; see `loadKubeConfig`. Called again when the API server refuses the credentials. */
  readonly kubeConfig: () => KubeConfig;
  readonly registry: Registry;
  /** Name of the program, for the API server's log. */
  readonly program: string;
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
  /** Logs when the API server asks to wait. Default: nothing is logged. */
  readonly logger?: Logger;
  /** Asked right before each write leaves. Default: none. */
  readonly tenure?: Tenure;
}

/**
 * A client of the cluster that the kubeconfig names. Nothing is sent yet.
 *
 * @throws what `kubeConfig` throws.
 */
export function connect(options: ConnectOptions): ConnectedClient {
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
  } = options;
  const credentials = createCredentialSource(options.kubeConfig, systemClock);
  const cluster = options.kubeConfig().getCurrentCluster();
  const server = new URL(cluster?.server ?? '');
  return createApiClient({
    transport: createTransport({
      origin: server.origin,
      ...(cluster?.proxyUrl === undefined ? {} : { proxyUrl: cluster.proxyUrl }),
    }),
    basePath: server.pathname.replace(/\/$/, ''),
    credentials,
    ...(qps > 0
      ? {
          rateLimit: createTokenBucket({ qps, burst, clock: systemClock }),
          watchRateLimit: createTokenBucket({ qps, burst, clock: systemClock }),
        }
      : {}),
    metrics: createClientMetrics(registry, server.host),
    clock: systemClock,
    userAgent: `${program}/${version} (${process.platform}/${process.arch}) holdfast`,
    dryRun,
    ...(tenure === undefined ? {} : { tenure }),
    ...(timeout === undefined ? {} : { timeout }),
    ...(retries === undefined ? {} : { retries }),
    ...(logger === undefined ? {} : { onBusy: createBusyLog(logger, systemClock) }),
  });
}
