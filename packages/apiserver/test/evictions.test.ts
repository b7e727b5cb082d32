import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createFakeClock } from '../src/fake-clock.ts';
import { type ApiServer, startApiServer } from '../src/index.ts';

/* Evictions, as PodDisruptionBudgets allow them. The disruption controller, which counts, is played by the test. */

let server: ApiServer;
const clock = createFakeClock(Date.UTC(2030, 0, 1));
let namespaces = 0;
beforeAll(async () => {
  server = await startApiServer({ tls: false, now: clock.now, after: clock.after });
});
afterAll(() => server.stop());

async function ask(method: string, path: string, body?: object): Promise<unknown> {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const answer = await server.handle(
    method,
    path,
    body === undefined ? undefined : JSON.stringify(body),
    type,
  );
  return JSON.parse(answer.body);
}

interface Place {
  readonly pods: string;
  readonly budgets: string;
}

/** A namespace of its own with pods that run, ready but for those named `sick-*`, and a budget for them. */
async function place(names: readonly string[], spec: object = {}, status?: object): Promise<Place> {
  const name = `evictions-${++namespaces}`;
  await ask('POST', '/api/v1/namespaces', { metadata: { name } });
  const pods = `/api/v1/namespaces/${name}/pods`;
  const budgets = `/apis/policy/v1/namespaces/${name}/poddisruptionbudgets`;
  for (const pod of names) {
    const containers = [{ name: 'main', image: 'a' }];
    await ask('POST', pods, { metadata: { name: pod, labels: { app: 'shop' } }, spec: { containers } });
    const conditions = [{ type: 'Ready', status: pod.startsWith('sick') ? 'False' : 'True' }];
    await ask('PATCH', `${pods}/${pod}/status`, { status: { phase: 'Running', conditions } });
  }
  const selector = { matchLabels: { app: 'shop' } };
  await ask('POST', budgets, { metadata: { name: 'shop' }, spec: { minAvailable: 2, selector, ...spec } });
  if (status !== undefined) {
    await ask('PATCH', `${budgets}/shop/status`, { status: { observedGeneration: 1, ...status } });
  }
  return { pods, budgets };
}

function evict({ pods }: Place, name: string, query = ''): Promise<unknown> {
  return ask('POST', `${pods}/${name}/eviction${query}`, { metadata: { name } });
}

const evicted = { kind: 'Status', status: 'Success', code: 201 };
const violated = "Cannot evict pod as it would violate the pod's disruption budget.";

function refusal(message: string): object {
  return {
    code: 429,
    reason: 'TooManyRequests',
    message: violated,
    details: { causes: [{ reason: 'DisruptionBudget', message }] },
  };
}

test('budget not counted yet -> 429, to be tried again in ten seconds', async () => {
  const shop = await place(['a']);
  await expect(evict(shop, 'a')).resolves.toMatchObject({
    code: 429,
    details: {
      causes: [
        {
          reason: 'DisruptionBudget',
          message: 'The disruption budget shop is still being processed by the server.',
        },
      ],
      retryAfterSeconds: 10,
    },
  });
});

test('room for one of two -> one goes and is written down, the other stays', async () => {
  const shop = await place(['a', 'b'], {}, { disruptionsAllowed: 1, currentHealthy: 3, desiredHealthy: 2 });
  await expect(evict(shop, 'a')).resolves.toMatchObject(evicted);
  await expect(ask('GET', `${shop.budgets}/shop`)).resolves.toMatchObject({
    status: {
      disruptionsAllowed: 0,
      disruptedPods: { a: '2030-01-01T00:00:00Z' },
      conditions: [
        {
          type: 'DisruptionAllowed',
          status: 'False',
          reason: 'InsufficientPods',
          message: '',
          observedGeneration: 1,
          lastTransitionTime: '2030-01-01T00:00:00Z',
        },
      ],
    },
  });
  await expect(evict(shop, 'b')).resolves.toMatchObject(
    refusal('The disruption budget shop does not allow evicting pods currently'),
  );
  await expect(ask('GET', `${shop.pods}/b`)).resolves.not.toHaveProperty('metadata.deletionTimestamp');
});

