#!/usr/bin/env node
import '@holdfast/runtime/lean-heap';
import {
  createEventMetrics,
  createEventRecorder,
  createLogger,
  createMetricsRegistry,
  openConnections,
  runManager,
  runProgram,
} from '@holdfast/runtime';
import { command } from './config.ts';
import { createStatefulSetPvcRetention } from './controller.ts';
import { uninstallSteps } from './uninstall.ts';

const { name, version } = command;

await runProgram(command, async (config, program) => {
  const logger = await createLogger(name, config);
  const registry = createMetricsRegistry(name, version, config.featureGates);
  const connections = openConnections({ config, program: name, version, registry, logger });
  const { client } = connections;
  const events = createEventRecorder({ client, app: name, logger, metrics: createEventMetrics(registry) });
  const { informers, controllers } = createStatefulSetPvcRetention({
    client,
    logger,
    registry,
    events,
    gates: config.featureGates,
    workloads: config.workloads,
    yieldToStockController: config.yieldToStockController,
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
    events,
    informers,
    controllers,
    uninstall: uninstallSteps(config.workloads),
  });
});
