import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { persistentVolumes } from '@holdfast/core';
import { eventually, type StagedController } from '@holdfast/scenario';
import { controlPlaneMissing, startControlPlane, type ControlPlane } from '@holdfast/testing';
import { csiFinalizer, inTreeFinalizer, pvProtection } from './objects.ts';
import {
  handOf,
  openStage,
  openStorage,
  settled,
  startBinder,
  type Hand,
  type Options,
  type Stage,
} from './stage.ts';

const controllers = [
  'persistentvolume-binder-controller',
  'persistentvolume-protection-controller',
  'persistentvolumeclaim-protection-controller',
];
const missing = controlPlaneMissing({ controllers });
const suite = missing === undefined ? describe : describe.skip;

suite('in-tree volumes on a control plane', () => {
  let plane: ControlPlane;
  let stage: Stage;
  let storage: Awaited<ReturnType<typeof openStorage>>;
  let binder: { stop(): Promise<void> };
  let hand: Hand;
  let root: string;

  beforeAll(async () => {
    plane = await startControlPlane({ controllers });
    stage = await openStage(plane);
    storage = await openStorage({ name: 'ebs.csi.aws.com' });
    root = join(storage.folder, 'host');
    await mkdir(root);
    binder = await startBinder(plane);
    await start();
  }, 120_000);

  afterAll(async () => {
    await stage.close();
    await binder.stop();
    await storage.close();
    await plane.stop();
  }, 60_000);

  beforeEach(async () => {
    hand = handOf(stage, await stage.namespace(), storage.driver);
  }, 30_000);

  const start = (options: Options = {}): Promise<StagedController> =>
    stage.startController(
      { csiAddresses: [storage.driver.address], hostPathRoot: root, ...options },
      { clock: stage.fastClock() },
    );
  const scenario = (name: string, play: () => Promise<void>): void => test(name, play, 60_000);
  const gone = (short: string): Promise<void> =>
    eventually(`${short} is gone`, () => hand.volumeIsGone(short));
  const pathOf = (short: string): string => join(root, hand.nameOf(short));
  const hostPath = async (short: string, path = pathOf(short)) => {
    await mkdir(path, { recursive: true });
    await writeFile(join(path, 'data'), short);
    return { source: { hostPath: { path } } };
  };

  scenario('hostPath below the root, claim first -> folder and volume go', async () => {
    await hand.held('v', await hostPath('v'), inTreeFinalizer);
    await hand.deleteClaim('v');
    await gone('v');
    await eventually('folder is gone', () => !existsSync(pathOf('v')));
  });

  scenario(
    'hostPath below the root, volume first -> folder stays while the claim lives, then all goes',
    async () => {
      await hand.held('v', await hostPath('v'), inTreeFinalizer);
      await hand.deleteVolume('v');
      await settled(hand);
      expect(existsSync(join(pathOf('v'), 'data'))).toBe(true);
      await hand.deleteClaim('v');
      await gone('v');
      expect(existsSync(pathOf('v'))).toBe(false);
    },
  );

  scenario('hostPath below the root, Retain -> folder stays', async () => {
    await hand.bound('v', { ...(await hostPath('v')), policy: 'Retain' });
    await hand.deleteVolume('v');
    await hand.deleteClaim('v');
    await gone('v');
    await settled(hand);
    expect(existsSync(join(pathOf('v'), 'data'))).toBe(true);
  });

  scenario('hostPath elsewhere -> not held, not deleted by us', async () => {
    const elsewhere = join(storage.folder, 'elsewhere', hand.nameOf('v'));
    await hand.bound('v', {
      ...(await hostPath('v', elsewhere)),
      annotations: { 'example.com/static': 'yes' },
    });
    await settled(hand);
    expect(await hand.finalizersOf('v')).toEqual([pvProtection]);
  });

  scenario('migration turned on -> one finalizer takes the place of the other, never none', async () => {
    const { resourceVersion } = (await stage.client.list(persistentVolumes, { limit: 1 })).metadata;
    const watching = new AbortController();
    const seen: (readonly string[])[] = [];
    const watch = stage.client.watch(
      persistentVolumes,
      {
        fieldSelector: `metadata.name=${hand.nameOf('v')}`,
        resourceVersion,
        timeoutSeconds: 60,
        silenceLimit: 60_000,
        signal: watching.signal,
      },
      (event) => {
        if (event.type !== 'BOOKMARK') {
          seen.push(event.object.metadata.finalizers ?? []);
        }
      },
    );
    await hand.bound('v', {
      source: { awsElasticBlockStore: { volumeID: `vol-${hand.nameOf('v')}` } },
      annotations: { 'example.com/static': 'yes' },
      finalizers: [inTreeFinalizer],
    });
    await stage.client.patch(persistentVolumes, { name: hand.nameOf('v') }, [
      { op: 'add', path: '/metadata/annotations/pv.kubernetes.io~1migrated-to', value: 'ebs.csi.aws.com' },
    ]);
    await eventually('the CSI finalizer has come', () => {
      const last = seen.at(-1) ?? [];
      return last.includes(csiFinalizer) && !last.includes(inTreeFinalizer);
    });
    watching.abort(new Error('seen'));
    await expect(watch).rejects.toThrow('seen');
    expect(seen.filter((list) => !list.includes(inTreeFinalizer) && !list.includes(csiFinalizer))).toEqual(
      [],
    );
  });

  scenario('migrated volume, volume first -> the driver deletes it by its own handle', async () => {
    const handle = `vol-${hand.nameOf('v')}`;
    await storage.driver.addVolume(handle);
    await stage.stopControllers();
    await start({ migratedPlugins: ['kubernetes.io/aws-ebs'] });
    await hand.held('v', { source: { awsElasticBlockStore: { volumeID: `aws://us-east-1a/${handle}` } } });
    await hand.deleteVolume('v');
    await hand.deleteClaim('v');
    await gone('v');
    expect(storage.driver.hasVolume(handle)).toBe(false);
  });
});
