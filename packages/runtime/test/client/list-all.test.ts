import { expect, test } from '@jest/globals';
import { persistentVolumeClaims } from '@holdfast/core';
import type { ApiClient, List } from '../../src/client/api-client.ts';
import { listAll } from '../../src/client/list-all.ts';
import { createScriptedClient, gone } from '../cache/scripted-client.ts';
import { claim } from '../claim.ts';

const page = (...names: readonly string[]) => ({ version: '9', items: names.map((name) => claim(name, 3)) });

async function namesOf(
  client: Pick<ApiClient, 'listPages'>,
  seen: string[] = [],
): Promise<readonly string[]> {
  for await (const { metadata } of listAll(client, persistentVolumeClaims, { namespace: 'shop' })) {
    seen.push(metadata.name);
  }
  return seen;
}

test.each([
  { what: 'no object', pages: [page()], names: [] },
  { what: 'one page', pages: [page('a', 'b')], names: ['a', 'b'] },
  {
    what: 'three pages, one of them empty',
    pages: [page('a'), page(), page('b', 'c')],
    names: ['a', 'b', 'c'],
  },
])('$what -> every object once, in order', async ({ pages, names }) => {
  const client = createScriptedClient();
  client.answerList(pages, 'shop');
  expect(await namesOf(client)).toEqual(names);
  expect(client.lists).toEqual([{ namespace: 'shop' }]);
});

test('list expires between two pages -> the error, after what the first page held', async () => {
  const expired = gone();
  const client: Pick<ApiClient, 'listPages'> = {
    listPages: async function* <T>(): AsyncGenerator<List<T>> {
      yield { metadata: { resourceVersion: '9' }, items: [claim('a', 3) as T] };
      await Promise.reject(expired);
    },
  };
  const seen: string[] = [];
  await expect(namesOf(client, seen)).rejects.toBe(expired);
  expect(seen).toEqual(['a']);
});

test('loop left early -> no further page is asked for', async () => {
  let pages = 0;
  const client: Pick<ApiClient, 'listPages'> = {
    listPages: async function* <T>(): AsyncGenerator<List<T>> {
      while (pages < 5) {
        pages += 1;
        await Promise.resolve();
        yield { metadata: { resourceVersion: '9' }, items: [claim('a', 3) as T] };
      }
    },
  };
  for await (const { metadata } of listAll(client, persistentVolumeClaims)) {
    expect(metadata.name).toBe('a');
    break;
  }
  expect(pages).toBe(1);
});
