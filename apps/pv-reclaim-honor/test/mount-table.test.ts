import { open } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import {
  mountIdIn,
  mountIdOf,
  mountPointOf,
  mountsBelow,
  parseMounts,
  readMounts,
} from '../src/in-tree/mount-table.ts';
import { placeIn, placesOverlap, type Place } from '../src/in-tree/place.ts';

const table = parseMounts(
  [
    '27 1 254:0 / / rw,relatime - ext4 /dev/vda rw',
    '30 27 0:27 / /r/v/tmp rw,nosuid shared:5 master:1 - tmpfs none rw,size=4k',
    '31 27 254:0 /data/team /r/w rw - ext4 /dev/vda rw',
    '32 27 254:0 /a\\040b\\134 /r/x\\011y\\012z rw - ext4 /dev/vda rw',
    '',
  ].join('\n'),
);

test('table -> number, file system, what is shown and where, escapes resolved', () => {
  expect(table).toEqual([
    { id: 27, parent: 1, device: '254:0', root: '/', mountPoint: '/' },
    { id: 30, parent: 27, device: '0:27', root: '/', mountPoint: '/r/v/tmp' },
    { id: 31, parent: 27, device: '254:0', root: '/data/team', mountPoint: '/r/w' },
    { id: 32, parent: 27, device: '254:0', root: '/a b\\', mountPoint: '/r/x\ty\nz' },
  ]);
});

test.each([
  ['/', ['/r/v/tmp', '/r/w', '/r/x\ty\nz']],
  ['/r/v', ['/r/v/tmp']],
  ['/r/v/tmp', []],
  ['/r/v/t', []],
  ['/r/w', []],
])('mount points below %s -> %j', (folder, below) => {
  expect(mountsBelow(folder, table).map(({ mountPoint }) => mountPoint)).toEqual(below);
});

test.each([
  ['/', '/'],
  ['/r/x', '/'],
  ['/r/v/tmp', '/r/v/tmp'],
  ['/r/v/tmp/a/b', '/r/v/tmp'],
  ['/r/wide', '/'],
])('%s -> is shown by the mount at %s', (path, mountPoint) => {
  expect(mountPointOf(path, table)).toBe(mountPoint);
  expect(mountPointOf(path, table.toReversed())).toBe(mountPoint);
});

test('mount in a mount -> what is within is shown by the inner one', () => {
  const nested = parseMounts(
    '50 1 0:1 / /a rw - ext4 x rw\n51 50 0:2 / /a/b rw - ext4 y rw\n52 1 0:3 / /c rw - ext4 z rw',
  );
  for (const mounts of [nested, nested.toReversed()]) {
    expect(mountPointOf('/a/b/c', mounts)).toBe('/a/b');
  }
});

test('no mount is known -> the path is shown by the one at "/"', () => {
  expect(mountPointOf('/r', [])).toBe('/');
});

/** In the form of Linux, which writes `/` for each root of NFS. */
const nfs = parseMounts(
  [
    '40 27 0:40 / /pv rw,relatime shared:9 - nfs4 nas:/k8s rw,vers=4.2',
    '41 27 0:40 / /bound rw,relatime shared:9 - nfs4 nas:/k8s/team/a rw,vers=4.2',
    '42 27 0:41 / /team rw,relatime - nfs NAS:/k8s/team/ rw,vers=3',
    '43 27 0:42 / /other rw,relatime - nfs4 elsewhere:/k8s rw',
    '44 27 0:43 / /six rw,relatime - nfs4 [fd00::1]:/k8s rw',
    '45 27 0:44 / /spaced rw,relatime - nfs4 nas:/k8s/a\\040b rw',
  ].join('\n'),
);

test.each([
  { one: '/pv/team/a', other: '/bound/data', overlap: true },
  { one: '/pv/team/b', other: '/bound/data', overlap: false },
  { one: '/pv/team', other: '/team/x', overlap: true },
  { one: '/pv/team', other: '/team', overlap: true },
  { one: '/pv/team/a', other: '/team/b', overlap: false },
  { one: '/bound', other: '/team/a/data', overlap: true },
  { one: '/pv/team', other: '/other/team', overlap: false },
  { one: '/pv/team', other: '/six/team', overlap: false },
  { one: '/pv/a b', other: '/spaced', overlap: true },
  { one: '/pv', other: '/team/x', overlap: true },
])('X1: $one and $other on NFS, by mounts of their own -> overlap: $overlap', ({ one, other, overlap }) => {
  const placeOf = (path: string): Place => {
    const [place] = nfs.flatMap((mount) => placeIn(mount, path) ?? []);
    if (place === undefined) {
      throw new Error(`${path} is in no mount`);
    }
    return place;
  };
  expect(placesOverlap(placeOf(one), placeOf(other))).toBe(overlap);
  expect(placesOverlap(placeOf(other), placeOf(one))).toBe(overlap);
});

test('two file systems, neither of a server, the same path in both -> no overlap', () => {
  const [one, other]: readonly Place[] = ['8:1', '8:2'].map((device) => ({ device, path: '/data' }));
  expect(one && other && placesOverlap(one, other)).toBe(false);
});

test.each([
  ['FUSE, by a source like that of NFS', '60 27 0:60 / /ssh rw - fuse.sshfs nas:/k8s rw'],
  ['a file system whose source is a hyphen', '61 27 0:61 /a /dash rw shared:9 - tmpfs - nfs4 nas:/k8s rw'],
  ['NFS, by a source of no folder', '62 27 0:62 / /odd rw - nfs4 nas rw'],
])('%s -> of no server, and the folder shown is the one named', (_what, line) => {
  const [mount] = parseMounts(line);
  expect(mount).toMatchObject({ root: line.split(' ')[3], server: undefined });
});

test.each([
  ['pos:\t0\nflags:\t0100000\nmnt_id:\t27\nino:\t1234\n', 27],
  ['pos:\t0\nflags:\t0100000\nmnt_id:\t1042\n', 1_042],
])('what Linux says of an open file: %j -> its mount is %d', (text, id) => {
  expect(mountIdIn(text)).toBe(id);
});

test('a Linux that does not name the mount of an open file -> an error that says so', () => {
  expect(() => mountIdIn('pos:\t0\nflags:\t0100000\n')).toThrow(/can't be told apart/);
});

const onLinux = process.platform === 'linux' ? test : test.skip;

onLinux('open folder -> the number of its mount, which the table has', async () => {
  const folder = await open('/');
  try {
    expect(readMounts().map(({ id }) => id)).toContain(mountIdOf(folder.fd));
  } finally {
    await folder.close();
  }
});
