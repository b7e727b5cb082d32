import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { systemClock } from '@holdfast/runtime';
import { startCsiDriver } from '@holdfast/testing';
import { pino } from 'pino';
import { createCsiDrivers } from '../src/csi/csi-drivers.ts';
import { deletionFlaw } from '../src/csi/deletion-flaw.ts';
import { atWill } from './objects.ts';

const nfs = 'nfs.csi.k8s.io';

test.each([
  { handle: 'nas#export#team/data#pvc-1#', folder: 'team' },
  { handle: 'nas#export#team/a/b#pvc-1#', folder: 'team' },
  { handle: 'nas##./data#pvc-1#', folder: '.' },
  { handle: 'nas#export#team/data', folder: 'team' },
  { handle: 'nas#export#team/data#pvc-1#delete', folder: 'team' },
])('csi-driver-nfs 4.10, $handle -> not deleted, since folder $folder would go', ({ handle, folder }) => {
  for (const version of ['v4.10.0', '4.10.1', 'v4.10.0-rc1', 'v4.10', '4.10-vendor.1', 'v4.10+2']) {
    expect(deletionFlaw(nfs, version, handle)).toMatch(
      new RegExp(`deletes all of folder "${folder.replace('.', '\\.')}" with it.*4\\.11`),
    );
  }
});

test.each([
  { what: 'one folder', handle: 'nas#export#pvc-1##' },
  { what: 'a slash at the end', handle: 'nas#export#team/#pvc-1#' },
  { what: 'a slash at the beginning', handle: 'nas#export#/team/data#pvc-1#' },
  { what: 'the form of older releases', handle: 'nas/export/team/data' },
  { what: 'a volume that is retained', handle: 'nas#export#team/data#pvc-1#retain' },
  { what: 'a volume that is archived', handle: 'nas#export#team/data#pvc-1#Archive' },
  { what: 'no handle of its own', handle: 'some-name' },
  { what: 'another release', handle: 'nas#export#team/data#pvc-1#', version: 'v4.11.0' },
  { what: 'a release with a longer number', handle: 'nas#export#team/data#pvc-1#', version: 'v4.100.0' },
  { what: 'an older release', handle: 'nas#export#team/data#pvc-1#', version: 'v4.1.0' },
  { what: 'no version', handle: 'nas#export#team/data#pvc-1#', version: '' },
  { what: 'another driver', handle: 'nas#export#team/data#pvc-1#', driver: 'smb.csi.k8s.io' },
])('$what -> deleted', ({ handle, version = 'v4.10.0', driver = nfs }) => {
  expect(deletionFlaw(driver, version, handle)).toBeUndefined();
});

test.each([
  { version: 'v4.10.0', says: /update the driver/ },
  // The stand-in, which was asked, takes no handle that does not do as a file name.
  { version: 'v4.11.0', says: /INVALID_ARGUMENT/ },
])('driver reports $version -> $says', async ({ version, says }) => {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-flaw-'));
  const driver = await startCsiDriver({ name: nfs, version, folder, socket: join(folder, 'csi.sock') });
  const end = new AbortController();
  const connected = Promise.withResolvers<undefined>();
  const drivers = createCsiDrivers({
    addresses: [driver.address],
    timeout: 10_000,
    logger: pino({ level: 'silent' }),
    clock: systemClock,
    onReady: () => connected.resolve(undefined),
  });
  const running = drivers.run(end.signal);
  try {
    await connected.promise;
    const deletion = drivers.deleteVolume({ driver: nfs, handle: 'nas##team/data##', secrets: {} }, atWill);
    await expect(deletion).rejects.toThrow(says);
  } finally {
    end.abort(new Error('the test has ended'));
    await running;
    await driver.stop();
    await rm(folder, { recursive: true, force: true });
  }
});
