#!/usr/bin/env node
import '@holdfast/runtime/lean-heap';
import { createWebhookServer, runApp } from '@holdfast/runtime';
import { admissionWebhooks } from './admission/webhooks.ts';
import { warnOfIdleGuard } from './admission/warn-of-idle-guard.ts';
import { command } from './config.ts';
import { pvcProtection } from './controller.ts';
import { uninstallSteps } from './uninstall/steps.ts';

await runApp(command, pvcProtection, {
  webhooks: ({ config, client, callers, gates, namespaces, logger, registry }) => {
    warnOfIdleGuard({ config, gates, logger });
    return createWebhookServer({
      config,
      client,
      logger,
      registry,
      ...admissionWebhooks({ client: callers, gates, namespaces, dryRun: config.dryRun }),
    });
  },
  uninstall: ({ client, gates }) =>
    uninstallSteps({ client, waitForDetach: gates.enabled('WaitForVolumeDetach') }),
});