test('both at once, room for one -> one goes', async () => {
  const shop = await place(['a', 'b'], {}, { disruptionsAllowed: 1, currentHealthy: 3, desiredHealthy: 2 });
  const answers = await Promise.all([evict(shop, 'a'), evict(shop, 'b')]);
  expect(answers.map((answer) => (answer as { code: number }).code).sort()).toEqual([201, 429]);
});

test('dry run -> nothing written', async () => {
  const shop = await place(['a'], {}, { disruptionsAllowed: 1, currentHealthy: 3, desiredHealthy: 2 });
  await expect(evict(shop, 'a', '?dryRun=All')).resolves.toMatchObject(evicted);
  await expect(ask('GET', `${shop.budgets}/shop`)).resolves.toMatchObject({
    status: { disruptionsAllowed: 1 },
  });
});

describe('no room', () => {
  const synced = { type: 'DisruptionAllowed', status: 'False', lastTransitionTime: '2030-01-01T00:00:00Z' };
  test.each([
    [
      'fewer healthy than wanted',
      { currentHealthy: 1, desiredHealthy: 2 },
      'The disruption budget shop needs 2 healthy pods and has 1 currently',
    ],
    [
      'the controller failed',
      { conditions: [{ ...synced, reason: 'SyncFailed', message: 'no scale' }] },
      'The disruption budget shop does not allow evicting pods currently because it failed sync: no scale',
    ],
    [
      'the controller says why',
      {
        currentHealthy: 3,
        desiredHealthy: 2,
        conditions: [{ ...synced, reason: 'Held', message: 'by hand' }],
      },
      'The disruption budget shop does not allow evicting pods currently (Held): by hand',
    ],
  ])('%s -> 429 that says so', async (_why, status, message) => {
    const shop = await place(['a'], {}, { disruptionsAllowed: 0, ...status });
    await expect(evict(shop, 'a')).resolves.toMatchObject(refusal(message));
  });
});

describe('pod that is not ready', () => {
  const none = { disruptionsAllowed: 0 };
  test.each([
    ['enough are healthy', {}, { ...none, currentHealthy: 2, desiredHealthy: 2 }, 201],
    ['not enough are healthy', {}, { ...none, currentHealthy: 1, desiredHealthy: 2 }, 429],
    ['none are wanted', {}, { ...none, currentHealthy: 0, desiredHealthy: 0 }, 429],
    [
      'not enough are healthy, policy AlwaysAllow',
      { unhealthyPodEvictionPolicy: 'AlwaysAllow' },
      { ...none, currentHealthy: 1, desiredHealthy: 2 },
      201,
    ],
    [
      'not enough are healthy, policy IfHealthyBudget',
      { unhealthyPodEvictionPolicy: 'IfHealthyBudget' },
      { ...none, currentHealthy: 1, desiredHealthy: 2 },
      429,
    ],
  ])('%s -> code %#', async (_what, spec, status, code) => {
    const shop = await place(['sick-a'], spec, status);
    await expect(evict(shop, 'sick-a')).resolves.toMatchObject({ code });
  });
});

describe('pod that no budget need keep', () => {
  test.each(['Pending', 'Succeeded', 'Failed'])('%s -> evicted', async (phase) => {
    const shop = await place(['a'], {}, { disruptionsAllowed: 0 });
    await ask('PATCH', `${shop.pods}/a/status`, { status: { phase } });
    await expect(evict(shop, 'a')).resolves.toMatchObject(evicted);
  });

  test('budget for others -> evicted', async () => {
    const selector = { matchLabels: { app: 'other' } };
    const shop = await place(['a'], { selector }, { disruptionsAllowed: 0 });
    await expect(evict(shop, 'a')).resolves.toMatchObject(evicted);
  });
});

test('two budgets for a pod -> 500, and it stays', async () => {
  const shop = await place(['a'], {}, { disruptionsAllowed: 1 });
  await ask('POST', shop.budgets, { metadata: { name: 'all' }, spec: { minAvailable: 1, selector: {} } });
  await expect(evict(shop, 'a')).resolves.toMatchObject({
    code: 500,
    message:
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
  });
  await expect(ask('GET', `${shop.pods}/a`)).resolves.not.toHaveProperty('metadata.deletionTimestamp');
});
