import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { configMaps, eventsV1, namespaces, nodes, type EventsEvent } from '@holdfast/core';
import {
  createEventMetrics,
  createEventRecorder,
  type ApiClient,
  type EventRecorder,
} from '@holdfast/runtime';
import { controlPlaneMissing, startControlPlane, type ControlPlane } from '@holdfast/testing';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { connectPlane, type ConnectedPlane } from '../connected-plane.ts';

// A busy machine takes its time.
jest.setTimeout(30_000);

/** Everything recorded has been sent when this resolves. */
async function recording(
  client: ApiClient,
  registry: Registry,
  record: (recorder: EventRecorder) => void | Promise<void>,
): Promise<void> {
  const recorder = createEventRecorder({
    client,
    app: 'runtime-test',
    logger: pino({ level: 'silent' }),
    metrics: createEventMetrics(registry, 'runtime-test'),
  });
  const stop = new AbortController();
  const running = recorder.run(stop.signal);
  await record(recorder);
  stop.abort(new Error('end of the test'));
  await running;
}

async function resultsOf(registry: Registry): Promise<Readonly<Record<string, number>>> {
  const metric = await registry.getSingleMetric('runtime_test_events_total')?.get();
  const values = (metric?.values ?? []).filter(({ value }) => value > 0);
  return Object.fromEntries(values.map(({ labels, value }) => [String(labels['result']), value]));
}

const missing = controlPlaneMissing();
(missing === undefined ? describe : describe.skip)(`events on an API server ${missing ?? ''}`, () => {
  let connected: ConnectedPlane<ControlPlane>;
  let client: ApiClient;
  let namespace: string;

  beforeAll(async () => {
    connected = await connectPlane(startControlPlane());
    ({ client } = connected);
    const created = await client.create(namespaces, undefined, { metadata: { generateName: 'events-' } });
    namespace = created.metadata.name;
  }, 90_000);

  afterAll(() => connected.close(), 30_000);

  const storedIn = async (where: string): Promise<readonly EventsEvent[]> =>
    (await client.list(eventsV1, { namespace: where })).items;

  test('texts at and beyond every limit, longest name -> the API server takes the Event', async () => {
    const name = `${'x'.repeat(240)}.example.com1`;
    const config = await client.create(configMaps, namespace, { metadata: { name } });
    const registry = new Registry();
    await recording(client, registry, (recorder) =>
      recorder.record(configMaps, config, {
        type: 'Warning',
        reason: 'R'.repeat(200),
        action: 'A'.repeat(200),
        note: '€'.repeat(400),
        related: { resource: configMaps, object: config },
      }),
    );
    expect(await resultsOf(registry)).toEqual({ sent: 1 });
    const [event] = (await storedIn(namespace)).filter(({ regarding }) => regarding?.name === name);
    expect(event).toMatchObject({
      type: 'Warning',
      reason: 'R'.repeat(128),
      action: 'A'.repeat(128),
      note: '€'.repeat(341),
      regarding: { kind: 'ConfigMap', uid: config.metadata.uid },
      related: { kind: 'ConfigMap', uid: config.metadata.uid },
      reportingController: 'runtime-test',
    });
  });

  test('three events of a kind -> one Event whose series counts three', async () => {
    const config = await client.create(configMaps, namespace, { metadata: { name: 'series' } });
    const registry = new Registry();
    const text = { type: 'Normal', reason: 'Held', action: 'Hold', note: 'held' } as const;
    await recording(client, registry, async (recorder) => {
      recorder.record(configMaps, config, text);
      while ((await storedIn(namespace)).every(({ regarding }) => regarding?.name !== 'series')) {
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      recorder.record(configMaps, config, text);
      recorder.record(configMaps, config, text);
    });
    const found = (await storedIn(namespace)).filter(({ regarding }) => regarding?.name === 'series');
    expect(found.map(({ series }) => series?.count)).toEqual([3]);
  });

  test('object of the cluster -> an Event in default', async () => {
    const node = await client.create(nodes, undefined, { metadata: { generateName: 'node-' } });
    await recording(client, new Registry(), (recorder) =>
      recorder.record(nodes, node, { type: 'Normal', reason: 'Seen', action: 'See', note: 'seen' }),
    );
    const found = (await storedIn('default')).filter(
      ({ regarding }) => regarding?.name === node.metadata.name,
    );
    expect(found.map(({ reason }) => reason)).toEqual(['Seen']);
  });

  test('namespace that is gone -> refused, and nothing is tried again', async () => {
    const metadata = { name: 'a', namespace: 'nowhere', uid: 'u', resourceVersion: '1' };
    const registry = new Registry();
    await recording(client, registry, (recorder) =>
      recorder.record(configMaps, { metadata }, { type: 'Normal', reason: 'R', action: 'A', note: 'n' }),
    );
    expect(await resultsOf(registry)).toEqual({ refused: 1 });
  });
});
