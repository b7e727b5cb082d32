import { existsSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { systemClock } from '@holdfast/runtime';
import { createFaultPlan, startEmbeddedControlPlane, type FaultPlan } from '@holdfast/testing';
import { csiFinalizer, inTreeFinalizer } from './objects.ts';
import { createPassingTime, type PassingTime } from './passing-time.ts';
import { handOf, settled, type Hand, type Stage, type Storage } from './stage.ts';
import { useBinderScenes } from './storage-scene.ts';

/*
 * The process stands still between the look at the API server and the deletion that rests on it: while it makes a
 * request that comes after the look, the clock by which looks grow old goes on by an hour.
 */

let plan: FaultPlan;
afterEach(() => plan.clear());
const open = useBinderScenes(afterEach);
let stage: Stage;
let storage: Storage;
let time: PassingTime;
let hand: Hand;
let root: string;
let frozen: number;

beforeEach(async () => {
  plan = createFaultPlan(1);
  ({ stage, storage } = await open(startEmbeddedControlPlane({ tls: false, faults: plan })));
  root = join(storage.folder, 'root');
  await mkdir(root);
  time = createPassingTime();
  frozen = 0;
  hand = handOf(stage, await stage.namespace(), storage.driver, time.until);
  await stage.startController(
    {
      csiAddresses: [storage.driver.address],
      hostPathRoot: root,
      lookClock: {
        now: () => {
          const now = systemClock.now() + frozen;
          // The client's clock does not stand still with it.
          frozen = Math.min(frozen, 0);
          return now;
        },
      },
    },
    time,
  );
}, 30_000);

interface Kind {
  readonly kind: string;
  /** A request between the first answer of the look and the deletion. */
  readonly request: { readonly verb: 'get' | 'list'; readonly resource: string };
  readonly hold: () => Promise<void>;
  readonly isThere: () => boolean;
  readonly finalizer: string;
}

const kinds: readonly Kind[] = [
  {
    kind: 'CSI',
    request: { verb: 'list', resource: 'volumeattachments' },
    hold: () => hand.held('v'),
    isThere: () => storage.driver.hasVolume(hand.nameOf('v')),
    finalizer: csiFinalizer,
  },
  {
    kind: 'hostPath',
    request: { verb: 'list', resource: 'persistentvolumes' },
    hold: async () => {
      await mkdir(join(root, 'v'));
      await writeFile(join(root, 'v', 'data'), 'data');
      await hand.held('v', { source: { hostPath: { path: join(root, 'v') } } }, inTreeFinalizer);
    },
    isThere: () => existsSync(join(root, 'v', 'data')),
    finalizer: inTreeFinalizer,
  },
];

/** The next such request of the app stands still for an hour, in which this is done. */
function freezeAt(request: Kind['request'], meanwhile: () => Promise<void>): void {
  plan.on(
    { ...request, userAgent: /^pv-reclaim-honor\// },
    {
      kind: 'call',
      run: async () => {
        await meanwhile();
        frozen = 3_600_000;
      },
    },
    { times: 1 },
  );
}

test('class that may name a Secret -> read for that before the look, so that the look is the last that is read', async () => {
  const read: string[] = [];
  await hand.held('v');
  for (const [what, verb, resource] of [
    ['class', 'get', 'storageclasses'],
    ['volume', 'get', 'persistentvolumes'],
    ['attachments', 'list', 'volumeattachments'],
  ] as const) {
    plan.on(
      { verb, resource, userAgent: /^pv-reclaim-honor\// },
      { kind: 'call', run: () => void read.push(what) },
    );
  }
  await hand.deleteClaim('v');
  await time.until('v is gone', () => hand.volumeIsGone('v'));
  expect(read.slice(0, read.indexOf('attachments') + 1)).toEqual([
    'class',
    'volume',
    // Whether it asks for an undo window.
    'class',
    'attachments',
  ]);
  expect(read.filter((each) => each === 'class')).toHaveLength(2);
}, 60_000);

async function isHeld({ finalizer }: Kind): Promise<boolean> {
  return (await hand.finalizersOf('v')).includes(finalizer);
}

describe.each(kinds)('$kind', (kind) => {
  test('A0: frozen between look and deletion, policy becomes Retain meanwhile -> storage stays, volume is let go of', async () => {
    await kind.hold();
    freezeAt(kind.request, () => hand.setPolicy('v', 'Retain'));
    await hand.deleteClaim('v');
    await time.until('v is let go of', async () => !(await isHeld(kind)));
    await settled(hand);
    expect(kind.isThere()).toBe(true);
  }, 60_000);

  test('S1: policy becomes Retain after the look, and the watch says so before a look has grown old -> storage stays', async () => {
    await kind.hold();
    // However slow the machine is.
    frozen = -3_600_000;
    const letGo = Promise.withResolvers<undefined>();
    plan.on(
      { ...kind.request, userAgent: /^pv-reclaim-honor\// },
      {
        kind: 'call',
        run: async () => {
          await hand.setPolicy('v', 'Retain');
          await time.until('the app has seen it', async () => !(await isHeld(kind)));
          letGo.resolve(undefined);
        },
      },
      { times: 1 },
    );
    await hand.deleteClaim('v');
    await time.until('the look was answered', () => plan.injected.length === 1);
    await letGo.promise;
    await settled(hand);
    expect(kind.isThere()).toBe(true);
  }, 60_000);

  test('A0: frozen between look and deletion, nothing changes meanwhile -> looked at anew, and deleted without a failure', async () => {
    await kind.hold();
    freezeAt(kind.request, () => Promise.resolve());
    await hand.deleteClaim('v');
    await time.until('v is gone', () => hand.volumeIsGone('v'));
    expect(kind.isThere()).toBe(false);
    expect(plan.injected).toHaveLength(1);
    expect((await stage.eventsOn('default')).map(({ reason }) => reason)).not.toContain('VolumeFailedDelete');
  }, 60_000);
});

test('X1: volume over the folder by a link becomes Retain after the look at all folders, and the watch says so -> storage stays', async () => {
  const [path, link] = [join(root, 'v'), join(storage.folder, 'link')];
  await mkdir(path);
  await writeFile(join(path, 'data'), 'data');
  await symlink(path, link);
  // Somebody else keeps it from going when it is released.
  await hand.bound('linked', { source: { hostPath: { path: link } }, finalizers: ['example.com/keeps'] });
  await hand.deleteClaim('linked');
  await hand.held('v', { source: { hostPath: { path } } }, inTreeFinalizer);
  await hand.held('seen');
  // However slow the machine is.
  frozen = -3_600_000;
  let foldersAreLookedFor = false;
  const seen = Promise.withResolvers<undefined>();
  plan.on(
    { verb: 'list', resource: 'persistentvolumes', userAgent: /^pv-reclaim-honor\// },
    { kind: 'call', run: () => void (foldersAreLookedFor = true) },
  );
  let isDone = false;
  plan.on(
    { verb: 'list', resource: 'volumeattachments', userAgent: /^pv-reclaim-honor\// },
    {
      kind: 'call',
      run: async () => {
        if (!foldersAreLookedFor || isDone) {
          return;
        }
        isDone = true;
        await hand.setPolicy('linked', 'Retain');
        await hand.setPolicy('seen', 'Retain');
        await time.until('the app has seen both', async () => {
          return !(await hand.finalizersOf('seen')).includes(csiFinalizer);
        });
        seen.resolve(undefined);
      },
    },
  );
  await hand.deleteClaim('v');
  await time.until('the folders are looked for', () => isDone);
  await seen.promise;
  const isRefused = async (): Promise<boolean> =>
    (await stage.eventsOn('default')).some(
      ({ note }) => note?.includes(`volume ${hand.nameOf('linked')} needs it`) === true,
    );
  await time.until('v is refused, or deleted', async () => !existsSync(path) || (await isRefused()));
  expect(existsSync(join(path, 'data'))).toBe(true);
}, 60_000);
