import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { eventsV1, persistentVolumeClaims, persistentVolumes, storageClasses } from '@holdfast/core';
import { eventually, type StagedController } from '@holdfast/scenario';
import { controlPlaneMissing, startControlPlane, type CsiDriver } from '@holdfast/testing';
import { csiFinalizer } from './objects.ts';
import { createPassingTime, type PassingTime } from './passing-time.ts';
import {
  handOf,
  withBinder,
  type Hand,
  type Options,
  type Stage,
  type Storage,
  type VolumeOptions,
} from './stage.ts';
import { useBinderScenes } from './storage-scene.ts';

const missing = controlPlaneMissing(withBinder);
const suite = missing === undefined ? describe : describe.skip;

const undoFinalizer = 'holdfast.dev/undo-window';
const grace = 'holdfast.dev/reclaim-grace';
const deleteAfter = 'holdfast.dev/delete-after';
const minute = 60_000;
const gateOn = 'ReclaimGracePeriod=true';
/** The way that holds beside every other provisioner. */
const retained = {
  policy: 'Retain',
  annotations: { 'holdfast.dev/reclaim-policy': 'Delete', [grace]: '5m' },
} as const;

suite('undo window of volumes', () => {
  const open = useBinderScenes(afterAll);
  let stage: Stage;
  let storage: Storage;
  let driver: CsiDriver;
  let time: PassingTime;
  let hand: Hand;

  beforeAll(async () => {
    ({ stage, storage } = await open(startControlPlane({ tls: false, ...withBinder })));
    driver = storage.driver;
  }, 120_000);

  beforeEach(async () => {
    time = createPassingTime();
    hand = handOf(stage, await stage.namespace(), driver, time.until);
  });
  afterEach(() => stage.stopControllers());

  const start = (options: Options = {}): Promise<StagedController> => {
    const { clock } = time;
    const wallClock = (): Date => new Date(Date.parse('2026-01-01T12:00:00Z') + clock.now());
    return stage.startController(
      {
        csiAddresses: [driver.address],
        featureGates: gateOn,
        now: wallClock,
        serverTime: wallClock,
        ...options,
      },
      { clock },
    );
  };
  const scenario = (name: string, play: () => Promise<void>): void => test(name, play, 90_000);
  const hasStorage = (short: string): boolean => driver.hasVolume(hand.nameOf(short));
  const annotation = async (short: string, name: string): Promise<string | undefined> =>
    (await hand.volume(short))?.metadata.annotations?.[name];
  const marked = (short: string): Promise<void> =>
    time.until(`${short} is marked`, async () => (await annotation(short, deleteAfter)) !== undefined);
  const gone = (short: string): Promise<void> =>
    time.inStepsOf(5_000)(`${short} is gone`, () => hand.volumeIsGone(short));
  const bound = (short: string): Promise<void> =>
    // The stock binder looks at claims that wait with each of its syncs only.
    time.until(
      `${short} is bound`,
      async () => {
        const claim = await stage.find(persistentVolumeClaims, { namespace: namespaceOf(), name: short });
        const volume = await hand.volume(short);
        return (
          volume?.status?.phase === 'Bound' &&
          claim?.status?.phase === 'Bound' &&
          volume.spec?.claimRef?.uid === claim.metadata.uid
        );
      },
      45_000,
    );
  const namespaceOf = (): string => hand.nameOf('').slice(0, -1);
  const release = async (short: string, shape: VolumeOptions, finalizer = csiFinalizer): Promise<void> => {
    await hand.held(short, shape, finalizer);
    await hand.deleteClaim(short);
  };
  /** A volume without a window, released now, goes: the controller has seen and judged what was done before. */
  const settled = async (): Promise<void> => {
    const short = `marker-${crypto.randomUUID().slice(0, 8)}`;
    await release(short, {});
    await gone(short);
  };
  const warned = (name: string, reason: string, ...words: readonly string[]): Promise<void> =>
    eventually(`an Event on ${name} says why`, async () =>
      (await stage.client.list(eventsV1, { namespace: 'default' })).items.some(
        (event) =>
          event.type === 'Warning' &&
          event.reason === reason &&
          event.regarding?.name === name &&
          words.every((word) => event.note?.includes(word)),
      ),
    );
  const annotate = async (short: string, name: string, value: string | undefined): Promise<void> => {
    const path = `/metadata/annotations/${name.replace('/', '~1')}`;
    await stage.client.patch(persistentVolumes, { name: hand.nameOf(short) }, [
      value === undefined ? { op: 'remove', path } : { op: 'add', path, value },
    ]);
  };

  scenario('Retain that means Delete, released -> storage stays until its time, then it goes', async () => {
    await start();
    await release('v', retained, undoFinalizer);
    await marked('v');
    await time.pass(4 * minute);
    expect(hasStorage('v')).toBe(true);
    expect((await hand.volume('v'))?.metadata.deletionTimestamp).toBeUndefined();
    await gone('v');
    expect(hasStorage('v')).toBe(false);
  });

  scenario(
    'asked for again in its window -> the new claim has it, with its data, and its mark is gone',
    async () => {
      await start();
      await release('v', retained, undoFinalizer);
      await marked('v');
      await hand.createClaim('v');
      await bound('v');
      expect(await annotation('v', deleteAfter)).toBeUndefined();
      await time.pass(6 * minute);
      await settled();
      expect(hasStorage('v')).toBe(true);
      expect(await hand.finalizersOf('v')).toContain(undoFinalizer);
      // And once more: released from that claim, it has a window of its own.
      await hand.deleteClaim('v');
      await marked('v');
      expect(hasStorage('v')).toBe(true);
      await gone('v');
      expect(hasStorage('v')).toBe(false);
    },
  );

  scenario(
    'its claim comes back from a file, as one that was bound -> it gets the volume, with its data',
    async () => {
      await start();
      await release('v', retained, undoFinalizer);
      await marked('v');
      await stage.client.create(persistentVolumeClaims, namespaceOf(), {
        metadata: { name: 'v', annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } },
        spec: {
          accessModes: ['ReadWriteOnce'],
          resources: { requests: { storage: '1Gi' } },
          storageClassName: namespaceOf(),
          volumeName: hand.nameOf('v'),
        },
      });
      await bound('v');
      expect(hasStorage('v')).toBe(true);
    },
  );

  scenario('claimRef gets a UID of no claim -> the claim that is bound gets the volume back', async () => {
    await start();
    await hand.held('v', retained, undoFinalizer);
    await stage.client.patch(persistentVolumes, { name: hand.nameOf('v') }, [
      { op: 'replace', path: '/spec/claimRef/uid', value: 'typo' },
    ]);
    await bound('v');
    expect(hasStorage('v')).toBe(true);
  });

  scenario('Delete in the field, window of the class -> the same, and given back too', async () => {
    await stage.client.create(storageClasses, undefined, {
      metadata: { name: namespaceOf(), annotations: { [grace]: '5m' } },
      provisioner: 'kubernetes.io/no-provisioner',
    });
    await start();
    await release('v', {});
    await release('w', {});
    await marked('v');
    await marked('w');
    await hand.createClaim('w');
    await bound('w');
    await gone('v');
    expect(hasStorage('v')).toBe(false);
    expect(hasStorage('w')).toBe(true);
    await stage.client.delete(storageClasses, { name: namespaceOf() });
  });

  scenario('a claim of the same name that asks for no volume -> does not get it', async () => {
    await start();
    await release('v', retained, undoFinalizer);
    await marked('v');
    await stage.client.create(persistentVolumeClaims, namespaceOf(), {
      metadata: { name: 'v' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: '1Gi' } },
        storageClassName: namespaceOf(),
      },
    });
    await gone('v');
    expect(hasStorage('v')).toBe(false);
  });

  scenario('asked for again while no controller ran, its time over -> given back', async () => {
    await start();
    await release('v', retained, undoFinalizer);
    await marked('v');
    await stage.stopControllers();
    await time.pass(10 * minute);
    await hand.createClaim('v');
    await start();
    await bound('v');
    expect(hasStorage('v')).toBe(true);
  });

  scenario(
    'deleted by a user in its window -> the storage stays until its time, no claim gets the volume',
    async () => {
      await start();
      await release('v', retained, undoFinalizer);
      await marked('v');
      await hand.deleteVolume('v');
      await hand.createClaim('v');
      await time.pass(4 * minute);
      expect(hasStorage('v')).toBe(true);
      expect((await hand.volume('v'))?.status?.phase).toBe('Released');
      await gone('v');
      expect(hasStorage('v')).toBe(false);
    },
  );

  scenario(
    'deleted by a user in its window, annotation taken away -> the volume goes, the storage stays',
    async () => {
      await start();
      await release('v', retained, undoFinalizer);
      await marked('v');
      await hand.deleteVolume('v');
      await annotate('v', 'holdfast.dev/reclaim-policy', undefined);
      await gone('v');
      expect(hasStorage('v')).toBe(true);
    },
  );

  scenario(
    'asked for again while the driver deletes -> the volume is terminating, the claim waits in vain',
    async () => {
      await start();
      await release('v', retained, undoFinalizer);
      await marked('v');
      const late = Promise.withResolvers<undefined>();
      driver.inject({ kind: 'hold', until: late.promise }, 1);
      await time.inStepsOf(5_000)('the driver is asked', () =>
        driver.deletions.some(({ handle }) => handle === hand.nameOf('v')),
      );
      expect((await hand.volume('v'))?.metadata.deletionTimestamp).toBeDefined();
      await hand.createClaim('v');
      late.resolve(undefined);
      await gone('v');
      expect(hasStorage('v')).toBe(false);
    },
  );

  test.each([
    { value: '1d', gates: gateOn },
    { value: '0s', gates: gateOn },
    { value: '', gates: gateOn },
    { value: '1h', gates: '' },
  ])(
    'window "$value", gates "$gates", Delete in the field -> nothing is deleted, an Event names the value',
    async ({ value, gates }) => {
      await start({ featureGates: gates });
      await release('v', { annotations: { [grace]: value } });
      await settled();
      await time.pass(10 * minute);
      expect(hasStorage('v')).toBe(true);
      await warned(hand.nameOf('v'), 'UndoWindowUnusable', value);
      await annotate('v', grace, undefined);
      await gone('v');
      expect(hasStorage('v')).toBe(false);
    },
    90_000,
  );

  scenario(
    'gate off, the class asks for a window -> nothing is deleted, an Event on the class says so',
    async () => {
      await stage.client.create(storageClasses, undefined, {
        metadata: { name: namespaceOf(), annotations: { [grace]: '5m' } },
        provisioner: 'kubernetes.io/no-provisioner',
      });
      await start({ featureGates: '' });
      await hand.held('v');
      await hand.deleteClaim('v');
      await time.until('it is released', async () => (await hand.volume('v'))?.status?.phase === 'Released');
      await time.pass(10 * minute);
      expect(hasStorage('v')).toBe(true);
      await warned(namespaceOf(), 'UndoWindowUnusable', 'ReclaimGracePeriod is off');
      await stage.client.delete(storageClasses, { name: namespaceOf() });
      await gone('v');
      expect(hasStorage('v')).toBe(false);
    },
  );

  scenario(
    'gate turned off while marked, Retain that means Delete -> mark and finalizer go, the storage stays',
    async () => {
      await start();
      await release('v', retained, undoFinalizer);
      await marked('v');
      await stage.stopControllers();
      await start({ featureGates: '' });
      await time.until(
        'nothing is left on it',
        async () =>
          (await annotation('v', deleteAfter)) === undefined &&
          !(await hand.finalizersOf('v')).includes(undoFinalizer),
      );
      await time.pass(10 * minute);
      expect(hasStorage('v')).toBe(true);
    },
  );

  scenario('comes from a backup with an old mark -> has a window of its own', async () => {
    await start();
    const old = {
      [deleteAfter]: '2025-01-01T00:00:00.000Z',
      'holdfast.dev/delete-after-uid': crypto.randomUUID(),
      'holdfast.dev/delete-after-claim-uid': crypto.randomUUID(),
    };
    await release('v', { ...retained, annotations: { ...retained.annotations, ...old } }, undoFinalizer);
    await time.until(
      'it is marked anew',
      async () => Date.parse((await annotation('v', deleteAfter)) ?? '') > Date.parse('2026-01-01'),
    );
    await time.pass(4 * minute);
    expect(hasStorage('v')).toBe(true);
    await gone('v');
  });

  scenario(
    'another volume over the same storage has no window -> the storage stays for the one that has',
    async () => {
      await start();
      await release('v', { annotations: { [grace]: '5m' } });
      await marked('v');
      await release('w', { source: { csi: { driver: driver.name, volumeHandle: hand.nameOf('v') } } });
      await time.pass(4 * minute);
      expect(hasStorage('v')).toBe(true);
      await gone('v');
      await gone('w');
      expect(hasStorage('v')).toBe(false);
    },
  );

  scenario(
    'asked for while the storage goes with another volume over it -> no claim gets the volume, whoever leads then',
    async () => {
      await start();
      const source = { csi: { driver: driver.name, volumeHandle: hand.nameOf('v') } };
      await hand.held('v', { source });
      await hand.held('w', { source });
      const late = Promise.withResolvers<undefined>();
      driver.inject({ kind: 'hold', until: late.promise }, 1);
      await hand.deleteClaim('v');
      await hand.deleteClaim('w');
      await time.until('the driver is asked', () =>
        driver.deletions.some(({ handle }) => handle === hand.nameOf('v')),
      );
      await annotate('v', grace, '5m');
      await annotate('w', grace, '5m');
      late.resolve(undefined);
      let left = '';
      await time.until('one of them is gone', async () => {
        left = (await hand.volumeIsGone('v')) ? 'w' : 'v';
        return left === 'w' || (await hand.volumeIsGone('w'));
      });
      expect(hasStorage('v')).toBe(false);
      await marked(left);
      await stage.stopControllers();
      const releasedFrom = (await hand.volume(left))?.spec?.claimRef?.uid;
      await hand.createClaim(left);
      await start();
      await settled();
      expect((await hand.volume(left))?.spec?.claimRef?.uid).toBe(releasedFrom);
      await gone(left);
    },
  );

  scenario('two volumes over one storage, both with windows -> it goes when both are over', async () => {
    await start();
    await release('v', { annotations: { [grace]: '5m' } });
    await marked('v');
    const source = { csi: { driver: driver.name, volumeHandle: hand.nameOf('v') } };
    await release('w', { annotations: { [grace]: '10m' }, source });
    await marked('w');
    await time.pass(7 * minute);
    expect(hasStorage('v')).toBe(true);
    await gone('v');
    await gone('w');
    expect(hasStorage('v')).toBe(false);
  });

  scenario(
    'Delete in the field of a volume that a provisioner made -> an Event says at once that the window might not hold',
    async () => {
      await start();
      const annotations = { [grace]: '5m', 'pv.kubernetes.io/provisioned-by': driver.name };
      await hand.held('v', { annotations });
      await warned(hand.nameOf('v'), 'UndoWindowNotKept', driver.name, 'Retain');
    },
  );

  scenario('mode guard -> an Event says at once that the window might not hold', async () => {
    await start({ mode: 'guard' });
    await hand.held('v', { annotations: { [grace]: '5m' } });
    await warned(hand.nameOf('v'), 'UndoWindowNotKept', 'guard');
  });
});
