import type { FeatureGates } from '@holdfast/core';
import type { WebhookConfig } from '@holdfast/runtime';
import type { Logger } from 'pino';
import type { GateName } from '../gates.ts';

/**
 * Logs a warning if TerminatingClaimGuard is on without a webhook, through which alone it acts. That is no
 * error, because AllAlpha turns it on too.
 */
export function warnOfIdleGuard({
  config,
  gates,
  logger,
}: {
  readonly config: Pick<WebhookConfig, 'webhookBindAddress'>;
  readonly gates: FeatureGates<GateName>;
  readonly logger: Logger;
}): void {
  if (config.webhookBindAddress.kind === 'off' && gates.enabled('TerminatingClaimGuard')) {
    logger.warn(
      { gate: 'TerminatingClaimGuard' },
      'Gate has no effect: no webhook is served without --webhook-bind-address',
    );
  }
}
