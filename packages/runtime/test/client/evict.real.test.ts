import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { podDisruptionBudgets, pods } from '@holdfast/core';
import { evict, find, type WritingClient } from '@holdfast/runtime';
import { controlPlaneMissing, startRealControlPlane, type RealControlPlane } from '@holdfast/testing';
import { Registry } from 'prom-client';
import { connectPlane, type ConnectedPlane } from '../connected-plane.ts';

/*
 * What kube-apiserver answers for budgets, which the embedded one does not serve. Nobody but the test writes their
 * status.
 */

const missing = controlPlaneMissing({ backend: 'real' });
(missing === undefined ? describe : describe.skip)(`evictions ${missing ?? ''}`, () => {
  const namespace = 'default';
  const registry = new Registry();
  let connected: ConnectedPlane<RealControlPlane>;
  let client: WritingClient;

  beforeAll(async () => {
    connected = await connectPlane(startRealControlPlane({}), registry);
    ({ client } = connected);
  }, 90_000);

  afterAll(() => connected.close(), 30_000);

  const makePod = async (name: string): Promise<string> => {
    const ref = { namespace, name };
    await client.create(pods, namespace, {
      metadata: { name, labels: { app: name } },
      spec: { containers: [{ name: 'c', image: 'pause' }], nodeName: 'node-1' },
    });
    const conditions = [{ type: 'Ready', status: 'True' }];
    const status = { phase: 'Running', conditions };
    const running = await client.mergePatch(pods, ref, { status }, { subresource: 'status' });
    return running.kind === 'written' ? running.object.metadata.uid : '';
  };
  const posts = async (): Promise<number> => {
    const { values = [] } = (await registry.getSingleMetric('rest_client_requests_total')?.get()) ?? {};
    return values.reduce((sum, { labels, value }) => (labels['method'] === 'POST' ? sum + value : sum), 0);
  };

  test('budget that is not looked at yet, then one that allows none, then one -> blocked, blocked, gone', async () => {
    const ref = { namespace, name: 'web' };
    await makePod('web');
    const selector = { matchLabels: { app: 'web' } };
    const made = await client.create(podDisruptionBudgets, namespace, {
      metadata: { name: 'web' },
      spec: { minAvailable: 1, selector },
    });
    expect(await evict(client, ref)).toMatchObject({
      kind: 'blocked',
      reason: expect.stringContaining('still being processed') as unknown,
      retryAfter: 10_000,
    });
    const allow = async (disruptionsAllowed: number): Promise<unknown> => {
      const counts = { currentHealthy: 1, desiredHealthy: 1, expectedPods: 1, disruptionsAllowed };
      const status = { ...counts, observedGeneration: made.metadata.generation };
      return client.mergePatch(podDisruptionBudgets, ref, { status }, { subresource: 'status' });
    };
    await allow(0);
    expect(await evict(client, ref)).toEqual({
      kind: 'blocked',
      reason: 'The disruption budget web needs 1 healthy pods and has 1 currently',
      retryAfter: undefined,
    });
    await allow(1);
    expect(await evict(client, ref, { gracePeriodSeconds: 0 })).toMatchObject({ kind: 'written' });
    expect(await find(client, pods, ref)).toBeUndefined();
  });

  test('another pod has the name by now -> outdated, by one request', async () => {
    await makePod('late');
    const before = await posts();
    const preconditions = { uid: '00000000-0000-0000-0000-000000000000' };
    const evicted = await evict(client, { namespace, name: 'late' }, { preconditions });
    expect(evicted).toMatchObject({ kind: 'outdated' });
    expect(await posts()).toBe(before + 1);
  });
});
