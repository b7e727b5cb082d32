import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { eventually } from '@holdfast/scenario';
import { controlPlaneMissing, startControlPlane, type ControlPlaneOptions } from '@holdfast/testing';
import { csiFinalizer, inTreeFinalizer } from './objects.ts';
import { handOf, settled, withBinder, type Hand, type Stage, type Storage } from './stage.ts';
import { useBinderScenes } from './storage-scene.ts';

interface Release {
  readonly name: string;
  readonly options: ControlPlaneOptions;
}

const off = { HonorPVReclaimPolicy: false };
const releases: readonly Release[] = [
  {
    name: '1.31 with gate HonorPVReclaimPolicy off',
    options: {
      backend: 'real',
      release: '1.31',
      ...withBinder,
      controllerManagerFeatureGates: off,
      apiServerFeatureGates: off,
    },
  },
  { name: '1.36', options: { backend: 'real', release: '1.36', ...withBinder } },
];

for (const { name: release, options } of releases) {
  const suite = controlPlaneMissing(options) === undefined ? describe : describe.skip;

  suite(`beside the stock controllers of ${release}`, () => {
    const open = useBinderScenes(afterAll);
    let stage: Stage;
    let storage: Storage;
    let root: string;
    let hand: Hand;

    beforeAll(async () => {
      ({ stage, storage } = await open(startControlPlane(options)));
      root = join(storage.folder, 'host');
      await mkdir(root);
    }, 120_000);

    beforeEach(async () => {
      hand = handOf(stage, await stage.namespace(), storage.driver);
    });

    const app = () => ({ csiAddresses: [storage.driver.address], hostPathRoot: root });
    const hasStorage = (short: string): boolean => storage.driver.hasVolume(hand.nameOf(short));
    const gone = (short: string): Promise<void> =>
      eventually(`${short} is gone`, () => hand.volumeIsGone(short));
    const pathOf = (short: string): string => join(root, hand.nameOf(short));
    const hostPath = async (short: string) => {
      await mkdir(pathOf(short));
      await writeFile(join(pathOf(short), 'data'), short);
      return { source: { hostPath: { path: pathOf(short) } } };
    };

    test('without us, volume first -> its storage is left behind', async () => {
      await hand.bound('v');
      await hand.deleteVolume('v');
      await hand.deleteClaim('v');
      await gone('v');
      expect(hasStorage('v')).toBe(true);
    }, 60_000);

    for (const annotations of [undefined, { 'pv.kubernetes.io/provisioned-by': 'csi.holdfast.dev' }]) {
      const kind = annotations === undefined ? 'static' : 'dynamic';
      for (const order of ['claim first', 'volume first'] as const) {
        for (const policy of ['Delete', 'Retain'] as const) {
          test(`${kind} CSI volume, ${policy}, ${order}`, async () => {
            await stage.startController(app());
            const shape = { policy, ...(annotations === undefined ? {} : { annotations }) };
            await (policy === 'Delete' ? hand.held('v', shape) : hand.bound('v', shape));
            if (order === 'volume first') {
              await hand.deleteVolume('v');
              await settled(hand);
              expect(hasStorage('v')).toBe(true);
            }
            await hand.deleteClaim('v');
            await settled(hand);
            if (policy === 'Retain' && order === 'claim first') {
              expect((await hand.volume('v'))?.status?.phase).toBe('Released');
              await hand.deleteVolume('v');
            }
            await gone('v');
            expect(hasStorage('v')).toBe(policy === 'Retain');
            await stage.stopControllers();
          }, 90_000);
        }
      }
    }

    for (const provisioned of [false, true]) {
      test(`${provisioned ? 'dynamic' : 'static'} hostPath volume, volume first -> folder and volume go with the claim`, async () => {
        await stage.startController(app());
        const annotations = provisioned
          ? { 'pv.kubernetes.io/provisioned-by': 'kubernetes.io/host-path' }
          : {};
        await hand.held('v', { ...(await hostPath('v')), annotations }, inTreeFinalizer);
        await hand.deleteVolume('v');
        await settled(hand);
        expect(existsSync(join(pathOf('v'), 'data'))).toBe(true);
        await hand.deleteClaim('v');
        await gone('v');
        expect(existsSync(pathOf('v'))).toBe(false);
        await stage.stopControllers();
      }, 90_000);
    }

    test('attached -> held until it is detached', async () => {
      await stage.startController(app());
      await hand.held('v');
      await hand.attach('v');
      await hand.deleteVolume('v');
      await hand.deleteClaim('v');
      await settled(hand);
      expect(hasStorage('v')).toBe(true);
      await hand.detach('v');
      await gone('v');
      expect(hasStorage('v')).toBe(false);
      await stage.stopControllers();
    }, 90_000);

    test('gate turned off, on and off -> finalizers are taken off each time, and nothing hangs', async () => {
      await stage.startController(app());
      await hand.held('csi');
      await hand.held('host', await hostPath('host'), inTreeFinalizer);
      for (const gate of ['false', 'true', 'false']) {
        await stage.stopControllers();
        await stage.startController({ ...app(), featureGates: `HonorPVReclaimPolicy=${gate}` });
        await eventually(`gate ${gate} has taken effect`, async () => {
          const csi = (await hand.finalizersOf('csi')).includes(csiFinalizer);
          const host = (await hand.finalizersOf('host')).includes(inTreeFinalizer);
          return csi === host && csi === (gate === 'true');
        });
      }
      await hand.deleteVolume('csi');
      await hand.deleteVolume('host');
      await hand.deleteClaim('csi');
      await hand.deleteClaim('host');
      await gone('csi');
      await gone('host');
      expect(hasStorage('csi')).toBe(true);
      await stage.stopControllers();
    }, 90_000);
  });
}
