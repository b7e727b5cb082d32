import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { persistentVolumes } from '@holdfast/core';
import { eventually } from '@holdfast/scenario';
import { chosenBackend, controlPlaneMissing, startControlPlane } from '@holdfast/testing';
import { csiFinalizer, hostPathFinalizer, inTreeFinalizer, pvProtection } from './objects.ts';
import { handOf, settled, withBinder, type Hand, type Options, type Stage, type Storage } from './stage.ts';
import { useBinderScenes } from './storage-scene.ts';

const missing = controlPlaneMissing(withBinder);
const suite = missing === undefined ? describe : describe.skip;

suite('in-tree volumes on a control plane', () => {
  const open = useBinderScenes(afterAll);
  let stage: Stage;
  let storage: Storage;
  let hand: Hand;
  let root: string;
  let isAsUsual = false;

  beforeAll(async () => {
    ({ stage, storage } = await open(startControlPlane({ tls: false, ...withBinder }), {
      name: 'ebs.csi.aws.com',
    }));
    root = join(storage.folder, 'host');
    await mkdir(root);
  }, 120_000);

  beforeEach(async () => {
    hand = handOf(stage, await stage.namespace(), storage.driver);
    if (!isAsUsual) {
      await restart({});
    }
    isAsUsual = true;
  }, 30_000);

  /** Runs the app otherwise, for the rest of the test. */
  const restart = async (options: Options): Promise<void> => {
    isAsUsual = false;
    await stage.stopControllers();
    await stage.startController(
      { csiAddresses: [storage.driver.address], hostPathRoot: root, ...options },
      { clock: stage.fastClock() },
    );
  };
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

  scenario(
    'hostPath that kube-controller-manager lets go of, since it runs elsewhere and finds no folder -> folder goes all the same',
    async () => {
      const shape = await hostPath('v');
      await hand.held('v', shape, hostPathFinalizer);
      isAsUsual = false;
      await stage.stopControllers();
      await hand.deleteClaim('v');
      if (chosenBackend() === 'embedded') {
        await stage.client.patch(persistentVolumes, { name: hand.nameOf('v') }, [
          { op: 'replace', path: '/metadata/finalizers', value: [pvProtection, hostPathFinalizer] },
        ]);
        await hand.deleteVolume('v');
      }
      await eventually('kube-controller-manager has let go of v', async () => {
        const { metadata } = (await hand.volume('v')) ?? {};
        return (
          metadata?.deletionTimestamp !== undefined &&
          metadata.finalizers?.includes(hostPathFinalizer) === true &&
          !metadata.finalizers.includes(inTreeFinalizer)
        );
      });
      // The real one runs here, and has deleted the folder.
      await hostPath('v');
      await restart({});
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

  scenario('hostPath, no root -> not held, not deleted by us', async () => {
    await restart({ hostPathRoot: undefined });
    await hand.bound('v', await hostPath('v'));
    await settled(hand);
    expect(await hand.finalizersOf('v')).toEqual([pvProtection]);
    // kube-controller-manager's volume binder deletes such folders by itself; its stand-in does not.
    if (chosenBackend() === 'embedded') {
      await hand.deleteClaim('v');
      await settled(hand);
      expect(existsSync(join(pathOf('v'), 'data'))).toBe(true);
    }
  });

  const ebs = () => ({ awsElasticBlockStore: { volumeID: `vol-${hand.nameOf('v')}` } });
  const migratedTo = '/metadata/annotations/pv.kubernetes.io~1migrated-to';
  const turnOn = { op: 'add', path: migratedTo, value: 'ebs.csi.aws.com' } as const;

  // The real releases have migrated all these plugins for good, and would annotate the volume again at once.
  if (chosenBackend() === 'embedded') {
    for (const mode of ['reclaim', 'guard'] as const) {
      scenario(
        `P3: mode ${mode}, migration turned on and off -> CSI finalizer comes and goes, the in-tree one is kube-controller-manager's, never none`,
        async () => {
          await restart({ mode });
          const annotations = { 'pv.kubernetes.io/provisioned-by': 'kubernetes.io/aws-ebs' };
          // kube-controller-manager puts it on what it has provisioned.
          const watch = await watchFinalizers(stage, hand.nameOf('v'));
          await hand.bound('v', { source: ebs(), annotations, finalizers: [inTreeFinalizer] });
          const ref = { name: hand.nameOf('v') };
          await stage.client.patch(persistentVolumes, ref, [turnOn]);
          await watch.isHeldBy(csiFinalizer);
          // It turns migration off and puts its own finalizer on in one write.
          await stage.client.patch(persistentVolumes, ref, [
            { op: 'remove', path: migratedTo },
            { op: 'add', path: '/metadata/finalizers/-', value: inTreeFinalizer },
          ]);
          await watch.isHeldBy(inTreeFinalizer);
          expect((await watch.end()).filter(isUnheld)).toStrictEqual([]);
        },
      );
    }
  }

  scenario('migrated volume, volume first -> the driver deletes it by its own handle', async () => {
    const handle = `vol-${hand.nameOf('v')}`;
    await storage.driver.addVolume(handle);
    await restart({ migratedPlugins: ['kubernetes.io/aws-ebs'] });
    await hand.held('v', { source: { awsElasticBlockStore: { volumeID: `aws://us-east-1a/${handle}` } } });
    await hand.deleteVolume('v');
    await hand.deleteClaim('v');
    await gone('v');
    expect(storage.driver.hasVolume(handle)).toBe(false);
  });
});

const ours = [csiFinalizer, inTreeFinalizer];
const isUnheld = (finalizers: readonly string[]): boolean => !finalizers.some((each) => ours.includes(each));

/** Sees every list of finalizers that a volume has from now on, whether or not there is such a volume yet. */
async function watchFinalizers(
  { client }: Stage,
  name: string,
): Promise<{
  /** Resolves when of ours this one alone is on the volume. */
  isHeldBy(finalizer: string): Promise<void>;
  /** Resolves with what was seen. */
  end(): Promise<readonly (readonly string[])[]>;
}> {
  const { resourceVersion } = (await client.list(persistentVolumes, { limit: 1 })).metadata;
  const ending = new AbortController();
  const seen: (readonly string[])[] = [];
  const fieldSelector = `metadata.name=${name}`;
  const minute = { timeoutSeconds: 60, silenceLimit: 60_000 };
  const watching = client.watch(
    persistentVolumes,
    { fieldSelector, resourceVersion, ...minute, signal: ending.signal },
    (event) => {
      if (event.type !== 'BOOKMARK') {
        seen.push(event.object.metadata.finalizers ?? []);
      }
    },
  );
  return {
    isHeldBy: (finalizer) =>
      eventually(`${finalizer} holds ${name}`, () => {
        const held = seen.at(-1)?.filter((each) => ours.includes(each));
        return held?.length === 1 && held[0] === finalizer;
      }),
    end: async () => {
      ending.abort(new Error('seen enough'));
      await expect(watching).rejects.toThrow('seen enough');
      return seen;
    },
  };
}
