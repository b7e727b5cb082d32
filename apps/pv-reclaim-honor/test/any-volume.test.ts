import { expect, test } from '@jest/globals';
import type { PersistentVolume } from '@holdfast/core';
import { ApiError, UnreadableObject, type ApiClient } from '@holdfast/runtime';
import { findAnyVolume, listAnyVolumes } from '../src/observe/any-volume.ts';
import { storageIdentityOf } from '../src/storage-identity.ts';
import { unreadable } from '../src/unreadable-volume.ts';
import { volume } from './objects.ts';

const status = (code: number, reason: string): ApiError =>
  new ApiError('GET', code, { kind: 'Status', reason });

/**
 * Lists a volume and another that can't be read there, in whatever form the list comes; by its name it is answered like
 * this.
 *
 * @param again what a second list has beside the one.
 */
async function listWith(answer: unknown, name: unknown = 'odd', again: readonly unknown[] = []) {
  const fine = volume({ name: 'fine' });
  const client: Pick<ApiClient, 'get' | 'listPages'> = {
    get: async <T>() => {
      await Promise.resolve();
      if (answer instanceof Error) {
        throw answer;
      }
      return answer as T;
    },
    listPages: async function* (_resource, { onUnreadable, projection }) {
      await Promise.resolve();
      if (projection === undefined) {
        yield { metadata: { resourceVersion: '11' }, items: [fine, ...again] as never };
        return;
      }
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
const nothing = { uid: '', resourceVersion: '' };

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
    expect(more).toStrictEqual([]);
    const { metadata: given } = (answer ?? {}) as { metadata?: typeof metadata };
    const { uid, resourceVersion } = name === undefined ? (given ?? nothing) : nothing;
    expect(found.metadata).toMatchObject({ name: name === undefined ? 'odd' : '', uid, resourceVersion });
    expect(storageIdentityOf(found)).toEqual(storage);
    expect(unreadable(found) !== undefined).toBe(isOdd);
  },
);

test('volume that can not be read in a list is gone by then -> left out', async () => {
  // An element that is undefined is nothing to toEqual.
  expect(await listWith(status(404, 'NotFound'))).toHaveLength(0);
});

test('Issue 19: volume that can not be read in a list, is not to be had by its name, and is listed still -> as it is listed', async () => {
  const odd = { metadata, spec: { ...source, claimRef: { uid: true } } };
  const [found, ...more] = await listWith(status(404, 'NotFound'), 'odd', [odd]);
  expect(more).toStrictEqual([]);
  expect(found).toEqual(odd);
});

test('volume that can not be read in a list, is not to be had by its name, and is listed still without being readable -> by its name alone', async () => {
  const client: Pick<ApiClient, 'get' | 'listPages'> = {
    get: () => Promise.reject(status(404, 'NotFound')),
    listPages: async function* (_resource, { onUnreadable }) {
      await Promise.resolve();
      onUnreadable?.(new UnreadableObject({ name: 'odd' }, new Error('torn')));
      yield { metadata: { resourceVersion: '10' }, items: [] };
    },
  };
  const all: PersistentVolume[] = [];
  for await (const each of listAnyVolumes(client)) {
    all.push(each);
  }
  expect(all).toEqual([{ metadata: { name: 'odd', ...nothing }, spec: 'unreadable' }]);
});

test('volume that can not be read in a list, API server fails -> thrown: the next try is better', async () => {
  await expect(listWith(status(503, 'ServiceUnavailable'))).rejects.toThrow(ApiError);
});

test('volume whose UID and version are no texts -> they are empty', async () => {
  const [found] = await listWith({ metadata: { name: 'odd', uid: 7, resourceVersion: 9 }, spec: source });
  expect(found?.metadata).toMatchObject(nothing);
});

test('asked for after nobody waits any more -> thrown, and not taken for a volume that can not be read', async () => {
  const reason = new Error('stopped');
  const signal = AbortSignal.abort(reason);
  const client = { get: () => Promise.reject(new Error('socket hang up')) };
  await expect(findAnyVolume(client, 'odd', { signal })).rejects.toBe(reason);
});

test('two volumes that can not be read, one of which has no name -> listed both', async () => {
  const client: Pick<ApiClient, 'get' | 'listPages'> = {
    get: <T>() => Promise.resolve(volume({ name: 'odd' }) as T),
    listPages: async function* (_resource, { onUnreadable }) {
      await Promise.resolve();
      onUnreadable?.(new UnreadableObject({ name: 'odd' }, new Error('torn')));
      onUnreadable?.(new UnreadableObject({}, new Error('torn')));
      yield { metadata: { resourceVersion: '10' }, items: [] };
    },
  };
  const names: string[] = [];
  for await (const { metadata: found } of listAnyVolumes(client)) {
    names.push(found.name);
  }
  expect(names).toEqual(['', 'odd']);
});

test('B1: the answer is that another volume is gone -> this one is not taken for gone', async () => {
  const details = { name: 'other', kind: 'persistentvolumes' };
  const other = new ApiError('GET', 404, { kind: 'Status', reason: 'NotFound', details });
  await expect(listWith(other)).rejects.toBe(other);
});
