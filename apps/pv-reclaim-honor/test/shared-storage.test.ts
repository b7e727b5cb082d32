import { existsSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { eventsV1, persistentVolumes } from '@holdfast/core';
import { eventually, type StagedController } from '@holdfast/scenario';
import { controlPlaneMissing, startControlPlane } from '@holdfast/testing';
import { inTreeFinalizer } from './objects.ts';
import { createMounter, mountingMissing } from './real-mounts.ts';
import { handOf, settled, withBinder, type Hand, type Stage, type Storage } from './stage.ts';
import { useBinderScenes } from './storage-scene.ts';

/*
 * Volumes over one storage, on a control plane: while one of them is kept, what it has is kept, however the other names
 * it.
 *
 * On the embedded control plane only: kube-controller-manager's own host-path plugin deletes any released folder below
 * /tmp, so that on the real one the files go whatever ours decides.
 */

const missing = controlPlaneMissing(withBinder);
const suite = missing === undefined ? describe : describe.skip;

const missingMounts = mountingMissing();
if (missingMounts !== undefined) {
  process.stderr.write(
    `SKIPPED, a volume over another by a bind mount: ${missingMounts}. Run as root on Linux.\n`,
  );
}
const onNode1 = {
  required: {
    nodeSelectorTerms: [
      { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['node-1'] }] },
    ],
  },
};

