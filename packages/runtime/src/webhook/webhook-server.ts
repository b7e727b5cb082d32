import { createServer, type Server } from 'node:https';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { ApiClient } from '../client/api-client.ts';
import { systemClock, type Clock } from '../time/clock.ts';
import type { BindAddress } from '../flags/bind-address.ts';
import { listenOn, type CallerLimits, type HttpServer } from '../serving/http-server.ts';
import { podNamespace } from '../client/pod-namespace.ts';
import { answerReview } from './admission-endpoint.ts';
import type { AdmissionHandler } from './admission.ts';
import { openCertificateFiles } from './certificate-files.ts';
import { openClientAuthority, type ClientAuthority } from './client-authority.ts';
import { createReviewBudgets } from './review-budget.ts';
import { createSelfSignedCertificate, type WebhookConfigurationRef } from './self-signed-certificate.ts';
import type { CertificateSource, ServingCertificate } from '../serving/serving-certificate.ts';
import type { WebhookConfig } from './webhook-flags.ts';
import { createTroubleLog } from './trouble-log.ts';
import { createWebhookMetrics } from './webhook-metrics.ts';

/** What a webhook server serves, and with which certificate. */
export interface WebhookServerOptions {
  readonly config: WebhookConfig;
  readonly client: ApiClient;
  readonly logger: Logger;
  readonly registry: Registry;
  /** The handlers by path, for example `/validate-v1-persistentvolumeclaim`. */
  readonly routes: Readonly<Record<string, AdmissionHandler>>;
  /**
   * The kinds of configuration that contain our webhooks; with --webhook-self-signed their caBundle is filled
   * in.
   */
  readonly configurations: readonly WebhookConfigurationRef['resource'][];
  readonly clock?: Clock;
  /**
   * Default: 10 s for the headers of a request, 60 s for a part of its response, 1,024 connections. Further ones
   * are closed at once, because the oldest are those that API servers keep.
   */
  readonly limits?: CallerLimits;
}

/** The server of admission webhooks, which the manager runs. Every replica serves them, leader or not. */
export interface WebhookServer {
  /**
   * Starts listening; undefined if webhooks are turned off. TLS handshakes fail until there is a certificate.
   *
   * @throws UsageError if the address cannot be listened on, or a certificate file cannot be used.
   */
  start(): Promise<HttpServer | undefined>;
  /** Keeps the certificate fresh until aborted; never rejects. */
  run(signal: AbortSignal): Promise<void>;
  /** Returns true if webhooks are turned off or there is a certificate. */
  isReady(): boolean;
}

/** How long the end waits for requests under way, in milliseconds. */
const grace = 5_000;
/**
 * The API server waits at most 30 s for a webhook, and that time can pass without any data. A caller that
 * takes nothing of its response for longer is not an API server. Each API server keeps a few connections.
 */
const callerLimits: CallerLimits = { patience: 10_000, idle: 60_000, connections: 1_024 };

