import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import {
  persistentVolumeClaims,
  persistentVolumes,
  volumeAttachments,
  type KubernetesObject,
} from '@holdfast/core';
import { eventually } from '@holdfast/scenario';
import { startEmbeddedControlPlane, type EmbeddedControlPlane } from '@holdfast/testing';
import { inTreeFinalizer } from './objects.ts';
import { oddClient, oddityOf, type Oddities } from './odd-client.ts';
import { createPassingTime, type PassingTime } from './passing-time.ts';
import { handOf, openStage, openStorage, startBinder, type Hand, type Stage, type Storage } from './stage.ts';

let plane: EmbeddedControlPlane;
let stage: Stage;
let oddities: Oddities;
let storages: readonly Storage[];
let binder: { stop(): Promise<void> };
let time: PassingTime;
let hand: Hand;
let root: string;

beforeEach(async () => {
  plane = await startEmbeddedControlPlane({ tls: false });
  oddities = new Map();
  stage = await openStage(plane, (client) => oddClient(client, oddities));
  const own = await openStorage();
  const other = await openStorage({ name: 'other.example.com' });
  storages = [own, other];
  root = join(own.folder, 'root');
  await mkdir(root);
  binder = await startBinder(plane);
  time = createPassingTime();
  hand = handOf(stage, await stage.namespace(), own.driver, time.until);
  await stage.startController(
    { csiAddresses: [own.driver.address, other.driver.address], hostPathRoot: root },
    time,
  );
}, 30_000);

afterEach(async () => {
  await stage.close();
  await binder.stop();
  await Promise.all(storages.map((storage) => storage.close()));
  await plane.stop();
}, 30_000);

type Shape = Readonly<Record<string, unknown>>;

/** An object whose field at the path is another on the way to the app. */
const withField =
  (path: string, value: unknown) =>
  (object: KubernetesObject): unknown => {
    const [first = '', ...rest] = path.split('.');
    const shape = object as unknown as Shape;
    return {
      ...shape,
      [first]: rest.length === 0 ? value : withField(rest.join('.'), value)(shape[first] as KubernetesObject),
    };
  };

const make = async (short: string, kind: 'csi' | 'other' | 'folder'): Promise<void> => {
  const path = join(root, short);
  const name = hand.nameOf(short);
  switch (kind) {
    case 'csi':
      return hand.held(short);
    case 'other':
      await storages[1]?.driver.addVolume(name);
      return hand.held(short, { source: { csi: { driver: 'other.example.com', volumeHandle: name } } });
    case 'folder':
      await mkdir(path);
      await writeFile(join(path, 'data'), short);
      return hand.held(short, { source: { hostPath: { path } } }, inTreeFinalizer);
  }
};

const isThere = (kind: 'csi' | 'other' | 'folder'): boolean =>
  kind === 'folder'
    ? existsSync(join(root, kind, 'data'))
    : storages[kind === 'csi' ? 0 : 1]?.driver.hasVolume(hand.nameOf(kind)) === true;

const isRefused = async (short: string): Promise<boolean> =>
  (await stage.eventsOn('default')).some(
    ({ reason, note = '', regarding }) =>
      reason === 'VolumeFailedDelete' &&
      regarding?.name === hand.nameOf(short) &&
      note.includes(
        `PersistentVolume "${hand.nameOf('odd')}" might be over the same storage, but can't be read (`,
      ) &&
      note.includes('mend it, or delete it'),
  );

const touch = async (short: string): Promise<void> => {
  await stage.client.patch(persistentVolumes, { name: hand.nameOf(short) }, [
    { op: 'add', path: '/metadata/labels', value: { touched: crypto.randomUUID() } },
  ]);
};

const breakOdd = async (change: (object: KubernetesObject) => unknown): Promise<void> => {
  oddities.set(oddityOf(persistentVolumes, hand.nameOf('odd')), change);
  await touch('odd');
};

const mend = async (): Promise<void> => {
  oddities.clear();
  await touch('odd');
};

const kinds = ['csi', 'other', 'folder'] as const;

