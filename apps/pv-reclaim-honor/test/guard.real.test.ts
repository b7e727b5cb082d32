import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { eventually } from '@holdfast/scenario';
import { controlPlaneMissing, startControlPlane, type ControlPlaneOptions } from '@holdfast/testing';
import { heldByAnnotation, inTreeFinalizer } from './objects.ts';
import { handOf, withBinder, type Hand, type Stage, type Storage } from './stage.ts';
import { useBinderScenes } from './storage-scene.ts';

/*
 * Mode guard leaves in-tree volumes to kube-controller-manager: which of them it puts its finalizer on, and lets go of
 * again, is seen here, with its gate HonorPVReclaimPolicy off and on.
 */

const off = { HonorPVReclaimPolicy: false };
const releases: readonly {
  readonly name: string;
  readonly options: ControlPlaneOptions;
  readonly puts: boolean;
}[] = [
  {
    name: '1.31 with gate HonorPVReclaimPolicy off',
    options: {
      backend: 'real',
      release: '1.31',
      ...withBinder,
      controllerManagerFeatureGates: off,
      apiServerFeatureGates: off,
    },
    puts: false,
  },
  { name: '1.36', options: { backend: 'real', release: '1.36', ...withBinder }, puts: true },
];
const provisioned = { 'pv.kubernetes.io/provisioned-by': 'kubernetes.io/host-path' };
const still = { 'example.com/static': 'yes' };

for (const { name: release, options, puts } of releases) {
  const suite = controlPlaneMissing(options) === undefined ? describe : describe.skip;

  suite(`P3: mode guard beside the stock controllers of ${release}`, () => {
    const open = useBinderScenes(afterAll);
    let stage: Stage;
    let storage: Storage;
    let hand: Hand;

    beforeAll(async () => {
      ({ stage, storage } = await open(startControlPlane(options)));
    }, 120_000);

    beforeEach(async () => {
      await stage.stopControllers();
      hand = handOf(stage, await stage.namespace(), storage.driver);
    });

    const app = (mode: 'guard' | 'reclaim') => ({
      mode,
      csiAddresses: [storage.driver.address],
      hostPathRoot: storage.folder,
    });
    const sources = {
      nfs: () => ({ nfs: { server: 'nfs.example.com', path: '/exports/v' } }),
      hostPath: () => ({ hostPath: { path: `/tmp/holdfast-none-${hand.nameOf('v')}` } }),
    };
    const gone = (short: string): Promise<void> =>
      eventually(`${short} is gone`, () => hand.volumeIsGone(short), 45_000);

    for (const kind of ['nfs', 'hostPath'] as const) {
      for (const order of ['claim first', 'volume first'] as const) {
        test(`static ${kind} volume, ${order} -> nobody holds it, and it can be deleted`, async () => {
          await stage.startController(app('guard'));
          await hand.bound('v', { source: sources[kind](), annotations: still });
          await hand.held('later');
          expect(await hand.finalizersOf('v')).not.toContain(inTreeFinalizer);
          if (order === 'volume first') {
            await hand.deleteVolume('v');
            await hand.deleteClaim('v');
          } else {
            await hand.deleteClaim('v');
            await eventually('it is reclaimed or failed', async () => {
              const volume = await hand.volume('v');
              return volume === undefined || volume.status?.phase === 'Failed';
            });
            if (!(await hand.volumeIsGone('v'))) {
              await hand.deleteVolume('v');
            }
          }
          await gone('v');
        }, 120_000);
      }
    }

    test(`provisioned volume -> ${puts ? 'kube-controller-manager holds it and lets go of it' : 'nobody holds it'}, and it can be deleted`, async () => {
      await stage.startController(app('guard'));
      await hand.bound('v', { source: sources.hostPath(), annotations: provisioned });
      await hand.held('later');
      if (puts) {
        await eventually('it is held', async () => (await hand.finalizersOf('v')).includes(inTreeFinalizer));
      } else {
        expect(await hand.finalizersOf('v')).not.toContain(inTreeFinalizer);
      }
      expect((await hand.volume('v'))?.metadata.annotations?.[heldByAnnotation]).toBeUndefined();
      await hand.deleteVolume('v');
      await hand.deleteClaim('v');
      await gone('v');
    }, 120_000);

    for (const mode of ['guard', 'reclaim'] as const) {
      test(`static nfs volume held by release 0.1.0, mode ${mode} -> let go of`, async () => {
        await hand.bound('v', {
          source: sources.nfs(),
          annotations: still,
          finalizers: [inTreeFinalizer],
        });
        await hand.deleteVolume('v');
        await hand.deleteClaim('v');
        expect(await hand.finalizersOf('v')).toContain(inTreeFinalizer);
        await stage.startController(app(mode));
        await gone('v');
      }, 120_000);
    }

    test('hostPath volume held in mode reclaim, then mode guard -> let go of, and it can be deleted', async () => {
      await stage.startController(app('reclaim'));
      const source = { hostPath: { path: `${storage.folder}/v` } };
      await hand.held('v', { source, annotations: still }, inTreeFinalizer);
      await stage.stopControllers();
      await stage.startController(app('guard'));
      await eventually(
        'it is let go of',
        async () => !(await hand.finalizersOf('v')).includes(inTreeFinalizer),
      );
      await settledInGuard();
      await hand.deleteVolume('v');
      await hand.deleteClaim('v');
      await gone('v');
    }, 120_000);

    /** In mode guard nothing is reclaimed: that a volume of the driver is held says that all before it was judged. */
    const settledInGuard = (): Promise<void> => hand.held(`marker-${crypto.randomUUID().slice(0, 8)}`);
  });
}
