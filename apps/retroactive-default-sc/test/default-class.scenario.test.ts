import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually, useSuiteStage } from '@holdfast/scenario';
import { controlPlaneMissing, startControlPlane } from '@holdfast/testing';
import { betaClass, bindCompleted, isDefaultClass, isDefaultClassBeta } from './objects.ts';
import { handOf, openStage, settled, type Hand } from './stage.ts';

const missing = controlPlaneMissing();
const suite = missing === undefined ? describe : describe.skip;

suite('retroactive-default-sc on a control plane', () => {
  // With the API server's own admission plugin off, every class seen here is given by the controller.
  const stage = useSuiteStage({
    startPlane: () => startControlPlane({ tls: false, disableAdmissionPlugins: ['DefaultStorageClass'] }),
    openStage,
  });
  let hand: Hand;

  afterEach(() => stage().stopControllers());

  const scenario = (name: string, play: () => Promise<void>): void =>
    test(
      name,
      async () => {
        hand = handOf(stage().client, await stage().namespace());
        await hand.deleteAllClasses();
        await play();
      },
      30_000,
    );
  const start = () => stage().startController({}, { clock: stage().fastClock() });
  const hasClass = (name: string, className: string): Promise<void> =>
    eventually(`${name} has class ${className}`, async () => (await hand.classOf(name)) === className);
  const keepsNone = async (name: string): Promise<void> => {
    await settled(hand);
    expect(await hand.classOf(name)).toBeUndefined();
  };

  scenario(
    'story 1, the default moves from one class to another -> a claim made between gets it',
    async () => {
      await hand.createClass('first');
      await hand.createClass('second', { annotations: { [isDefaultClass]: 'false' } });
      await start();
      await hand.createClaim('before');
      await hasClass('before', 'first');
      await hand.mark('first', 'false');
      await hand.createClaim('between');
      await hand.mark('second', 'true');
      await hasClass('between', 'second');
      expect(await hand.classOf('before')).toBe('first');
    },
  );

  scenario('story 2, the claim comes before the default class -> gets it, and an Event says so', async () => {
    await start();
    await hand.createClaim('registry');
    await hand.createClass('gold');
    await hasClass('registry', 'gold');
    await eventually('an Event says so', async () => {
      const recorded = await hand.eventsOn('registry');
      return recorded.some(
        ({ reason, note }) => reason === 'StorageClassAssigned' && note?.includes('"gold"') === true,
      );
    });
  });

  scenario(
    'the default class is made anew with other parameters -> a claim made between gets it',
    async () => {
      await hand.createClass('gold');
      await start();
      await hand.createClaim('before');
      await hasClass('before', 'gold');
      await hand.deleteClass('gold');
      await hand.createClaim('between');
      await hand.createClass('gold');
      await hasClass('between', 'gold');
    },
  );

  scenario('claim and default were there before the controller -> gets it', async () => {
    await hand.createClaim('data');
    await hand.createClass('gold');
    await start();
    await hasClass('data', 'gold');
  });

  scenario('a class that was there is marked later -> gets it', async () => {
    await hand.createClass('gold', { annotations: { 'example.com/note': 'x' } });
    await start();
    await hand.createClaim('data');
    await hand.mark('gold', 'true');
    await hasClass('data', 'gold');
  });

  scenario('marked by the beta annotation -> is the default', async () => {
    await hand.createClaim('data');
    await hand.createClass('gold', { annotations: { [isDefaultClassBeta]: 'true' } });
    await start();
    await hasClass('data', 'gold');
  });

  for (const value of ['True', 'false', '']) {
    scenario(`marked "${value}" -> is not the default`, async () => {
      await hand.createClaim('data');
      await hand.createClass('gold', { annotations: { [isDefaultClass]: value } });
      await start();
      await hand.createClass('other');
      // What has a class keeps it, so it was never given the first.
      await hasClass('data', 'other');
    });
  }

  scenario('two defaults of different age -> the newer', async () => {
    await hand.createClaim('data');
    const older = await hand.createClass('a-older');
    await eventually('the next class is of another second', async () => {
      const { metadata } = await hand.createClass('b-newer');
      const isNewer = metadata.creationTimestamp !== older.metadata.creationTimestamp;
      if (!isNewer) {
        await hand.deleteClass('b-newer');
      }
      return isNewer;
    });
    await start();
    await hasClass('data', 'b-newer');
  });

  scenario('two defaults of the same second -> the first by name', async () => {
    await hand.createClaim('data');
    await eventually('two classes are of the same second', async () => {
      const made = [await hand.createClass('b'), await hand.createClass('a')];
      const isSame = new Set(made.map(({ metadata }) => metadata.creationTimestamp)).size === 1;
      if (!isSame) {
        await hand.deleteAllClasses();
      }
      return isSame;
    });
    await start();
    await hasClass('data', 'a');
  });

  scenario('the newer default is terminating -> the other', async () => {
    await hand.createClaim('data');
    await hand.createClass('b');
    await hand.createClass('a', { finalizers: ['example.com/keep'] });
    await hand.deleteClass('a');
    await start();
    await hasClass('data', 'b');
  });

  scenario('the only default is terminating -> nothing', async () => {
    await hand.createClaim('data');
    await hand.createClass('a', { finalizers: ['example.com/keep'] });
    await hand.deleteClass('a');
    await start();
    await hand.createClass('b');
    await hasClass('data', 'b');
  });

  const left: readonly {
    readonly name: string;
    readonly options: Parameters<Hand['createClaim']>[1];
    readonly className: string | undefined;
  }[] = [
    { name: 'an empty class was chosen', options: { className: '' }, className: '' },
    { name: 'another class was chosen', options: { className: 'silver' }, className: 'silver' },
    {
      name: 'a class was chosen by the beta annotation',
      options: { annotations: { [betaClass]: 'silver' } },
      className: undefined,
    },
    {
      name: 'an empty class was chosen by the beta annotation',
      options: { annotations: { [betaClass]: '' } },
      className: undefined,
    },
    { name: 'a volume is set', options: { volumeName: 'pv-1' }, className: undefined },
    {
      name: 'it is marked as bound',
      options: { annotations: { [bindCompleted]: 'yes' } },
      className: undefined,
    },
  ];
  for (const { name, options, className } of left) {
    scenario(`${name} -> the claim is left as it is`, async () => {
      const { metadata } = await hand.createClaim('data', options);
      await hand.createClass('gold');
      await start();
      await settled(hand);
      const after = await hand.claim('data');
      expect(after.spec?.storageClassName).toBe(className);
      expect(after.metadata.resourceVersion).toBe(metadata.resourceVersion);
    });
  }

  scenario('the claim is terminating -> left as it is', async () => {
    await hand.createClaim('data', { finalizers: ['example.com/keep'] });
    await hand.deleteClaim('data');
    await hand.createClass('gold');
    await start();
    await keepsNone('data');
    await hand.patchClaim('data', [{ op: 'remove', path: '/metadata/finalizers' }]);
  });

  scenario('the claim has annotations of others -> gets the class, and keeps them', async () => {
    await hand.createClaim('data', { annotations: { 'example.com/note': 'x' } });
    await start();
    await hand.createClass('gold');
    await hasClass('data', 'gold');
    expect((await hand.claim('data')).metadata.annotations).toEqual({ 'example.com/note': 'x' });
  });

  scenario('somebody chooses a class while there is no default -> it stays', async () => {
    await start();
    await hand.createClaim('data');
    await hand.patchClaim('data', [{ op: 'add', path: '/spec/storageClassName', value: 'silver' }]);
    await hand.createClass('gold');
    await settled(hand);
    expect(await hand.classOf('data')).toBe('silver');
  });

  scenario('the default changes after the claim has its class -> the claim keeps it', async () => {
    await start();
    await hand.createClaim('data');
    await hand.createClass('gold');
    await hasClass('data', 'gold');
    await hand.deleteClass('gold');
    await hand.createClass('silver');
    await settled(hand);
    expect(await hand.classOf('data')).toBe('gold');
  });

  scenario('many claims wait -> all get the class', async () => {
    await start();
    const names = Array.from({ length: 60 }, (_, index) => `data-${String(index)}`);
    await Promise.all(names.map((name) => hand.createClaim(name)));
    await hand.createClass('gold');
    for (const name of names) {
      await hasClass(name, 'gold');
    }
  });

  scenario('gate off -> nothing is written', async () => {
    await stage().startController({ featureGates: 'RetroactiveDefaultStorageClass=false' });
    const elsewhere = await stage().namespace();
    // When one with the gate on, for another namespace, has done its work, the first has had its chance too.
    await stage().startController({ namespaces: [elsewhere] });
    const { metadata } = await hand.createClaim('data');
    await hand.createClass('gold');
    await settled(handOf(stage().client, elsewhere));
    expect((await hand.claim('data')).metadata.resourceVersion).toBe(metadata.resourceVersion);
  });

  scenario('other namespaces are chosen -> the claim is left as it is', async () => {
    const elsewhere = await stage().namespace();
    const { metadata } = await hand.createClaim('data');
    await hand.createClass('gold');
    await stage().startController({ namespaces: [elsewhere] });
    await settled(handOf(stage().client, elsewhere));
    expect((await hand.claim('data')).metadata.resourceVersion).toBe(metadata.resourceVersion);
  });

  scenario('things change while no controller runs -> the next one finishes the work', async () => {
    await start();
    await hand.createClaim('one');
    await hand.createClass('gold');
    await hasClass('one', 'gold');
    await stage().stopControllers();
    await hand.createClaim('two');
    await hand.mark('gold', 'false');
    await hand.createClass('silver');
    await start();
    await hasClass('two', 'silver');
    expect(await hand.classOf('one')).toBe('gold');
  });

  scenario('API server killed and started again -> work goes on', async () => {
    await start();
    await hand.createClaim('data');
    await stage().plane.restartApiServer();
    // Kept connections of the test's own client died with the server.
    await eventually('the API server answers', () =>
      hand.classOf('data').then(
        () => true,
        () => false,
      ),
    );
    await hand.createClass('gold');
    await hasClass('data', 'gold');
  });
});

