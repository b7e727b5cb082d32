import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { objectKey, type PersistentVolume } from '@holdfast/core';
import { UnreadableObject, type ApiClient } from '@holdfast/runtime';
import { createFakeClock } from '@holdfast/testing/fake-clock';
import { listAnyVolumes } from '../src/observe/any-volume.ts';
import { createUncachedVolumes } from '../src/observe/uncached-volumes.ts';
import { unlessCached } from '../src/observe/unless-cached.ts';
import { slimVolume } from '../src/slim.ts';
import { volume } from './objects.ts';

const cached = slimVolume.fromJson(volume({ name: 'v' }));
const cache = new Map([['v', cached]]);

/** A field of protobuf with fewer than 128 bytes. */
function field(number: number, content: Buffer | string): Buffer {
  const bytes = Buffer.from(content);
  return Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length]), bytes]);
}

/**
 * The volume as the API server writes it in protobuf: of its spec the CSI driver and handle, by the numbers of
 * `generated.proto`.
 */
function encoded({ metadata, spec }: PersistentVolume): Buffer {
  const { driver = '', volumeHandle = '' } = spec?.csi ?? {};
  const source = field(22, Buffer.concat([field(1, driver), field(2, volumeHandle)]));
  // Numbers above 15 take two bytes.
  const csi = Buffer.concat([Buffer.from([0xb2, 0x01]), source.subarray(1)]);
  return Buffer.concat([
    field(
      1,
      Buffer.concat([field(1, metadata.name), field(5, metadata.uid), field(6, metadata.resourceVersion)]),
    ),
    field(2, field(2, csi)),
  ]);
}

function read(object: PersistentVolume, form: 'json' | 'protobuf'): object {
  const projection = unlessCached(slimVolume, cache);
  if (form === 'json') {
    return projection.fromJson(object);
  }
  if (projection.fromProtobuf === undefined) {
    throw new Error('volumes are read in protobuf');
  }
  // Among others, as in a list.
  const bytes = Buffer.concat([Buffer.from('before'), encoded(object), Buffer.from('after')]);
  const cursor = { bytes, at: 'before'.length };
  const end = bytes.length - 'after'.length;
  const result = projection.fromProtobuf(cursor, end);
  expect(cursor.at).toBe(end);
  return result;
}

const withMetadata = (object: PersistentVolume, metadata: object): PersistentVolume => ({
  ...object,
  metadata: { ...object.metadata, ...metadata },
});

const source = { csi: { driver: 'csi.example.com', volumeHandle: 'other' } };

test.each(['json', 'protobuf'] as const)(
  '%s: volume is in the cache in this version -> the object of the cache, whatever else is in it',
  (form) => {
    expect(read(volume({ name: 'v' }), form)).toBe(cached);
    expect(read(volume({ name: 'v', source }), form)).toBe(cached);
  },
);

test.each(
  (['json', 'protobuf'] as const).flatMap((form) => [
    {
      form,
      what: 'in another version',
      listed: withMetadata(volume({ name: 'v' }), { resourceVersion: '8' }),
    },
    { form, what: 'by another UID', listed: volume({ name: 'v', uid: 'another' }) },
    { form, what: 'by another name only', listed: withMetadata(volume({ name: 'v' }), { name: 'w' }) },
  ]),
)('$form: volume is in the cache $what -> read whole', ({ form, listed }) => {
  const whole = volume({ ...listed.metadata, source, policy: form === 'json' ? 'Delete' : null });
  expect(read({ ...listed, spec: { ...whole.spec } }, form)).toMatchObject({
    metadata: listed.metadata,
    spec: source,
  });
});

test('volume without metadata, or without a name -> what the projection says of it', () => {
  const projection = unlessCached(slimVolume, cache);
  expect(projection.fromJson({ spec: source } as PersistentVolume)).toEqual({ spec: source });
  expect(projection.fromJson({ metadata: {}, spec: source } as PersistentVolume)).toEqual({
    metadata: {},
    spec: source,
  });
  expect(projection.fromProtobuf?.({ bytes: Buffer.alloc(0), at: 0 }, 0)).toEqual({});
});

