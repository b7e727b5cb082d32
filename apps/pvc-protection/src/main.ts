#!/usr/bin/env node
import '@holdfast/runtime/lean-heap';
import {
  connect,
  createLogger,
  createMetricsRegistry,
  loadKubeConfig,
  runManager,
  runProgram,
} from '@holdfast/runtime';
import { command } from './config.ts';
import { createPvcProtection } from './controller.ts';

const { name, version } = command;

await runProgram(command, async (config) => {
  const logger = await createLogger(name, config);
  const registry = createMetricsRegistry(name, version, config.featureGates);
  const client = connect({
    kubeConfig: () => loadKubeConfig(config),
    registry,
    program: name,
    version,
    qps: config.kubeApiQps,
    burst: config.kubeApiBurst,
    dryRun: config.dryRun,
  });
  const { informers, controllers } = createPvcProtection({
    client,
    logger,
    registry,
    gates: config.featureGates,
    namespaces: config.namespaces,
    concurrentSyncs: config.concurrentSyncs,
  });
  return runManager({ version, config, client, logger, registry, informers, controllers });
});
