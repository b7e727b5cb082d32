import { expect, test } from '@jest/globals';
import type { PersistentVolume } from '@holdfast/core';
import { ApiError, UnreadableObject, type ApiClient } from '@holdfast/runtime';
import { listAnyVolumes } from '../src/observe/any-volume.ts';
import { storageIdentityOf } from '../src/storage-identity.ts';
import { unreadable } from '../src/unreadable-volume.ts';
import { volume } from './objects.ts';

const status = (code: number, reason: string): ApiError =>
  new ApiError('GET', code, { kind: 'Status', reason });

/** Lists a volume and another that can't be read there, in whatever form the list comes; by its name it is answered like this. */
async function listWith(answer: unknown, name: unknown = 'odd') {
  const fine = volume({ name: 'fine' });
  const client: Pick<ApiClient, 'get' | 'listPages'> = {
    get: async <T>() => {
      await Promise.resolve();
      if (answer instanceof Error) {
        throw answer;
      }
      return answer as T;
    },
    listPages: async function* (_resource, { onUnreadable }) {
      await Promise.resolve();
      onUnreadable?.(new UnreadableObject({ name, resourceVersion: '9' }, new Error('protobuf: torn')));
      yield { metadata: { resourceVersion: '10' }, items: [fine] as never };
    },
  };
  const all: PersistentVolume[] = [];
  for await (const each of listAnyVolumes(client)) {
    all.push(each);
  }
  const [first, ...others] = all;
  expect(first).toBe(fine);
  return others;
}

const source = { csi: { driver: 'csi.example.com', volumeHandle: 'h' } };
const metadata = { name: 'odd', uid: 'u', resourceVersion: '9' };

test.each<{ what: string; answer: unknown; name?: unknown; storage: readonly string[]; isOdd: boolean }>([
  {
    what: 'can be read in JSON',
    answer: volume({ name: 'odd', source }),
    storage: ['csi', 'csi.example.com', 'h'],
    isOdd: false,
  },
  {
    what: 'has a status that is a text',
    answer: { metadata, spec: source, status: 'x' },
    storage: ['csi', 'csi.example.com', 'h'],
    isOdd: true,
  },
  {
    what: 'has no metadata',
    answer: { spec: source },
    storage: ['csi', 'csi.example.com', 'h'],
    isOdd: true,
  },
  { what: 'has a spec that is a text', answer: { metadata, spec: 'x' }, storage: [], isOdd: true },
  { what: 'is a list', answer: [], storage: [], isOdd: true },
  { what: 'is null', answer: null, storage: [], isOdd: true },
  {
    what: 'is no JSON',
    answer: new Error('answered with 7 characters that are no JSON'),
    storage: [],
    isOdd: true,
  },
  { what: 'has no name to ask by', answer: volume(), name: 7, storage: [], isOdd: true },
])(
  'volume that can not be read in a list $what -> storage $storage',
  async ({ answer, name, storage, isOdd }) => {
    const [found, ...more] = await listWith(answer, name);
    if (found === undefined) {
      throw new Error('nothing was listed of it');
    }
    expect(more).toEqual([]);
    expect(found.metadata.name).toBe(name === undefined ? 'odd' : '');
    expect(storageIdentityOf(found)).toEqual(storage);
    expect(unreadable(found) !== undefined).toBe(isOdd);
  },
);

test('volume that can not be read in a list is gone by then -> left out', async () => {
  expect(await listWith(status(404, 'NotFound'))).toEqual([]);
});

test('volume that can not be read in a list, API server fails -> thrown: the next try is better', async () => {
  await expect(listWith(status(503, 'ServiceUnavailable'))).rejects.toThrow(ApiError);
});
