import { appCommand, checkWebhookConfig, webhookFlags } from '@holdfast/runtime';
import { gates } from './gates.ts';
import { version } from './version.ts';

/** The command line of pvc-protection: the runtime's flags and those of its webhooks. */
export const command = appCommand({
  name: 'pvc-protection',
  version,
  description: 'keeps a deleted PersistentVolumeClaim until no pod uses it.',
  gates,
  flags: webhookFlags('pvc-protection'),
  check: checkWebhookConfig,
});
