import { afterEach, describe, expect, test } from '@jest/globals';
import {
  objectKey,
  persistentVolumeClaims,
  pods,
  storageClasses,
  type ApiResource,
  type KubernetesObject,
} from '@holdfast/core';
import { createFakeClock, settled } from '@holdfast/testing/fake-clock';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { createInformerMetrics } from '../../src/cache/informer-metrics.ts';
import { createInformer } from '../../src/cache/informer.ts';
import { ApiError } from '../../src/client/api-error.ts';
import { createControllerMetrics } from '../../src/controller/controller-metrics.ts';
import { createController } from '../../src/controller/controller.ts';
import { runControllers } from '../../src/process/run-controllers.ts';
import { syncChecks } from '../../src/process/sync-checks.ts';
import { createWorkQueueMetrics } from '../../src/queue/work-queue-metrics.ts';
import { claim } from '../claim.ts';
import { createScriptedClient, gone } from '../cache/scripted-client.ts';

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
});

const forbidden = new ApiError('GET /pods', 403, { reason: 'Forbidden' });
const full = (...items: readonly KubernetesObject[]) => [{ version: '10', items }];

/** Claims and pods of two namespaces, and classes of the cluster. Each added object wakes its key. */
function start(namespaces: readonly string[] = ['shop', 'bank']) {
  const clock = createFakeClock();
  const registry = new Registry();
  const metrics = createInformerMetrics(registry);
  const lines: { readonly level: number; readonly msg: string; readonly namespace?: string }[] = [];
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      lines.push(JSON.parse(chunk.toString()) as (typeof lines)[number]);
      done();
    },
  });
  const logger = pino(stream);
  const worked: string[] = [];
  const controller = createController({
    name: 'test',
    logger,
    metrics: createControllerMetrics(registry, 'test'),
    queueMetrics: createWorkQueueMetrics(registry, 'test'),
    clock,
    reconcile: (key) => {
      worked.push(key);
      return Promise.resolve({ kind: 'done' });
    },
  });
  const heard: string[] = [];
  const follow = (resource: ApiResource<KubernetesObject>, chosen: readonly string[]) => {
    const client = createScriptedClient();
    const informer = createInformer({ client, resource, logger, metrics, clock, namespaces: chosen });
    informer.addHandler({
      added: (object) => controller.queue.add(`${resource.plural} ${objectKey(object)}`),
      started: (scope) => heard.push(`${resource.plural} ${scope ?? 'all'}`),
    });
    informer.holdHandlers();
    return { client, informer };
  };
  const claimsPart = follow(persistentVolumeClaims, namespaces);
  const podsPart = follow(pods, namespaces);
  const classesPart = follow(storageClasses, []);
  const informers = [claimsPart, podsPart, classesPart].map(({ informer }) => informer);
  const stop = new AbortController();
  const running = [
    ...informers.map((informer) => informer.run(stop.signal)),
    runControllers({ informers, controllers: [controller] }, stop.signal, stop.signal),
  ];
  stops.push(() => {
    stop.abort(new Error('the test is over'));
    return Promise.all(running);
  });
  return {
    clock,
    registry,
    claims: claimsPart.client,
    pods: podsPart.client,
    classes: classesPart.client,
    worked,
    heard,
    lines,
    failing: () =>
      syncChecks(informers).flatMap(({ name, healthy, isRequired }) =>
        healthy() ? [] : [`${name}${isRequired === false ? '' : ', required'}`],
      ),
    podsOf: (namespace: string) => podsPart.informer.isFollowing(namespace),
  };
}

const inBank = claim('b', 4, { namespace: 'bank' });

