import { open } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { mountIdOf, mountsBelow, parseMounts, readMounts } from '../src/in-tree/mount-table.ts';

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

const onLinux = process.platform === 'linux' ? test : test.skip;

onLinux('open folder -> the number of its mount, which the table has', async () => {
  const folder = await open('/');
  try {
    expect(readMounts().map(({ id }) => id)).toContain(mountIdOf(folder.fd));
  } finally {
    await folder.close();
  }
});
