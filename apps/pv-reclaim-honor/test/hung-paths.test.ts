import { Dir, existsSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { eventually } from '@holdfast/scenario';
import { startEmbeddedControlPlane } from '@holdfast/testing';
import { createFakeClock } from '@holdfast/testing/fake-clock';
import { createFileCalls } from '../src/in-tree/file-calls.ts';
import { hostPathPlugin } from '../src/in-tree/host-path.ts';
import { atNextRead } from './next-read.ts';
import { atWill, inTreeFinalizer, noOthers, volume } from './objects.ts';
import { createPassingTime, type PassingTime } from './passing-time.ts';
import { createMounter, mountingMissing, type Mounter } from './real-mounts.ts';
import { handOf, type Hand, type Stage, type Storage } from './stage.ts';
import { useBinderScenes } from './storage-scene.ts';

/*
 * A file system that does not answer: FUSE at whose other end nobody is, or calls that end when they are let to.
 */

const missing = mountingMissing();
if (missing !== undefined) {
  process.stderr.write(`SKIPPED, a file system that hangs: ${missing}. Run these tests as root on Linux.\n`);
}
const suite = missing === undefined ? describe : describe.skip;

suite('path of another volume in a file system that hangs', () => {
  let mounter: Mounter;
  afterEach(() => mounter.unmountAll());
  const open = useBinderScenes(afterEach);
  let stage: Stage;
  let storage: Storage;
  let time: PassingTime;
  let hand: Hand;
  let root: string;
  let far: string;

  beforeEach(async () => {
    ({ stage, storage } = await open(startEmbeddedControlPlane({ tls: false })));
    root = join(storage.folder, 'root');
    far = join(storage.folder, 'far');
    await mkdir(root);
    await mkdir(far);
    mounter = createMounter();
    mounter.hung(far);
    time = createPassingTime();
    hand = handOf(stage, await stage.namespace(), storage.driver, time.until);
    await stage.startController({ csiAddresses: [storage.driver.address], hostPathRoot: root }, time);
  }, 30_000);

  const pathOf = (short: string): string => join(root, short);
  const released = async (short: string): Promise<void> => {
    await mkdir(pathOf(short));
    await writeFile(join(pathOf(short), 'data'), short);
    await hand.held(short, { source: { hostPath: { path: pathOf(short) } } }, inTreeFinalizer);
    await hand.deleteClaim(short);
  };

  test('it needs its storage -> nothing is deleted, an Event names it and its path; deleted when it answers again', async () => {
    const path = join(far, 'data');
    await hand.createVolume('far', { policy: 'Retain', source: { hostPath: { path } } });
    await released('v');
    await hand.held('csi');
    await hand.deleteClaim('csi');
    await time.until('the CSI volume is gone', () => hand.volumeIsGone('csi'));
    await time.inStepsOf(1_000)('an Event says so', async () =>
      (await stage.eventsOn('default')).some(
        ({ reason, note = '', regarding }) =>
          reason === 'VolumeFailedDelete' &&
          regarding?.name === hand.nameOf('v') &&
          note.includes(
            `volume ${hand.nameOf('far')} might need it: where its path "${path}" leads is not known`,
          ) &&
          note.includes('has not answered for'),
      ),
    );
    expect(existsSync(join(pathOf('v'), 'data'))).toBe(true);

    mounter.unmountAll();
    await time.inStepsOf(5_000)('v is gone', () => hand.volumeIsGone('v'));
    expect(existsSync(pathOf('v'))).toBe(false);
  }, 60_000);

  test('it does not need its storage -> the others are deleted', async () => {
    for (const short of ['far-1', 'far-2']) {
      const source = { hostPath: { path: join(far, short) } };
      // The binder deletes it, but it is there for as long as somebody holds it.
      await hand.bound(short, { source, finalizers: ['example.com/hold'] });
      await hand.deleteClaim(short);
    }
    await released('v');
    await time.inStepsOf(1_000)('v is gone', () => hand.volumeIsGone('v'));
    expect(existsSync(pathOf('v'))).toBe(false);
    expect(await hand.volumeIsGone('far-2')).toBe(false);
  }, 60_000);
});

test('file system hangs while a folder is removed -> refused after 30 s, not begun again until it answers, and its answer removes nothing further', async () => {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'holdfast-hung-')));
  const path = join(root, 'v');
  await mkdir(path);
  await writeFile(join(path, 'file'), 'data');
  const clock = createFakeClock();
  const calls = createFileCalls({
    clock,
    logger: { info: () => undefined, warn: () => undefined },
    atOnce: 2,
    atMost: 10,
    onSilent: () => undefined,
  });
  const plugin = hostPathPlugin(root, noOthers, calls);
  const remove = (): Promise<void> => plugin.delete(volume({ source: { hostPath: { path } } }), atWill);
  const { promise: answer, resolve: doAnswer } = Promise.withResolvers<undefined>();
  const { promise: isRead, resolve: doRead } = Promise.withResolvers<undefined>();
  atNextRead(async () => {
    doRead(undefined);
    await answer;
  });
  const close = jest.spyOn(Dir.prototype, 'close');
  const outcome = expect(remove()).rejects.toThrow(
    `"${path}" is not deleted: its file system has not answered for 30 s`,
  );
  await isRead;
  await clock.advance(30_000);
  await outcome;
  await expect(remove()).rejects.toThrow(`has not answered for 30 s (at "${path}")`);

  doAnswer(undefined);
  await eventually('what was begun has ended', () => close.mock.calls.length > 0);
  close.mockRestore();
  expect(existsSync(join(path, 'file'))).toBe(true);
  await eventually('it is deleted', () =>
    remove().then(
      () => true,
      () => false,
    ),
  );
  expect(existsSync(path)).toBe(false);
  await rm(root, { recursive: true });
});