test('projection that reads no protobuf -> nor does this: it is not asked for', () => {
  const { fromJson } = slimVolume;
  expect(unlessCached({ fromJson }, cache)).not.toHaveProperty('fromProtobuf');
});

test('volume that the cache drops, or has anew, while its page is looked through -> listed', async () => {
  const names = ['first', 'dropped', 'changed', 'kept'];
  const known = new Map(names.map((name) => [name, slimVolume.fromJson(volume({ name }))]));
  known.delete('first');
  const listed: string[] = [];
  for await (const { metadata } of listAnyVolumes(clientOf(names.map((name) => volume({ name }))), known)) {
    listed.push(metadata.name);
    if (metadata.name === 'first') {
      known.delete('dropped');
      known.set(
        'changed',
        slimVolume.fromJson(withMetadata(volume({ name: 'changed' }), { resourceVersion: '8' })),
      );
    }
  }
  expect(listed).toEqual(['first', 'dropped', 'changed']);
});

test('any volumes, any of them in the cache -> a list that leaves out what is cached finds what a whole one does', async () => {
  const names = fc.constantFrom('a', 'b', 'c', 'd', 'v');
  const listed = fc
    .record({
      name: names,
      uid: fc.constantFrom('1', '2'),
      version: fc.constantFrom('7', '8'),
      handle: fc.constantFrom('h', 'i'),
    })
    .map(({ name, uid, version, handle }) =>
      withMetadata(
        volume({ name, uid, source: { csi: { driver: 'csi.example.com', volumeHandle: handle } } }),
        {
          resourceVersion: version,
        },
      ),
    );
  const volumes = fc.uniqueArray(listed, { selector: ({ metadata }) => metadata.name });
  await fc.assert(
    fc.asyncProperty(volumes, volumes, async (inCluster, others) => {
      // What the cache has of the cluster, in part as it is and in part of another time.
      const known = new Map(
        [...others, ...inCluster.filter((_, at) => at % 2 === 0)].map((each) => [
          objectKey(each),
          slimVolume.fromJson(each),
        ]),
      );
      const client = clientOf(inCluster);
      const found = (list: () => AsyncIterable<PersistentVolume>) =>
        createUncachedVolumes({ list, cache: known, clock: createFakeClock() }).over(
          volume({
            name: 'asking',
            source: { csi: { driver: 'csi.example.com', volumeHandle: 'h' } },
          }),
        );
      const whole = await found(() => listAnyVolumes(client));
      expect(await found(() => listAnyVolumes(client, known))).toEqual(whole);
    }),
  );
});

test('volume that can not be read, in the cache as it was before -> listed', async () => {
  const client: Pick<ApiClient, 'get' | 'listPages'> = {
    get: <T>() => Promise.resolve(volume({ name: 'v', source }) as T),
    listPages: async function* (_resource, { onUnreadable }) {
      await Promise.resolve();
      onUnreadable?.(new UnreadableObject({ name: 'v' }, new Error('torn')));
      yield { metadata: { resourceVersion: '10' }, items: [] };
    },
  };
  const listed: PersistentVolume[] = [];
  for await (const each of listAnyVolumes(client, cache)) {
    listed.push(each);
  }
  expect(listed).toEqual([volume({ name: 'v', source })]);
});

/** Lists these volumes, as the projection that is given reads them. */
function clientOf(volumes: readonly PersistentVolume[]): Pick<ApiClient, 'get' | 'listPages'> {
  return {
    get: () => Promise.reject(new Error('all of them can be read')),
    listPages: async function* (_resource, { projection }) {
      await Promise.resolve();
      const items = volumes.map((each) => projection?.fromJson(each as never) ?? each);
      yield { metadata: { resourceVersion: '10' }, items: items as never };
    },
  };
}