/** Creates a server for admission webhooks; `runApp` and `runManager` run it. Nothing listens yet. */
export function createWebhookServer(options: WebhookServerOptions): WebhookServer {
  const { config, client, logger, configurations, clock = systemClock } = options;
  const bind = config.webhookBindAddress;
  let source: CertificateSource | undefined;
  let server: Server | undefined;
  let clientAuthority: ClientAuthority | undefined;
  let isReady = bind.kind === 'off';

  const openSource = (
    address: Extract<BindAddress, { readonly kind: 'listen' }>,
  ): Promise<CertificateSource> => {
    if (config.webhookCertDir !== undefined) {
      return openCertificateFiles({ folder: config.webhookCertDir, clock, logger });
    }
    const namespace = config.webhookNamespace ?? podNamespace() ?? 'kube-system';
    return Promise.resolve(
      createSelfSignedCertificate({
        client,
        secret: { namespace, name: config.webhookSecretName },
        hosts: hostsOf(`${config.webhookServiceName}.${namespace}`),
        ownHosts: isEvery(address.host) ? [] : [address.host],
        configurations: configurations.map((resource) => ({
          resource,
          name: config.webhookConfigurationName,
        })),
        clock,
        logger,
      }),
    );
  };

  return {
    start: async () => {
      if (bind.kind === 'off') {
        warnOfIdleFlags(config, logger);
        return undefined;
      }
      source = await openSource(bind);
      const { webhookClientCa: path } = config;
      clientAuthority = path === undefined ? undefined : await openClientAuthority({ path, clock, logger });
      server = createHandshakeServer(options, clientAuthority !== undefined);
      return listenOn(server, 'webhook', bind, grace);
    },
    run: async (signal) => {
      let shown: ServingCertificate | undefined;
      const use = (): void => {
        if (shown !== undefined) {
          server?.setSecureContext({
            cert: shown.certificate,
            key: shown.key,
            minVersion: 'TLSv1.2',
            ...(clientAuthority === undefined ? {} : { ca: clientAuthority.certificates() }),
          });
          isReady = true;
        }
      };
      await Promise.all([
        source?.follow((certificate) => {
          shown = certificate;
          use();
        }, signal),
        clientAuthority?.follow(use, signal),
      ]);
    },
    isReady: () => isReady,
  };
}

/** Without a webhook, flags for its certificate are probably a mistake; a wrapper might give them always. */
function warnOfIdleFlags(config: WebhookConfig, logger: Logger): void {
  const flags = [
    ...(config.webhookCertDir === undefined ? [] : ['webhook-cert-dir']),
    ...(config.webhookSelfSigned ? ['webhook-self-signed'] : []),
    ...(config.webhookClientCa === undefined ? [] : ['webhook-client-ca']),
  ];
  if (flags.length > 0) {
    logger.warn({ flags }, 'Flags have no effect: no webhook is served without --webhook-bind-address');
  }
}

/** Returns the names by which the API server can call a Service. */
function hostsOf(service: string): readonly string[] {
  return [`${service}.svc`, `${service}.svc.cluster.local`];
}

/** Returns whether the server listens on all addresses. */
function isEvery(host: string | undefined): host is undefined | '0.0.0.0' | '::' {
  return host === undefined || host === '0.0.0.0' || host === '::';
}

/** Creates a server that has no certificate yet. */
function createHandshakeServer(
  { routes, registry, logger, clock = systemClock, limits = callerLimits }: WebhookServerOptions,
  asksForCertificate: boolean,
): Server {
  const { patience, idle, connections } = limits;
  const options = {
    handshakeTimeout: patience,
    // By default Node looks for late callers only every 30 s.
    connectionsCheckingInterval: patience / 2,
    ...(asksForCertificate ? { requestCert: true, rejectUnauthorized: true } : {}),
  };
  const metricsOf = createWebhookMetrics(registry);
  const nextBudget = createReviewBudgets();
  const endpoints = new Map(
    Object.entries(routes).map(([path, handler]) => [
      path,
      { handler, metrics: metricsOf(path), budget: nextBudget() },
    ]),
  );
  const log = createTroubleLog(logger, clock);
  const server = createServer(options, (request, response) => {
    const endpoint = endpoints.get((request.url ?? '/').split('?', 1)[0] ?? '/');
    if (endpoint === undefined) {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('404 page not found\n');
      return;
    }
    const started = clock.now();
    endpoint.metrics.started();
    response.once('close', () => endpoint.metrics.finished(response.statusCode, clock.now() - started));
    answerReview(endpoint.handler, endpoint.budget, request, response, log).catch((error: unknown) => {
      log('warn', { err: error, path: request.url }, 'Admission request broke off');
      response.destroy();
    });
  });
  // The API server keeps idle connections for 90 s. If we closed them earlier, some calls would find a closed
  // connection.
  server.keepAliveTimeout = 120_000;
  // The API server waits at most 30 s for a webhook.
  server.requestTimeout = 30_000;
  server.headersTimeout = patience;
  server.timeout = idle;
  server.maxConnections = connections;
  server.on('tlsClientError', (error) => logger.debug({ err: error }, 'TLS handshake failed'));
  return server;
}
