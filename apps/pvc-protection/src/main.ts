#!/usr/bin/env node
import '@holdfast/runtime/lean-heap';
import {
  createEventMetrics,
  createEventRecorder,
  createLogger,
  createMetricsRegistry,
  createWebhookServer,
  openConnections,
  runManager,
  runProgram,
} from '@holdfast/runtime';
import { admissionWebhooks } from './admission/webhooks.ts';
import { command } from './config.ts';
import { createPvcProtection } from './controller.ts';
import { uninstallSteps } from './uninstall/steps.ts';

const { name, version } = command;

await runProgram(command, async (config, program) => {
  const { featureGates: gates, namespaces } = config;
  const logger = await createLogger(name, config);
  const registry = createMetricsRegistry(name, version, gates);
  const connections = openConnections({ config, program: name, version, registry, logger });
  const { client } = connections;
  const events = createEventRecorder({ client, app: name, logger, metrics: createEventMetrics(registry) });
  const { informers, controllers } = createPvcProtection({
    client,
    logger,
    registry,
    events,
    gates,
    namespaces,
    concurrentSyncs: config.concurrentSyncs,
  });
  const webhooks = createWebhookServer({
    config,
    client,
    logger,
    registry,
    ...admissionWebhooks({ client: connections.callers, gates, namespaces }),
  });
  return runManager({
    version,
    config,
    program,
    ...connections,
    logger,
    registry,
    informers,
    controllers,
    events,
    webhooks,
    uninstall: uninstallSteps({ client, waitForDetach: gates.enabled('WaitForVolumeDetach') }),
  });
});
