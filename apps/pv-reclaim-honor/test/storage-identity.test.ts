import { expect, test } from '@jest/globals';
import { indexByStorage, storageKeyOf, volumesSharing } from '../src/storage-identity.ts';
import { volume } from './objects.ts';

const ebs = { awsElasticBlockStore: { volumeID: 'aws://us-east-1a/vol-1' } };
const csi = { csi: { driver: 'ebs.csi.aws.com', volumeHandle: 'vol-1' } };
const nfs = { nfs: { server: 's', path: '/p' } };

test('one storage volume known as in-tree and as CSI -> one key', () => {
  expect(storageKeyOf(volume({ source: ebs }))).toBe(storageKeyOf(volume({ source: csi })));
});

test('one folder with slashes too many -> one key', () => {
  expect(storageKeyOf(volume({ source: { hostPath: { path: '/a//b/' } } }))).toBe(
    storageKeyOf(volume({ source: { hostPath: { path: '/a/b' } } })),
  );
});

test('source without a handle -> no key', () => {
  expect(storageKeyOf(volume({ source: nfs }))).toBeUndefined();
});

test('volumes of the same storage -> each shares with the others, not with itself', () => {
  const all = [
    volume({ name: 'in-tree', source: ebs }),
    volume({ name: 'csi', source: csi }),
    volume({ name: 'other' }),
    volume({ name: 'nfs', source: nfs }),
    volume({ name: 'nfs-too', source: nfs }),
  ];
  const store = {
    byIndex: (_index: string, key: string) => all.filter((each) => indexByStorage(each).includes(key)),
  };
  const sharing = all.map((each) =>
    volumesSharing(each, store, 'storage').map(({ metadata }) => metadata.name),
  );
  expect(sharing).toEqual([['csi'], ['in-tree'], [], [], []]);
});
