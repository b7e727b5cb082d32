import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import {
  configMaps,
  mutatingWebhookConfigurations,
  validatingWebhookConfigurations,
  type ClusterResource,
  type MutatingWebhookConfiguration,
  type ValidatingWebhookConfiguration,
} from '@holdfast/core';
import type { ApiClient } from '../client/api-client.ts';
import type { WritingClient } from '../client/verbs.ts';
import type { WebhookServer } from '../webhook/webhook-server.ts';
import { awaitObject } from './await-object.ts';

type Configuration = ValidatingWebhookConfiguration | MutatingWebhookConfiguration;

/**
 * A webhook configuration as it is shipped. Its webhooks name a service, of which only the path is used here.
 */
export interface WebhookConfigurationDraft {
  readonly kind: 'ValidatingWebhookConfiguration' | 'MutatingWebhookConfiguration';
  readonly metadata: { readonly name: string };
  readonly webhooks: readonly WebhookDraft[];
}

/** One webhook of the configuration, with all of its fields. */
export interface WebhookDraft {
  readonly name: string;
  readonly clientConfig: {
    readonly service?: { readonly path?: string };
    readonly url?: string;
  };
}

export interface WiredWebhooks {
  /** The server, which has its configurations created once it listens. */
  readonly server: WebhookServer;
  /** Resolves when the API server can call it: each webhook has the authority by which it is trusted. */
  wired(signal: AbortSignal): Promise<void>;
}

export interface WireOptions {
  readonly client: WritingClient;
  /** Sends only dry runs. */
  readonly rehearsal: ApiClient;
  readonly server: WebhookServer;
  readonly configurations: readonly WebhookConfigurationDraft[];
  /** Returns what the operator last logged about trouble, for the end of an error message. */
  readonly trouble: () => string;
}

/** Milliseconds between checks of whether the API server uses a stored configuration: it does not say. */
const interval = 20;

/**
 * Connects a webhook server to the API server. The configurations name its address in place of a service,
 * since nothing here routes to a service.
 *
 * An API server uses a new configuration some time after storing it. So each configuration gets one more
 * webhook, which applies only to a dry-run write of this helper. While that write is allowed, or fails
 * because of the certificate, the configuration is not in force yet.
 */
export function wireWebhooks({
  client,
  rehearsal,
  server,
  configurations,
  trouble,
}: WireOptions): WiredWebhooks {
  const probed = configurations.map((draft) => ({ draft, probe: randomUUID() }));

  const configure = async ({ draft, probe }: Probed, address: string): Promise<void> => {
    const webhooks = [...draft.webhooks, probeWebhook(probe)].map((webhook) => at(address, webhook));
    const { name } = draft.metadata;
    await client.apply(
      resourceOf(draft),
      { name },
      { ...draft, webhooks },
      { fieldManager: 'test-operator', force: true },
    );
  };

  const isInForce = async (probe: string, signal: AbortSignal): Promise<boolean> => {
    try {
      const metadata = { name: 'probe', labels: { [probeLabel]: probe } };
      await rehearsal.create(configMaps, 'default', { metadata }, { signal });
      return false;
    } catch (error) {
      signal.throwIfAborted();
      // If it is trusted, the server answers that it has nothing at this path.
      return !/certificate|x509|tls/i.test(String(error));
    }
  };

  const inForce = async ({ draft, probe }: Probed, signal: AbortSignal): Promise<void> => {
    const { name } = draft.metadata;
    const isTrusted = ({ webhooks = [] }: Configuration): boolean =>
      webhooks.every(({ clientConfig }) => Boolean(clientConfig.caBundle));
    try {
      await awaitObject(client, resourceOf(draft), { name }, isTrusted, signal);
      while (!(await isInForce(probe, signal))) {
        await pause(interval, undefined, { signal });
      }
    } catch (error) {
      const why = signal.aborted ? ' in time' : `: ${String(error)}`;
      throw new Error(
        `${draft.kind} ${name} does not take effect${why}; its name must be that of --webhook-configuration-name, and its kind among the configurations of createWebhookServer${trouble()}`,
        { cause: error },
      );
    }
  };

  return {
    server: {
      ...server,
      start: async () => {
        const listening = await server.start();
        if (listening === undefined) {
          throw new Error(
            'the webhooks are turned off, and webhookConfigurations are given: spread webhookFlags into the flags of the command, or leave the configurations out',
          );
        }
        try {
          await Promise.all(probed.map((each) => configure(each, listening.address)));
        } catch (error) {
          await listening.close();
          throw error;
        }
        return listening;
      },
    },
    wired: async (signal) => {
      await Promise.all(probed.map((each) => inForce(each, signal)));
    },
  };
}

interface Probed {
  readonly draft: WebhookConfigurationDraft;
  readonly probe: string;
}

const probeLabel = 'holdfast.dev/probe';

/** Returns a webhook that does not exist, so that what it is asked about is refused. */
function probeWebhook(probe: string): WebhookDraft {
  return {
    name: 'probe.test-operator.holdfast.dev',
    clientConfig: { service: { path: `/probe-${probe}` } },
    ...{
      rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
      objectSelector: { matchLabels: { [probeLabel]: probe } },
      failurePolicy: 'Fail',
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    },
  };
}

function resourceOf({ kind }: WebhookConfigurationDraft): ClusterResource<Configuration> {
  return kind === 'MutatingWebhookConfiguration'
    ? mutatingWebhookConfigurations
    : validatingWebhookConfigurations;
}

function at(address: string, webhook: WebhookDraft): object {
  const { service, url } = webhook.clientConfig;
  const path = service?.path ?? (url === undefined ? '/' : new URL(url).pathname);
  return { ...webhook, clientConfig: { url: `https://${address}${path}` } };
}
