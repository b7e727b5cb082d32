import { expect, test } from '@jest/globals';
import { isDriverName } from '../src/csi/driver-name.ts';

test.each([
  'csi.example.com',
  'a',
  'PD.csi.storage.gke.io',
  'a'.repeat(63),
  'rook-ceph.rbd.csi.ceph.com',
  '0a.1',
])('%s -> the name of a driver', (name) => {
  expect(isDriverName(name)).toBe(true);
});

test.each(['', 'a'.repeat(64), 'csi_example', 'csi example', '-a', 'a-', 'a..b', 'a\n', 'ünïcödé', '\u0000'])(
  'no PersistentVolume can name %j -> none',
  (name) => {
    expect(isDriverName(name)).toBe(false);
  },
);
