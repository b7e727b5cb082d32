import { expect, test } from '@jest/globals';
import type { ApiClient, List } from '@holdfast/runtime';
import { createLiveLook } from '../src/observe/live-look.ts';
import { listAnyVolumes } from '../src/observe/any-volume.ts';
import { volume } from './objects.ts';

/** A client of a cluster with this many volumes, and no claims. */
function clientOf(volumes: number) {
  let requests = 0;
  const listPages = async function* (
    { plural }: { readonly plural: string },
    { limit = 500 }: { readonly limit?: number },
  ): AsyncGenerator<List<unknown>> {
    await Promise.resolve();
    let left = plural === 'persistentvolumes' ? volumes : 0;
    do {
      requests += 1;
      const items = Array.from({ length: Math.min(left, limit) }, () => volume({ name: 'v' }));
      left -= items.length;
      yield { metadata: { resourceVersion: '1' }, items };
    } while (left > 0);
  };
  return {
    client: { listPages } as unknown as Pick<ApiClient, 'get' | 'listPages'>,
    requests: () => requests,
  };
}

test('10,000 volumes -> a list of all takes five requests of the rate limit', async () => {
  const { client, requests } = clientOf(10_000);
  let listed = 0;
  for await (const each of listAnyVolumes(client)) {
    listed += each.metadata.name === 'v' ? 1 : 0;
  }
  expect(listed).toBe(10_000);
  expect(requests()).toBe(5);
});

test('10,000 volumes, many of one storage -> a look at them takes five requests, and one for the claims', async () => {
  const { client, requests } = clientOf(10_000);
  await createLiveLook(client, () => [undefined])(40);
  expect(requests()).toBe(6);
});