suite('volumes over one storage, on a control plane', () => {
  const open = useBinderScenes(afterAll);
  let stage: Stage;
  let storage: Storage;
  let hand: Hand;
  let root: string;
  let app: StagedController;

  beforeAll(async () => {
    ({ stage, storage } = await open(startControlPlane({ tls: false, ...withBinder })));
    root = join(storage.folder, 'host');
    await mkdir(root);
    app = await stage.startController(
      { csiAddresses: [storage.driver.address], hostPathRoot: root },
      { clock: stage.fastClock() },
    );
  }, 120_000);

  const mounter = createMounter();
  afterEach(() => mounter.unmountAll());

  beforeEach(async () => {
    hand = handOf(stage, await stage.namespace(), storage.driver);
  });

  const keysAdded = async (): Promise<number> => {
    const metrics = await app.registry.getMetricsAsJSON();
    const adds = metrics.find(({ name }) => name === 'workqueue_adds_total')?.values ?? [];
    expect(adds).not.toStrictEqual([]);
    return adds.reduce((sum, { value }) => sum + value, 0);
  };

  /** A folder of this namespace below the root, with a file in it. */
  const folder = async (...steps: readonly string[]): Promise<string> => {
    const path = join(root, hand.nameOf('folder'), ...steps);
    await mkdir(path, { recursive: true });
    await writeFile(join(path, 'data'), 'precious');
    return path;
  };

  const eventSays = async (short: string, words: string): Promise<boolean> => {
    const { items } = await stage.client.list(eventsV1, { namespace: 'default' });
    return items.some(
      ({ reason, note, regarding }) =>
        reason === 'VolumeFailedDelete' &&
        regarding?.name === hand.nameOf(short) &&
        note?.includes(words) === true,
    );
  };

  /**
   * A volume over that folder is released while another has it by that source, and reclaimed when the other is deleted.
   */
  const staysWhileKept = async (team: string, kept: object): Promise<void> => {
    await hand.createVolume('kept', { policy: 'Retain', source: kept });
    await hand.held('v', { source: { hostPath: { path: team } } }, inTreeFinalizer);
    await hand.deleteClaim('v');
    await eventually('an Event says why', () => eventSays('v', hand.nameOf('kept')));
    expect(existsSync(join(team, 'data'))).toBe(true);

    await hand.deleteVolume('kept');
    mounter.unmountAll();
    await eventually('v is gone', () => hand.volumeIsGone('v'));
    expect(existsSync(team)).toBe(false);
  };

  test.each<{ name: string; kept: (path: string) => object; released: (path: string) => string }>([
    {
      name: 'the same folder, spelled with "."',
      kept: (path) => ({ hostPath: { path: `${path}/team` } }),
      released: (path) => `${path}/./team`,
    },
    {
      name: 'the same folder, spelled with slashes too many',
      kept: (path) => ({ hostPath: { path: `${path}//team/` } }),
      released: (path) => `${path}/team`,
    },
    {
      name: 'a folder within it',
      kept: (path) => ({ hostPath: { path: `${path}/team/db` } }),
      released: (path) => `${path}/team`,
    },
    {
      name: 'a folder around it',
      kept: (path) => ({ hostPath: { path } }),
      released: (path) => `${path}/team`,
    },
    {
      name: 'the same folder, as a local volume',
      kept: (path) => ({
        local: { path: `${path}/team` },
        nodeAffinity: onNode1,
      }),
      released: (path) => `${path}/team`,
    },
  ])(
    'P1: volume released, another with policy Retain has $name -> files stay until that one is deleted',
    async ({ kept, released }) => {
      const team = await folder('team');
      const db = await folder('team', 'db');
      const path = join(team, '..');
      await hand.createVolume('kept', { policy: 'Retain', source: kept(path) });
      await hand.held('v', { source: { hostPath: { path: released(path) } } }, inTreeFinalizer);
      await hand.deleteClaim('v');
      await settled(hand);
      expect(existsSync(join(team, 'data'))).toBe(true);
      expect(existsSync(join(db, 'data'))).toBe(true);

      await hand.deleteVolume('kept');
      await eventually('v is gone', () => hand.volumeIsGone('v'));
      expect(existsSync(team)).toBe(false);
    },
    60_000,
  );

  const mounting = missingMounts === undefined ? test : test.skip;

  test.each([
    ['a link to the folder', (path: string) => symlink(join(path, 'team'), join(path, 'kept'))],
    ['a link on the way', (path: string) => symlink(path, join(path, 'kept'))],
  ])(
    'P1: volume released, another with policy Retain is over its folder by %s -> files stay, and an Event says why',
    async (_what, link) => {
      const team = await folder('team');
      await folder('team', 'team');
      const path = join(team, '..');
      await link(path);
      await staysWhileKept(team, { hostPath: { path: join(path, 'kept', 'team') } });
    },
    60_000,
  );

  mounting(
    'P1: volume released, another with policy Retain is over its folder by a bind mount -> files stay',
    async () => {
      const team = await folder('team');
      await folder('team', 'db');
      const shown = join(team, '..', 'shown');
      await mkdir(shown);
      mounter.bind(join(team, 'db'), shown);
      await staysWhileKept(team, { local: { path: shown }, nodeAffinity: onNode1 });
    },
    60_000,
  );

  test('P5: 30 volumes of one handle that are kept, each labeled -> each looked at once, and not all the others', async () => {
    const shorts = Array.from({ length: 30 }, (_, at) => `kept-${String(at)}`);
    const source = { csi: { driver: 'elsewhere.example.com', volumeHandle: hand.nameOf('shared') } };
    for (const short of shorts) {
      await hand.createVolume(short, { policy: 'Retain', source });
    }
    await settled(hand);
    const before = await keysAdded();
    for (const short of shorts) {
      await stage.client.patch(persistentVolumes, { name: hand.nameOf(short) }, [
        { op: 'add', path: '/metadata/labels', value: { seen: 'yes' } },
      ]);
    }
    await settled(hand);
    // What the marker volume of `settled` itself takes is some ten more.
    expect((await keysAdded()) - before).toBeLessThan(3 * shorts.length);
  }, 60_000);

  test('released volumes stay attached, or needed by another, for 5 minutes -> an Event says by what', async () => {
    await hand.held('attached');
    await hand.attach('attached');
    await hand.deleteClaim('attached');
    await hand.held('shared');
    const source = { csi: { driver: storage.driver.name, volumeHandle: hand.nameOf('shared') } };
    await hand.createVolume('kept', { policy: 'Retain', source });
    await hand.deleteClaim('shared');
    await eventually('an Event names the node', () => eventSays('attached', 'attached to node-1'));
    await eventually('another names the volume', () => eventSays('shared', hand.nameOf('kept')));

    await hand.detach('attached');
    await hand.deleteVolume('kept');
    await eventually('both are reclaimed', async () => {
      return (await hand.volumeIsGone('attached')) && (await hand.volumeIsGone('shared'));
    });
  });

  test('P1: CSI volumes of one handle, one of them kept -> deleted only when that one is deleted', async () => {
    await hand.createVolume('kept', { policy: 'Retain' });
    const handle = hand.nameOf('kept');
    await hand.held('v', { source: { csi: { driver: storage.driver.name, volumeHandle: handle } } });
    await hand.deleteClaim('v');
    await settled(hand);
    expect(storage.driver.hasVolume(handle)).toBe(true);

    await hand.deleteVolume('kept');
    await eventually('v is gone', () => hand.volumeIsGone('v'));
    expect(storage.driver.hasVolume(handle)).toBe(false);
  }, 60_000);
});
