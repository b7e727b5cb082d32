import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { persistentVolumes } from '@holdfast/core';
import { eventually } from '@holdfast/scenario';
import { controlPlaneMissing, startControlPlane } from '@holdfast/testing';
import { csiFinalizer, heldByAnnotation, inTreeFinalizer, pvProtection } from './objects.ts';
import { createPassingTime } from './passing-time.ts';
import {
  handOf,
  openStorage,
  settled,
  withBinder,
  type Hand,
  type Options,
  type Stage,
  type Storage,
} from './stage.ts';
import { useBinderScenes } from './storage-scene.ts';

/*
 * What this app puts on a volume is recorded on it: another process with other flags finds it and takes it off, and
 * what another has put there stays.
 */

const missing = controlPlaneMissing(withBinder);
const suite = missing === undefined ? describe : describe.skip;
const own = 'example.com/reclaim';
const gateOff = { featureGates: 'HonorPVReclaimPolicy=false' };

suite('finalizers that are recorded on the volume', () => {
  const open = useBinderScenes(afterAll);
  let stage: Stage;
  let storage: Storage;
  let hand: Hand;

  beforeAll(async () => {
    ({ stage, storage } = await open(startControlPlane({ tls: false, ...withBinder })));
  }, 120_000);

  beforeEach(async () => {
    await stage.stopControllers();
    hand = handOf(stage, await stage.namespace(), storage.driver);
  });

  /** Runs the app with these flags instead of those before. */
  const restart = async (options: Options): Promise<void> => {
    await stage.stopControllers();
    await stage.startController(options, { clock: stage.fastClock() });
  };
  const withDriver = (options: Options = {}): Options => ({
    csiAddresses: [storage.driver.address],
    ...options,
  });
  const recordOf = async (short: string): Promise<string | undefined> =>
    (await hand.volume(short))?.metadata.annotations?.[heldByAnnotation];
  const hasFinalizers = (short: string, finalizers: readonly string[]): Promise<void> =>
    eventually(`${short} has the finalizers [${finalizers.join()}]`, async () => {
      const found = await hand.finalizersOf(short);
      return found !== 'gone' && found.toSorted().join() === finalizers.toSorted().join();
    });
  const gone = (short: string): Promise<void> =>
    eventually(`${short} is gone`, () => hand.volumeIsGone(short));
  const scenario = (name: string, play: () => Promise<void>): void => test(name, play, 60_000);

  scenario('P6: held -> recorded on the volume, beside annotations of others', async () => {
    await restart(withDriver());
    await hand.held('bare');
    await hand.held('annotated', { annotations: { 'example.com/team': 'shop' } });
    expect(await recordOf('bare')).toBe(csiFinalizer);
    expect((await hand.volume('annotated'))?.metadata.annotations).toMatchObject({
      'example.com/team': 'shop',
      [heldByAnnotation]: csiFinalizer,
    });
  });

  scenario('P6: held, then --csi-finalizer names another -> one takes the place of the other', async () => {
    await restart(withDriver());
    await hand.held('v');
    await restart(withDriver({ csiFinalizer: own }));
    await hasFinalizers('v', [pvProtection, own]);
    expect(await recordOf('v')).toBe(own);
    await hand.deleteVolume('v');
    await hand.deleteClaim('v');
    await gone('v');
    expect(storage.driver.hasVolume(hand.nameOf('v'))).toBe(false);
  });

  scenario(
    'P6: terminating, held by the name of an earlier --csi-finalizer -> reclaimed, and goes',
    async () => {
      await restart(withDriver({ csiFinalizer: own }));
      await hand.held('v', {}, own);
      await stage.stopControllers();
      await hand.deleteVolume('v');
      await restart(withDriver());
      await hand.deleteClaim('v');
      await gone('v');
      expect(storage.driver.hasVolume(hand.nameOf('v'))).toBe(false);
    },
  );

  scenario('P6: held, then gate off without a socket -> let go of, and the record goes', async () => {
    await restart(withDriver({ csiFinalizer: own }));
    await hand.held('v', {}, own);
    await restart(gateOff);
    await hasFinalizers('v', [pvProtection]);
    expect(await recordOf('v')).toBeUndefined();
  });

  scenario('P6: held, gate off beside the socket of another driver -> stays', async () => {
    await restart(withDriver());
    await hand.held('v');
    const other = await openStorage({ name: 'other.example.com' });
    const elsewhere = handOf(stage, await stage.namespace(), other.driver);
    await restart({ csiAddresses: [other.driver.address] });
    await elsewhere.held('w');
    await restart({ csiAddresses: [other.driver.address], ...gateOff });
    await eventually(
      'w is let go of',
      async () => !(await elsewhere.finalizersOf('w')).includes(csiFinalizer),
    );
    expect(await hand.finalizersOf('v')).toContain(csiFinalizer);
    await other.close();
  });

  scenario('P6: held, its driver is not here any more, policy becomes Retain -> let go of', async () => {
    await restart(withDriver());
    await hand.held('v');
    await restart({});
    await hand.setPolicy('v', 'Retain');
    await hasFinalizers('v', [pvProtection]);
    expect(await recordOf('v')).toBeUndefined();
  });

  scenario('P7: gate off, the shared finalizer is a csi-provisioner’s -> stays', async () => {
    await restart(withDriver());
    // It is there before we could put it on.
    await hand.held('theirs', { finalizers: [csiFinalizer] });
    await hand.held('ours');
    await settled(hand);
    expect(await recordOf('theirs')).toBeUndefined();
    await restart(withDriver(gateOff));
    await hasFinalizers('ours', [pvProtection]);
    expect(await hand.finalizersOf('theirs')).toContain(csiFinalizer);
  });

  scenario('P7: gate off, a csi-provisioner puts its finalizer where ours was -> stays', async () => {
    await restart(withDriver());
    await hand.held('v');
    await restart(withDriver(gateOff));
    await hasFinalizers('v', [pvProtection]);
    await stage.client.patch(persistentVolumes, { name: hand.nameOf('v') }, [
      { op: 'add', path: '/metadata/finalizers/-', value: csiFinalizer },
    ]);
    await restart(withDriver());
    await hand.held('w');
    await restart(withDriver(gateOff));
    await hasFinalizers('w', [pvProtection]);
    expect(await hand.finalizersOf('v')).toContain(csiFinalizer);
  });

  const nfs = { source: { nfs: { server: 'nfs.example.com', path: '/exports/v' } } };
  /** What release 0.1.0 did in mode guard. */
  const heldByOldRelease = async (short: string): Promise<void> => {
    await stage.stopControllers();
    await hand.bound(short, { ...nfs, annotations: { 'example.com/static': 'yes' } });
    await stage.client.patch(persistentVolumes, { name: hand.nameOf(short) }, [
      { op: 'add', path: '/metadata/finalizers/-', value: inTreeFinalizer },
    ]);
  };

  for (const mode of ['guard', 'reclaim'] as const) {
    scenario(
      `P3: mode ${mode}, static NFS volume with policy Delete -> not held, and can be deleted`,
      async () => {
        await restart(withDriver({ mode }));
        await hand.bound('v', nfs);
        await hand.held('later');
        expect(await hand.finalizersOf('v')).toEqual([pvProtection]);
        await hand.deleteVolume('v');
        await hand.deleteClaim('v');
        await gone('v');
      },
    );

    scenario(
      `P3: mode ${mode}, static NFS volume held by release 0.1.0 -> let go of, and can be deleted`,
      async () => {
        await heldByOldRelease('v');
        await hand.deleteVolume('v');
        await hand.deleteClaim('v');
        expect(await hand.finalizersOf('v')).toContain(inTreeFinalizer);
        await restart(withDriver({ mode }));
        await gone('v');
      },
    );
  }

  scenario(
    'P3: static NFS volume with policy Delete is released -> an Event says that nobody deletes its storage',
    async () => {
      await restart(withDriver());
      await hand.bound('v', nfs);
      await hand.deleteClaim('v');
      const { uid = '' } = (await hand.volume('v'))?.metadata ?? {};
      await eventually('it is said', async () =>
        (await stage.eventsOn('default')).some(
          ({ regarding, reason, note }) =>
            regarding?.uid === uid &&
            reason === 'VolumeMayLeak' &&
            note?.includes('kubernetes.io/nfs') === true,
        ),
      );
      await hand.deleteVolume('v');
      await gone('v');
    },
  );

  scenario(
    'P3: released, held by our record, its driver is not here -> an Event names the ways out; Retain is one',
    async () => {
      await restart(withDriver());
      await hand.held('v');
      await stage.stopControllers();
      const time = createPassingTime();
      await stage.startController({}, time);
      await hand.deleteVolume('v');
      await hand.deleteClaim('v');
      const { uid = '' } = (await hand.volume('v'))?.metadata ?? {};
      let note = '';
      await time.inStepsOf(5_000)('it is said', async () => {
        const event = (await stage.eventsOn('default')).find(
          ({ regarding, reason }) => regarding?.uid === uid && reason === 'VolumeFailedDelete',
        );
        note = event?.note ?? '';
        return event !== undefined;
      });
      for (const word of [storage.driver.name, '--csi-address', 'Retain', csiFinalizer]) {
        expect(note).toContain(word);
      }
      await hand.setPolicy('v', 'Retain');
      await time.inStepsOf(5_000)('v is gone', () => hand.volumeIsGone('v'));
      expect(storage.driver.hasVolume(hand.nameOf('v'))).toBe(true);
    },
  );
});