describe('B1: one namespace that can not be read', () => {
  test.each([
    { why: 'forbidden', failure: forbidden },
    { why: 'not answered', failure: new Error('timeout') },
  ])(
    'pods of one are $why, its claims can be read -> the other is worked on; readable later -> it is too',
    async ({ failure }) => {
      const { claims, pods, classes, clock, worked, heard, lines } = start();
      classes.answerList(full());
      claims.answerList(full(claim('a', 3)), 'shop');
      claims.answerList(full(inBank), 'bank');
      pods.answerList(full(), 'shop');
      for (let tries = 0; tries < 3; tries++) {
        pods.answerList(failure, 'bank');
        await settled();
        await clock.advance(60_000);
      }
      expect(worked).toEqual(['persistentvolumeclaims shop/a']);
      expect(heard).toEqual(['persistentvolumeclaims shop', 'pods shop', 'storageclasses all']);
      expect(lines.map(({ msg, namespace }) => [msg, namespace])).toEqual(
        Array.from({ length: 3 }, () => [
          'Namespace is not worked on: a resource can not be read there',
          'bank',
        ]),
      );
      pods.answerList(full(), 'bank');
      await clock.advance(60_000);
      expect(worked).toEqual(['persistentvolumeclaims shop/a', 'persistentvolumeclaims bank/b']);
      expect(heard.slice(3)).toEqual(['persistentvolumeclaims bank', 'pods bank']);
      expect(lines.at(-1)).toMatchObject({
        msg: 'Resource can be read in the namespace',
        namespace: 'bank',
        resource: 'pods',
      });
    },
  );

  test('its claims change while it is left out -> nothing is worked on, and once each when it is not', async () => {
    const { claims, pods, classes, clock, worked } = start();
    classes.answerList(full());
    claims.answerList(full(), 'shop');
    pods.answerList(full(), 'shop');
    claims.answerList(full(inBank), 'bank');
    pods.answerList(forbidden, 'bank');
    await settled();
    const watch = claims.watches.find(({ options }) => options.namespace === 'bank');
    watch?.send({ type: 'ADDED', object: claim('c', 11, { namespace: 'bank' }) });
    watch?.send({ type: 'DELETED', object: claim('b', 12, { namespace: 'bank' }) });
    await settled();
    expect(worked).toStrictEqual([]);
    pods.answerList(full(), 'bank');
    await clock.advance(60_000);
    expect(worked).toEqual(['persistentvolumeclaims bank/c']);
  });

  test('what is of the whole cluster can not be read -> nothing is worked on', async () => {
    const { claims, pods, classes, clock, worked, heard } = start();
    for (const namespace of ['shop', 'bank']) {
      claims.answerList(full(claim('a', 3, { namespace })), namespace);
      pods.answerList(full(), namespace);
    }
    classes.answerList(forbidden);
    await settled();
    expect([worked, heard]).toEqual([[], []]);
    classes.answerList(full());
    await clock.advance(60_000);
    expect(worked.toSorted()).toEqual(['persistentvolumeclaims bank/a', 'persistentvolumeclaims shop/a']);
  });

  test('forbidden after it was read -> as for a whole cluster: its cache stays, and what is known is worked on', async () => {
    const { claims, pods, classes, clock, worked, lines, podsOf } = start();
    classes.answerList(full());
    for (const namespace of ['shop', 'bank']) {
      claims.answerList(full(), namespace);
      pods.answerList(full(), namespace);
    }
    await settled();
    pods.watches.find(({ options }) => options.namespace === 'bank')?.fail(forbidden);
    await settled();
    expect([podsOf('shop'), podsOf('bank')]).toEqual([true, false]);
    expect(lines.at(-1)).toMatchObject({ msg: 'Watch failed', namespace: 'bank' });
    claims.watches
      .find(({ options }) => options.namespace === 'bank')
      ?.send({ type: 'ADDED', object: claim('c', 11, { namespace: 'bank' }) });
    await clock.advance(0);
    expect(worked).toEqual(['persistentvolumeclaims bank/c']);
  });

  test('ready with the first namespace, and each has a line and a gauge of its own', async () => {
    const { claims, pods, classes, registry, failing } = start();
    claims.answerList(full(), 'shop');
    claims.answerList(full(), 'bank');
    classes.answerList(full());
    await settled();
    expect(failing()).toEqual([
      'informer-sync-pods/shop',
      'informer-sync-pods/bank',
      'informer-sync-some-namespace, required',
    ]);
    pods.answerList(full(), 'shop');
    pods.answerList(forbidden, 'bank');
    await settled();
    expect(failing()).toEqual(['informer-sync-pods/bank']);
    const gauges = (await registry.metrics())
      .split('\n')
      .filter((line) => line.startsWith('informer_followed{'));
    expect(gauges).toEqual([
      'informer_followed{name="persistentvolumeclaims",namespace="shop"} 1',
      'informer_followed{name="persistentvolumeclaims",namespace="bank"} 1',
      'informer_followed{name="pods",namespace="shop"} 1',
      'informer_followed{name="pods",namespace="bank"} 0',
      'informer_followed{name="storageclasses",namespace=""} 1',
    ]);
  });

  test('it is the only one -> nothing is worked on, and not ready', async () => {
    const { claims, pods, classes, worked, failing } = start(['bank']);
    claims.answerList(full(inBank), 'bank');
    classes.answerList(full());
    pods.answerList(forbidden, 'bank');
    await settled();
    expect(worked).toStrictEqual([]);
    expect(failing()).toEqual(['informer-sync-pods/bank', 'informer-sync-some-namespace, required']);
  });
});

test('B1: stopped before a namespace could be read -> ends', async () => {
  const { claims, pods, classes, heard } = start();
  classes.answerList(full());
  claims.answerList(full(), 'shop');
  pods.answerList(full(), 'shop');
  pods.answerList(gone(), 'bank');
  await settled();
  await Promise.all(stops.splice(0).map((stop) => stop()));
  expect(heard).toEqual(['persistentvolumeclaims shop', 'pods shop', 'storageclasses all']);
});
