import { expect, test } from '@jest/globals';
import { volumeAttachments } from '@holdfast/core';
import { listAny, UnreadableObject, type ApiClient, type List } from '@holdfast/runtime';
import { createLiveLook } from '../src/observe/live-look.ts';
import { listAnyVolumes } from '../src/observe/any-volume.ts';
import { slimVolumeAttachment } from '../src/slim.ts';
import { noClaims, volume } from './objects.ts';

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
  await createLiveLook(client, noClaims, () => [undefined])(40);
  expect(requests()).toBe(6);
});

/** A client of a cluster with 1,000 objects that can't be read but whole and in JSON, one of them not even then. */
function clientOfOdd(object: (name: string) => object) {
  const requests: string[] = [];
  const names = Array.from({ length: 1_000 }, (_, at) => `odd-${String(at)}`);
  const answer = (
    wanted: readonly string[],
    { projection, onUnreadable }: Parameters<ApiClient['listPages']>[1],
  ): List<unknown> => {
    const unread = wanted.filter((name) => projection !== undefined || name === 'odd-7');
    unread.forEach((name) => onUnreadable?.(new UnreadableObject({ name }, new Error('torn'))));
    return {
      metadata: { resourceVersion: '1' },
      items: wanted.filter((name) => !unread.includes(name)).map(object),
    };
  };
  const client = {
    get: (_resource: unknown, { name }: { readonly name: string }) => {
      requests.push(`get ${name}`);
      return Promise.resolve(object(name));
    },
    list: (_resource: unknown, options: Parameters<ApiClient['listPages']>[1]) => {
      const name = options.fieldSelector?.replace('metadata.name=', '') ?? '';
      requests.push(`list ${name}`);
      return Promise.resolve(answer([name], options));
    },
    listPages: async function* (_resource: unknown, options: Parameters<ApiClient['listPages']>[1]) {
      await Promise.resolve();
      requests.push('list');
      yield answer(names, options);
    },
  } as unknown as Pick<ApiClient, 'get' | 'list' | 'listPages'>;
  return { client, requests };
}

test('S3: 1,000 volumes that can not be read -> all of them listed, by a second list and a request for what that lacks', async () => {
  const { client, requests } = clientOfOdd((name) => ({ ...volume({ name }), status: 'x' }));
  const found = new Set<string>();
  for await (const { metadata } of listAnyVolumes(client)) {
    found.add(metadata.name);
  }
  expect(found.size).toBe(1_000);
  expect(requests).toEqual(['list', 'list', 'get odd-7']);
});

test('S3: 1,000 attachments that can not be read -> the same', async () => {
  const { client, requests } = clientOfOdd((name) => ({ metadata: { name }, spec: 'x' }));
  const found = new Set<string>();
  for await (const { metadata } of listAny(client, volumeAttachments, { projection: slimVolumeAttachment })) {
    found.add(metadata.name);
  }
  expect(found.size).toBe(1_000);
  expect(requests).toEqual(['list', 'list', 'list odd-7']);
});
