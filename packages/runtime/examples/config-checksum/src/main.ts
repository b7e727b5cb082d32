#!/usr/bin/env node
import '@holdfast/runtime/lean-heap';
import { configMaps, objectKey, parseKey } from '@holdfast/core';
import {
  appCommand,
  createController,
  createControllerMetrics,
  createInformer,
  createInformerMetrics,
  createLogger,
  createMetricsRegistry,
  createWorkQueueMetrics,
  guardedWrite,
  openConnections,
  resultOfWrite,
  runManager,
  runProgram,
} from '@holdfast/runtime';
import { checksumPatch, label } from './checksum.ts';

const name = 'config-checksum';
const version = '1.0.0';
const description = 'keeps a checksum of its data on every ConfigMap that wants one.';
const command = appCommand({ name, version, description, gates: {}, flags: {} });

await runProgram(command, async (config, program) => {
  const logger = await createLogger(name, config);
  const registry = createMetricsRegistry(name, version, config.featureGates);
  const connections = openConnections({ config, program: name, version, registry, logger });
  const { client } = connections;
  const informer = createInformer({
    client,
    resource: configMaps,
    logger,
    metrics: createInformerMetrics(registry),
    namespaces: config.namespaces,
    labelSelector: `${label}=yes`,
  });
  const controller = createController({
    name,
    logger,
    metrics: createControllerMetrics(registry, name),
    queueMetrics: createWorkQueueMetrics(registry, name),
    concurrency: config.concurrentSyncs,
    reconcile: async (key, _batch, signal) => {
      const map = informer.store.get(key);
      const patch = map === undefined ? undefined : checksumPatch(map);
      if (patch === undefined) {
        return { kind: 'done' };
      }
      const written = await guardedWrite(() => client.patch(configMaps, parseKey(key), patch, { signal }));
      if (written.kind === 'written') {
        logger.info({ key }, 'Checksum written');
      }
      return resultOfWrite(written);
    },
  });
  informer.addHandler({
    added: (map, inInitialList) => controller.queue.add(objectKey(map), inInitialList ? 'initial' : 'event'),
    updated: (_before, after) => controller.queue.add(objectKey(after)),
  });
  return runManager({
    version,
    config,
    ...connections,
    logger,
    registry,
    informers: [informer],
    controllers: [controller],
    program,
  });
});
