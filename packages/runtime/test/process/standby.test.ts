import { afterEach, describe, expect, test } from '@jest/globals';
import { objectKey, persistentVolumeClaims, type PersistentVolumeClaim } from '@holdfast/core';
import {
  createController,
  createControllerMetrics,
  createInformer,
  createInformerMetrics,
  createTenure,
  createWorkQueueMetrics,
  parseCommandLine,
  runManager,
  runtimeFlags,
  systemClock,
} from '@holdfast/runtime';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { createScriptedClient } from '../cache/scripted-client.ts';
import { claim } from '../claim.ts';
import { createLeaseServer } from '../election/lease-server.ts';
import { until } from '../until.ts';

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) {
    await stop();
  }
});

/** An app on the claims of a scripted API server, while another process holds the lease, or none does. */
function start(isHeld: boolean) {
  const command = { name: 'app', version: '1', description: 'An app.', flags: runtimeFlags('app', {}) };
  const line = parseCommandLine(
    command,
    ['--metrics-bind-address=0', '--health-probe-bind-address=0', '--leader-elect-retry-period=20ms'],
    {},
  );
  if (line.kind === 'print') {
    throw new Error(`printed instead: ${line.text}`);
  }
  const leases = createLeaseServer();
  if (isHeld) {
    leases.write({ holderIdentity: 'other', leaseDurationSeconds: 3_600 });
  }
  const api = createScriptedClient();
  const { get, create, patch } = leases.clientOf(systemClock);
  const unasked = () => Promise.reject(new Error('not asked for'));
  const client = { ...api, get, create, patch, document: unasked, text: unasked };
  const registry = new Registry();
  const logger = pino({ level: 'silent' });
  const informer = createInformer<PersistentVolumeClaim>({
    client,
    resource: persistentVolumeClaims,
    logger,
    metrics: createInformerMetrics(registry),
  });
  const reconciled: string[] = [];
  const told: string[] = [];
  const controller = createController({
    name: 'test',
    logger,
    metrics: createControllerMetrics(registry, 'test'),
    queueMetrics: createWorkQueueMetrics(registry, 'test'),
    reconcile: (key) => {
      reconciled.push(key);
      return Promise.resolve({ kind: 'done' });
    },
  });
  const wake = (type: string, object: PersistentVolumeClaim, initial = false): void => {
    told.push(`${type} ${object.metadata.name}${initial ? ', there before' : ''}`);
    controller.queue.add(objectKey(object), initial ? 'initial' : 'event');
  };
  informer.addHandler({
    added: (object, initial) => wake('added', object, initial),
    updated: (_before, after) => wake('updated', after),
    deleted: (last) => wake('deleted', last),
  });
  const exit = runManager({
    version: '1',
    config: line.values,
    client,
    logger,
    registry,
    informers: [informer],
    controllers: [controller],
    tenure: createTenure(systemClock),
    program: { name: 'app', version: '1', flags: {} },
  });
  stops.push(() => {
    process.emit('SIGTERM', 'SIGTERM');
    return exit;
  });
  const depth = async (): Promise<unknown> => {
    const metric = await registry.getSingleMetric('workqueue_depth')?.get();
    return metric?.values[0]?.value;
  };
  return { api, leases, informer, controller, reconciled, told, depth };
}

describe('A2: standby', () => {
  test('8,000 claims made and deleted -> its queue stays empty; once it leads, it works on what is there', async () => {
    const { api, leases, informer, controller, reconciled, told, depth } = start(true);
    api.answerList([{ version: '1', items: [claim('first', 1), claim('changed', 1), claim('deleted', 1)] }]);
    await until('the cache is full', () => api.watches.length === 1 && informer.hasSynced());
    const watch = api.lastWatch();
    for (let n = 0; n < 8_000; n++) {
      const object = claim(`claim-${String(n)}`, 2 * n + 2);
      watch.send({ type: 'ADDED', object });
      watch.send({ type: 'DELETED', object: claim(`claim-${String(n)}`, 2 * n + 3) });
    }
    watch.send({ type: 'MODIFIED', object: claim('changed', 20_000) });
    watch.send({ type: 'DELETED', object: claim('deleted', 20_001) });
    watch.send({ type: 'ADDED', object: claim('later', 20_002) });
    expect([controller.queue.length, await depth(), told.length]).toEqual([0, 0, 0]);
    // The cache is warm all the same.
    expect(informer.store.size).toBe(3);

    leases.write({ holderIdentity: '', leaseDurationSeconds: 1 });
    await until('it works', () => reconciled.length === 3);
    expect(told).toEqual([
      'added first, there before',
      'added changed, there before',
      'added later, there before',
    ]);
    watch.send({ type: 'DELETED', object: claim('first', 20_003) });
    watch.send({ type: 'ADDED', object: claim('new', 20_004) });
    await until('it works on', () => reconciled.length === 5);
    expect(told.slice(3)).toEqual(['deleted first', 'added new']);
  });

  test('P8: lease shows that the data were restored, and nothing else does -> all is listed, and told of whatever its version', async () => {
    const { api, leases, reconciled, told } = start(false);
    api.answerList([{ version: '1', items: [claim('first', 1)] }]);
    await until('it works', () => reconciled.length === 1);
    const backup = leases.save();
    await until('the lease is renewed', () => leases.save().version > backup.version + 1);
    api.answerList([{ version: '1', items: [claim('first', 1)] }]);
    leases.load(backup);
    await until('it is told', () => told.length === 2);
    expect(told).toEqual(['added first, there before', 'updated first']);
  });

  test('leader from the start -> told once of each', async () => {
    const { api, reconciled, told } = start(false);
    api.answerList([{ version: '1', items: [claim('first', 1), claim('second', 1)] }]);
    await until('it works', () => reconciled.length === 2);
    expect(told).toEqual(['added first, there before', 'added second, there before']);
  });
});
