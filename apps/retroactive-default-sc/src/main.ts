#!/usr/bin/env node
import '@holdfast/runtime/lean-heap';
import {
  connect,
  createEventMetrics,
  createEventRecorder,
  createLogger,
  createMetricsRegistry,
  loadKubeConfig,
  runManager,
  runProgram,
} from '@holdfast/runtime';
import { Registry } from 'prom-client';
import { command } from './config.ts';
import { createRetroactiveDefault } from './controller.ts';

const { name, version } = command;

await runProgram(command, async (config, program) => {
  const logger = await createLogger(name, config);
  const registry = createMetricsRegistry(name, version, config.featureGates);
  const connection = { kubeConfig: () => loadKubeConfig(config), program: name, version };
  const client = connect({
    ...connection,
    registry,
    qps: config.kubeApiQps,
    burst: config.kubeApiBurst,
    dryRun: config.dryRun,
  });
  const events = createEventRecorder({ client, app: name, logger, metrics: createEventMetrics(registry) });
  const { informers, controllers } = createRetroactiveDefault({
    client,
    connectForDryRun: () => connect({ ...connection, registry: new Registry(), dryRun: true }),
    logger,
    registry,
    events,
    gates: config.featureGates,
    namespaces: config.namespaces,
    concurrentSyncs: config.concurrentSyncs,
  });
  return runManager({ version, config, program, client, logger, registry, informers, controllers, events });
});
