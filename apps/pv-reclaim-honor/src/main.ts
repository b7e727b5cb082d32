#!/usr/bin/env node
import '@holdfast/runtime/lean-heap';
import { threads } from './thread-pool.ts';
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
import { createPvReclaimHonor } from './controller.ts';
import { uninstallSteps } from './uninstall.ts';

const { name, version } = command;

await runProgram(command, async (config, program) => {
  const logger = await createLogger(name, config);
  const registry = createMetricsRegistry(name, version, config.featureGates);
  const connections = openConnections({ config, program: name, version, registry, logger });
  const { client, tenure } = connections;
  const events = createEventRecorder({ client, app: name, logger, metrics: createEventMetrics(registry) });
  const { informers, controllers } = createPvReclaimHonor({
    client,
    tenure,
    logger,
    registry,
    events,
    gates: config.featureGates,
    namespaces: config.namespaces,
    concurrentSyncs: config.concurrentSyncs,
    mode: config.mode,
    dryRun: config.dryRun,
    csiAddresses: config.csiAddress ?? [],
    csiTimeout: config.csiTimeout,
    csiFinalizer: config.csiFinalizer,
    migratedPlugins: config.migratedPlugins ?? [],
    hostPathRoot: config.hostPathRoot,
    threads,
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
    uninstall: uninstallSteps(config),
  });
});
