#!/usr/bin/env node
import '@holdfast/runtime/lean-heap';
import {
  connect,
  createEventMetrics,
  createEventRecorder,
  createLogger,
  createMetricsRegistry,
  loadKubeConfig,
  openConnections,
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
  const connections = openConnections({ config, program: name, version, registry, logger });
  const { client } = connections;
  const events = createEventRecorder({ client, app: name, logger, metrics: createEventMetrics(registry) });
  const { informers, controllers } = createRetroactiveDefault({
    client,
    connectForDryRun: () =>
      connect({
        kubeConfig: () => loadKubeConfig(config),
        program: name,
        version,
        registry: new Registry(),
        dryRun: true,
      }),
    logger,
    registry,
    events,
    gates: config.featureGates,
    namespaces: config.namespaces,
    concurrentSyncs: config.concurrentSyncs,
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
    // A class that was given is the claim's own from then on, and nothing else is written.
    uninstall: [],
  });
});
