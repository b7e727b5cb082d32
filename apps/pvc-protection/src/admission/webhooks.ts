import {
  mutatingWebhookConfigurations,
  validatingWebhookConfigurations,
  type FeatureGates,
} from '@holdfast/core';
import type { AdmissionHandler, ApiClient, WebhookServerOptions } from '@holdfast/runtime';
import type { GateName } from '../gates.ts';
import { createBindingGuard } from './guard-binding.ts';
import { protectClaim } from './protect-claim.ts';

export interface AdmissionOptions {
  readonly client: ApiClient;
  readonly gates: FeatureGates<GateName>;
  /** Empty: all namespaces. Requests in other namespaces are allowed unchanged. */
  readonly namespaces: readonly string[];
  /**
   * Allows every request unchanged: the API server applies what a webhook returns, even if the webhook itself
   * runs dry. Default: false.
   */
  readonly dryRun?: boolean;
}

/**
 * Returns the webhooks by path, as deploy/pvc-protection names them. A webhook whose gate is off allows
 * everything unchanged.
 */
export function admissionWebhooks({
  client,
  gates,
  namespaces,
  dryRun = false,
}: AdmissionOptions): Pick<WebhookServerOptions, 'routes' | 'configurations'> {
  const within =
    (isOn: boolean, handler: AdmissionHandler): AdmissionHandler =>
    (request, signal) =>
      isOn && !dryRun && (namespaces.length === 0 || namespaces.includes(request.namespace ?? ''))
        ? handler(request, signal)
        : { kind: 'allowed' };
  const guard = gates.enabled('TerminatingClaimGuard');
  return {
    configurations: [mutatingWebhookConfigurations, ...(guard ? [validatingWebhookConfigurations] : [])],
    routes: {
      '/mutate-v1-persistentvolumeclaim': within(gates.enabled('StorageObjectInUseProtection'), protectClaim),
      '/validate-v1-binding': within(guard, createBindingGuard(client)),
    },
  };
}
