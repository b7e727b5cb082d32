import { describe, expect, test } from '@jest/globals';
import type { ApiResource, KubernetesObject } from '@holdfast/core';
import {
  ApiError,
  createController,
  createControllerMetrics,
  createInformer,
  createInformerMetrics,
  createWorkQueueMetrics,
  runControllers,
} from '@holdfast/runtime';
import { createFakeClock } from '@holdfast/testing/fake-clock';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { claim } from '../claim.ts';
import { createScriptedClient, gone } from './scripted-client.ts';

const databases: ApiResource<KubernetesObject> = {
  group: 'example.com',
  version: 'v1',
  kind: 'Database',
  plural: 'databases',
  namespaced: true,
};
const notFound = new ApiError('GET /databases', 404, { reason: 'NotFound' });
const forbidden = new ApiError('GET /databases', 403, { reason: 'Forbidden' });

/** An informer of a resource that might not be served, and controllers that wait for it. */
function start({ optional = true, namespaces = [] as readonly string[] } = {}) {
  const client = createScriptedClient();
  const clock = createFakeClock();
  const registry = new Registry();
  const lines: { readonly level: number; readonly msg: string }[] = [];
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      lines.push(JSON.parse(chunk.toString()) as (typeof lines)[number]);
      done();
    },
  });
  const logger = pino({ level: 'debug' }, stream);
  const informer = createInformer({
    client,
    resource: databases,
    logger,
    metrics: createInformerMetrics(registry),
    namespaces,
    optional,
    clock,
  });
  const calls: string[] = [];
  informer.addHandler({
    added: ({ metadata }, initial) => calls.push(`added ${metadata.name}${initial ? ' initial' : ''}`),
    deleted: ({ metadata }) => calls.push(`deleted ${metadata.name}`),
  });
  const controller = createController({
    name: 'test',
    logger,
    metrics: createControllerMetrics(registry, 'test'),
    queueMetrics: createWorkQueueMetrics(registry, 'test'),
    clock,
    reconcile: () => Promise.resolve({ kind: 'done' }),
  });
  let works = false;
  const stop = new AbortController();
  const run = controller.run;
  const watched = {
    ...controller,
    run: (...given: Parameters<typeof run>) => {
      works = true;
      return run(...given);
    },
  };
  informer.holdHandlers();
  void runControllers({ informers: [informer], controllers: [watched] }, stop.signal, stop.signal);
  void informer.run(stop.signal);
  return {
    client,
    clock,
    informer,
    registry,
    calls,
    works: () => works,
    said: (level: number) => lines.filter((line) => line.level === level).map(({ msg }) => msg),
    stop: () => stop.abort(new Error('over')),
  };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const warn = 40;
const info = 30;

describe('optional resource', () => {
  test.each([
    { why: 'not served', refusal: notFound },
    { why: 'forbidden', refusal: forbidden },
  ])(
    'S6: $why -> logged once, controllers run without it; served later -> followed, its objects are initial',
    async ({ refusal }) => {
      const { client, clock, informer, calls, works, said, stop } = start();
      await settled();
      expect(works()).toBe(false);
      for (let n = 0; n < 3; n++) {
        client.answerList(refusal);
        await settled();
        await clock.advance(60_000);
      }
      expect([works(), informer.hasSynced(), informer.isFollowing()]).toEqual([true, false, false]);
      expect(informer.isForbidden(undefined)).toBe(refusal === forbidden);
      expect(said(warn)).toEqual(['Optional resource can not be read, the others are worked on']);
      client.answerList([{ version: '10', items: [claim('a', 3)] }]);
      await settled();
      expect([informer.hasSynced(), informer.isFollowing()]).toEqual([true, true]);
      expect(informer.isForbidden(undefined)).toBe(false);
      expect(said(info)).toEqual(['Optional resource can be read']);
      expect(calls).toEqual(['added a initial']);
      stop();
    },
  );

  test('X2: its first list gets no answer -> controllers run without it after 5 s; answered later -> followed, its objects are initial', async () => {
    const { client, clock, informer, calls, works, said, stop } = start();
    await clock.advance(4_999);
    expect(works()).toBe(false);
    await clock.advance(1);
    expect([works(), informer.hasSynced(), informer.isFollowing()]).toEqual([true, false, false]);
    expect(said(warn)).toEqual(['Optional resource does not answer, the others are worked on']);
    client.answerList([{ version: '10', items: [claim('a', 3)] }]);
    await settled();
    expect([informer.hasSynced(), informer.isFollowing()]).toEqual([true, true]);
    expect(said(info)).toEqual(['Optional resource can be read']);
    expect(calls).toEqual(['added a initial']);
    stop();
  });

  test('X2: answered in time -> nothing is logged of it later', async () => {
    const { client, clock, said, stop } = start();
    client.answerList([{ version: '10', items: [] }]);
    await clock.advance(10_000);
    expect([...said(warn), ...said(info)]).toStrictEqual([]);
    stop();
  });

  test('S6: served no more -> the store keeps its objects, no handler is called, and it says that it does not follow', async () => {
    const { client, clock, informer, calls, stop } = start();
    client.answerList([{ version: '10', items: [claim('a', 3)] }]);
    await settled();
    client.lastWatch().fail(notFound);
    await settled();
    expect(informer.isFollowing()).toBe(false);
    await clock.advance(60_000);
    // The version that it would go on from is gone too, so that it lists again.
    client.lastWatch().fail(gone());
    await settled();
    client.answerList(notFound);
    await clock.advance(120_000);
    expect([informer.store.size, informer.hasSynced(), informer.isFollowing()]).toEqual([1, true, false]);
    expect(calls).toEqual(['added a initial']);
    stop();
  });

  test('S6: one namespace is forbidden -> the other is followed, controllers run', async () => {
    const { client, informer, calls, works, stop } = start({ namespaces: ['shop', 'bank'] });
    await settled();
    expect(works()).toBe(false);
    client.answerList([{ version: '10', items: [claim('a', 3)] }], 'shop');
    await settled();
    expect([works(), informer.isFollowing()]).toEqual([true, false]);
    client.answerList(forbidden, 'bank');
    await settled();
    expect([informer.isFollowing('shop'), informer.isFollowing('bank')]).toEqual([true, false]);
    expect(calls).toEqual(['added a initial']);
    stop();
  });

  test('its metrics have its group, for kinds that share a plural', async () => {
    const { client, registry, stop } = start();
    client.answerList(notFound);
    await settled();
    expect(await registry.metrics()).toContain('reflector_failures_total{name="databases.example.com"} 1');
    stop();
  });
});

test('S6: resource that is not optional, not served -> nothing is worked on', async () => {
  const { client, clock, works, stop } = start({ optional: false });
  client.answerList(notFound);
  await settled();
  await clock.advance(60_000);
  expect(works()).toBe(false);
  stop();
});
