import { appCommand, checkWebhookConfig, webhookFlags } from '@holdfast/runtime';
import { gates } from './gates.ts';
import { version } from './version.ts';

const identity = { name: 'pvc-protection', domain: 'holdfast.dev', suite: 'holdfast' } as const;

/** The command line of pvc-protection: the runtime's flags and those of its webhooks. */
export const command = appCommand({
  ...identity,
  version,
  description: 'keeps a deleted PersistentVolumeClaim until no pod uses it.',
  gates,
  flags: webhookFlags(identity),
  check: checkWebhookConfig,
});