describe('PersistentVolume that can not be read', () => {
  test.each<{
    what: string;
    path: string;
    value: unknown;
    source?: Shape;
    refused: readonly (typeof kinds)[number][];
  }>([
    { what: 'status', path: 'status', value: 'x', refused: [] },
    { what: 'annotations', path: 'metadata.annotations', value: [], refused: [] },
    { what: 'claimRef', path: 'spec.claimRef', value: 'x', refused: [] },
    { what: 'node affinity', path: 'spec.nodeAffinity', value: 7, refused: [] },
    {
      what: 'source of a kind that is not deleted here',
      path: 'spec.nfs',
      value: 'x',
      source: { nfs: { server: 'nas', path: '/v' } },
      refused: [],
    },
    {
      what: 'all of a CSI source but its driver, and the status',
      path: 'status',
      value: 'x',
      source: { csi: { driver: 'csi.holdfast.dev', volumeHandle: 'h' } },
      refused: ['csi'],
    },
    { what: 'CSI source', path: 'spec.csi', value: 'x', refused: ['csi', 'other'] },
    {
      what: 'hostPath source',
      path: 'spec.hostPath',
      value: 'x',
      source: { hostPath: { path: '/elsewhere' } },
      refused: ['folder'],
    },
    { what: 'spec', path: 'spec', value: 'x', refused: [...kinds] },
  ])(
    'its $what -> deletions of $refused are refused, Events name it, all others are deleted; mended -> all are',
    async ({ what, path, value, source, refused }) => {
      for (const kind of kinds) {
        await make(kind, kind);
      }
      await hand.createVolume('odd', { policy: 'Retain', ...(source === undefined ? {} : { source }) });
      const change = withField(path, value);
      await breakOdd(
        what.startsWith('all of a CSI source')
          ? (object) => withField('spec.csi.volumeHandle', {})(change(object) as KubernetesObject)
          : change,
      );
      for (const kind of kinds) {
        await hand.deleteClaim(kind);
      }
      for (const kind of kinds.filter((each) => !refused.includes(each))) {
        await time.until(`${kind} is gone`, () => hand.volumeIsGone(kind));
        expect(isThere(kind)).toBe(false);
      }
      for (const kind of refused) {
        await time.until(`${kind} is refused`, () => isRefused(kind));
        expect(isThere(kind)).toBe(true);
        expect(await hand.volumeIsGone(kind)).toBe(false);
      }
      await mend();
      for (const kind of refused) {
        await time.until(`${kind} is gone`, () => hand.volumeIsGone(kind));
      }
    },
    60_000,
  );

  test('its spec, and it is deleted -> what was refused goes on at once', async () => {
    await make('csi', 'csi');
    await hand.createVolume('odd', { policy: 'Retain' });
    await breakOdd(withField('spec', 'x'));
    await hand.deleteClaim('csi');
    await time.until('it is refused', () => isRefused('csi'));
    // By now its next try of its own is minutes away.
    await time.pass(600_000);
    expect(isThere('csi')).toBe(true);
    await hand.deleteVolume('odd');
    await time.until('odd is gone', () => hand.volumeIsGone('odd'));
    await time.until('csi is gone', () => hand.volumeIsGone('csi'));
  }, 60_000);

  test.each([
    { path: 'spec.claimRef.uid', value: 7 },
    { path: 'spec.claimRef.uid', value: {} },
    { path: 'spec.claimRef.name', value: 7 },
    { path: 'spec.claimRef.namespace', value: {} },
  ])(
    'X1: it is over the same storage and bound to a claim that is there, and its $path is $value -> nothing is deleted',
    async ({ path, value }) => {
      await make('csi', 'csi');
      await hand.held('odd', {
        source: { csi: { driver: 'csi.holdfast.dev', volumeHandle: hand.nameOf('csi') } },
      });
      await breakOdd(withField(path, value));
      await hand.deleteClaim('csi');
      await time.until('it is refused', async () => !isThere('csi') || (await isRefused('csi')));
      expect(isThere('csi')).toBe(true);
    },
    60_000,
  );

  test('X1: it is over the same storage, and can not be read since a moment after the last list of all volumes -> nothing is deleted', async () => {
    await make('csi', 'csi');
    await hand.held('odd', {
      source: { csi: { driver: 'csi.holdfast.dev', volumeHandle: hand.nameOf('csi') } },
    });
    await hand.held('listed');
    await hand.deleteClaim('csi');
    await hand.deleteClaim('listed');
    // From here on no time passes: that list serves further deletions for a second.
    await eventually('listed is gone', () => hand.volumeIsGone('listed'));
    await breakOdd(withField('spec', 'x'));
    await eventually('it is refused, or deleted', async () => !isThere('csi') || (await isRefused('csi')));
    expect(isThere('csi')).toBe(true);
  }, 60_000);

  test('it is over the same storage, and its policy can not be read -> nothing is deleted', async () => {
    await make('csi', 'csi');
    await hand.createVolume('odd', {
      source: { csi: { driver: 'csi.holdfast.dev', volumeHandle: hand.nameOf('csi') } },
    });
    await breakOdd(withField('status', 'x'));
    await hand.deleteClaim('csi');
    await time.until('it is refused', () => isRefused('csi'));
    expect(isThere('csi')).toBe(true);
  }, 60_000);
});

describe('others of what a deletion is decided by', () => {
  test('claim of another volume can not be read -> that one stays, all others are deleted', async () => {
    await make('csi', 'csi');
    await make('other', 'other');
    oddities.set(oddityOf(persistentVolumeClaims, `${hand.nameOf('').replace(/-$/, '')}/other`), () => ({
      metadata: 'x',
    }));
    await hand.deleteClaim('csi');
    await time.until('csi is gone', () => hand.volumeIsGone('csi'));
    expect(isThere('other')).toBe(true);
  }, 60_000);

  test.each<{ what: string; path: string; value: unknown; stays: readonly ('csi' | 'other')[] }>([
    { what: 'status', path: 'status', value: 'x', stays: ['csi'] },
    { what: 'volume', path: 'spec.source', value: 'x', stays: ['csi'] },
    { what: 'spec', path: 'spec', value: 'x', stays: ['csi', 'other'] },
  ])(
    '$what of an attachment can not be read -> volumes that it might be of stay ($stays), and go when it is gone',
    async ({ path, value, stays }) => {
      await make('csi', 'csi');
      await make('other', 'other');
      await hand.attach('csi');
      const name = hand.nameOf('csi');
      oddities.set(oddityOf(volumeAttachments, name), withField(path, value));
      await stage.client.patch(volumeAttachments, { name }, [
        { op: 'add', path: '/metadata/labels', value: { touched: 'yes' } },
      ]);
      for (const short of ['csi', 'other']) {
        await hand.deleteClaim(short);
      }
      if (!stays.includes('other')) {
        await time.until('other is gone', () => hand.volumeIsGone('other'));
      }
      await time.pass(20_000);
      for (const kind of stays) {
        expect(isThere(kind)).toBe(true);
      }
      await hand.detach('csi');
      for (const short of ['csi', 'other']) {
        await time.until(`${short} is gone`, () => hand.volumeIsGone(short));
      }
    },
    60_000,
  );
});