suite('beside the API server’s own DefaultStorageClass plugin', () => {
  const stage = useSuiteStage({ startPlane: () => startControlPlane({ tls: false }), openStage });

  beforeAll(async () => {
    await stage().startController({});
  }, 90_000);

  test('story 3, a default class is there -> the claim has it at once, and we do not write', async () => {
    const hand = handOf(stage().client, await stage().namespace());
    await hand.createClass('gold');
    let count = 0;
    await eventually('the plugin knows the class', async () => {
      count += 1;
      const created = await hand.createClaim(`try-${String(count)}`);
      return created.spec?.storageClassName === 'gold';
    });
    const created = await hand.createClaim('data');
    expect(created.spec?.storageClassName).toBe('gold');
    await hand.createClaim('later');
    await hand.mark('gold', 'false');
    await hand.mark('gold', 'true');
    // Claims that were too early for the plugin are ours.
    for (let index = 1; index <= count; index++) {
      await eventually(
        'it has the class',
        async () => (await hand.classOf(`try-${String(index)}`)) === 'gold',
      );
    }
    expect((await hand.claim('data')).metadata.resourceVersion).toBe(created.metadata.resourceVersion);
  }, 30_000);

  test('two defaults -> the plugin and we choose the same', async () => {
    const hand = handOf(stage().client, await stage().namespace());
    await hand.deleteAllClasses();
    await hand.createClass('b');
    await hand.createClass('a');
    await hand.createClass('c');
    let count = 0;
    let chosen: string | undefined;
    await eventually('the plugin knows the classes', async () => {
      count += 1;
      chosen = (await hand.createClaim(`try-${String(count)}`)).spec?.storageClassName;
      return chosen !== undefined && chosen !== 'gold';
    });
    await stage().stopControllers();
    await hand.deleteAllClasses();
    await eventually('the plugin has forgotten the classes', async () => {
      count += 1;
      return (await hand.createClaim(`try-${String(count)}`)).spec?.storageClassName === undefined;
    });
    const late = `try-${String(count)}`;
    await eventually('the classes are of one second again', async () => {
      const made = [await hand.createClass('b'), await hand.createClass('a'), await hand.createClass('c')];
      const isSame = new Set(made.map(({ metadata }) => metadata.creationTimestamp)).size === 1;
      if (!isSame) {
        await hand.deleteAllClasses();
      }
      return isSame;
    });
    await eventually('the plugin knows all of them', async () => {
      count += 1;
      chosen = (await hand.createClaim(`try-${String(count)}`)).spec?.storageClassName;
      return chosen === 'a';
    });
    await stage().startController({});
    await eventually('we choose a too', async () => (await hand.classOf(late)) === 'a');
  }, 40_000);
});
