import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { controlPlaneMissing, startControlPlane, type ControlPlane } from '@holdfast/testing';
import { ApiError } from '../../src/client/api-error.ts';
import { testOperator } from '../../src/testing/index.ts';
import { command, countBooks, guardConfiguration, guardShelves, shelf, shelves } from './shelf.ts';

/* The same on whatever control plane is chosen. */

const missing = controlPlaneMissing();

(missing === undefined ? describe : describe.skip)('testOperator', () => {
  let plane: ControlPlane;
  beforeAll(async () => {
    plane = await startControlPlane({ tls: false });
  });
  afterAll(() => plane.stop());

  test('kind of its own, objects before and after the start -> worked on; idle: all is done', async () => {
    {
      await using t = await testOperator({ plane, compose: countBooks, resources: [shelves] });
      await t.client.create(shelves, 'default', shelf('a', 'x', 'y'));
      await t.idle();
      expect((await t.client.get(shelves, { namespace: 'default', name: 'a' })).status).toEqual({ count: 2 });
      expect(t.requests.filter(({ verb }) => verb === 'patch')).toMatchObject([
        { group: shelves.group, resource: 'shelves', subresource: 'status', name: 'a', code: 200 },
      ]);
    }
    await using t = await testOperator({ plane, compose: countBooks, resources: [shelves] });
    await t.client.create(shelves, 'default', shelf('c'));
    const counted = await t.eventually(async () => {
      const { status } = await t.client.get(shelves, { namespace: 'default', name: 'c' });
      return status?.count === 0;
    });
    expect(counted).toBe(true);
  });

  test('webhook with its configuration as shipped -> called from the first write on', async () => {
    await using t = await testOperator({
      plane,
      command,
      compose: countBooks,
      resources: [shelves],
      webhooks: guardShelves,
      webhookConfigurations: [guardConfiguration],
    });
    const refused = await t.client
      .create(shelves, 'default', shelf('d', 'forbidden'))
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ApiError);
    expect(String(refused)).toContain('this book is forbidden');
    await t.client.create(shelves, 'default', shelf('d', 'allowed'));
    await t.idle();
    expect((await t.client.get(shelves, { namespace: 'default', name: 'd' })).status).toEqual({ count: 1 });
  });
});
