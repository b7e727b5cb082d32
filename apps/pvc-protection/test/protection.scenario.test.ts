import { beforeAll, describe, expect, test } from '@jest/globals';
import { configMaps, persistentVolumeClaims, volumeAttachments } from '@holdfast/core';
import { eventually, useSuiteStage } from '@holdfast/scenario';
import { controlPlaneMissing, startControlPlane } from '@holdfast/testing';
import { protection } from './objects.ts';
import { handOf, openStage, settled, type Hand } from './stage.ts';

/** With the API server's own admission plugin off, every finalizer seen here is put on by the controller. */
const options = { tls: false, disableAdmissionPlugins: ['StorageObjectInUseProtection'] };
const missing = controlPlaneMissing();
const suite = missing === undefined ? describe : describe.skip;

suite('pvc-protection on a control plane', () => {
  const stage = useSuiteStage({ startPlane: () => startControlPlane(options), openStage });
  let namespace: string;
  let hand: Hand;
  const start = () => stage().startController({}, { clock: stage().fastClock() });

  beforeAll(async () => {
    await start();
  }, 90_000);

  const scenario = (name: string, play: () => Promise<void>): void =>
    test(
      name,
      async () => {
        namespace = await stage().namespace();
        hand = handOf(stage().client, namespace);
        await play();
      },
      30_000,
    );

  const isProtected = async (name: string): Promise<boolean> =>
    (await hand.finalizersOf(name)).includes(protection);
  const protectedClaim = async (name: string): Promise<void> => {
    await hand.createClaim(name);
    await eventually(`${name} is protected`, () => isProtected(name));
  };

  scenario('new claim -> gets the finalizer', async () => {
    await protectedClaim('data');
    expect(await hand.finalizersOf('data')).toEqual([protection]);
  });

  scenario('new claim with foreign finalizers -> ours comes last, theirs keep their order', async () => {
    await hand.createClaim('data', { finalizers: ['example.com/z', 'example.com/a'] });
    await eventually('data is protected', () => isProtected('data'));
    expect(await hand.finalizersOf('data')).toEqual(['example.com/z', 'example.com/a', protection]);
  });

  scenario('finalizer taken off by hand -> put on again', async () => {
    await protectedClaim('data');
    await stage().client.patch(persistentVolumeClaims, { namespace, name: 'data' }, [
      { op: 'remove', path: '/metadata/finalizers' },
    ]);
    await eventually('data is protected again', () => isProtected('data'));
  });

  scenario('unused claim deleted -> goes', async () => {
    await protectedClaim('data');
    await hand.deleteClaim('data');
    await eventually('data is gone', () => hand.claimIsGone('data'));
  });

  scenario('claim deleted while a pod uses it -> stays until the pod is gone', async () => {
    await protectedClaim('data');
    await hand.createPod('web', 'data');
    await hand.deleteClaim('data');
    await settled(hand);
    expect(await hand.finalizersOf('data')).toEqual([protection]);
    await hand.deletePod('web');
    await eventually('data is gone', () => hand.claimIsGone('data'));
  });

  scenario('pod is being deleted gracefully -> claim stays until it is gone', async () => {
    await protectedClaim('data');
    await hand.createPod('web', 'data');
    await hand.deleteClaim('data');
    await hand.deletePod('web', 600);
    await settled(hand);
    expect(await hand.finalizersOf('data')).toEqual([protection]);
    await hand.deletePod('web', 0);
    await eventually('data is gone', () => hand.claimIsGone('data'));
  });

  scenario('two pods use the claim -> it stays until the last is gone', async () => {
    await protectedClaim('data');
    await hand.createPod('web-1', 'data');
    await hand.createPod('web-2', 'data');
    await hand.deleteClaim('data');
    await hand.deletePod('web-1');
    await settled(hand);
    expect(await hand.finalizersOf('data')).toEqual([protection]);
    await hand.deletePod('web-2');
    await eventually('data is gone', () => hand.claimIsGone('data'));
  });

  for (const phase of ['Succeeded', 'Failed'] as const) {
    scenario(`pod becomes ${phase} -> claim goes while the pod still exists`, async () => {
      await protectedClaim('data');
      await hand.createPod('job', 'data');
      await hand.deleteClaim('data');
      await settled(hand);
      expect(await hand.finalizersOf('data')).toEqual([protection]);
      await hand.finishPod('job', phase);
      await eventually('data is gone', () => hand.claimIsGone('data'));
    });
  }

  scenario(
    'pod is done, its node has the volume attached -> claim goes only when it is detached',
    async () => {
      const volume = `pv-${namespace}`;
      await hand.createClaim('data', { volumeName: volume });
      await eventually('data is protected', () => isProtected('data'));
      await stage().client.create(volumeAttachments, undefined, {
        metadata: { name: volume },
        spec: { attacher: 'csi.example.com', nodeName: 'node-1', source: { persistentVolumeName: volume } },
      });
      await hand.createPod('job', 'data');
      await hand.finishPod('job', 'Succeeded');
      await hand.deleteClaim('data');
      await settled(hand);
      expect(await hand.finalizersOf('data')).toEqual([protection]);
      await stage().client.delete(volumeAttachments, { name: volume });
      await eventually('data is gone', () => hand.claimIsGone('data'));
    },
  );

  scenario('pod names the claim but is not scheduled -> claim goes', async () => {
    await protectedClaim('data');
    await hand.createPod('web', 'data', { scheduled: false });
    await hand.deleteClaim('data');
    await eventually('data is gone', () => hand.claimIsGone('data'));
  });

  scenario('pod of the same name comes back without the claim -> claim goes', async () => {
    await protectedClaim('data');
    await hand.createPod('web', 'data');
    await hand.deleteClaim('data');
    await settled(hand);
    await hand.deletePod('web');
    await hand.createPod('web', 'another');
    await eventually('data is gone', () => hand.claimIsGone('data'));
  });

  scenario('ephemeral claim of a running pod deleted -> stays until the pod is gone', async () => {
    const pod = await hand.createPod('web', '', { ephemeralVolume: 'scratch' });
    await hand.createClaim('web-scratch', { controlledBy: pod });
    await eventually('web-scratch is protected', () => isProtected('web-scratch'));
    await hand.deleteClaim('web-scratch');
    await settled(hand);
    expect(await hand.finalizersOf('web-scratch')).toEqual([protection]);
    await hand.deletePod('web');
    await eventually('web-scratch is gone', () => hand.claimIsGone('web-scratch'));
  });

  scenario('claim has the name of an ephemeral one but no such controller -> goes', async () => {
    await hand.createPod('web', '', { ephemeralVolume: 'scratch' });
    await protectedClaim('web-scratch');
    await hand.deleteClaim('web-scratch');
    await eventually('web-scratch is gone', () => hand.claimIsGone('web-scratch'));
  });

  scenario('deleted claim has a foreign finalizer too -> only ours goes', async () => {
    await hand.createClaim('data', { finalizers: ['example.com/keep'] });
    await eventually('data is protected', () => isProtected('data'));
    await hand.deleteClaim('data');
    await eventually('ours is off', async () => !(await isProtected('data')));
    expect(await hand.finalizersOf('data')).toEqual(['example.com/keep']);
  });

  scenario('objects of other kinds come and go -> no claim is touched', async () => {
    await protectedClaim('data');
    await stage().client.create(configMaps, namespace, { metadata: { name: 'data' } });
    await stage().client.delete(configMaps, { namespace, name: 'data' });
    await settled(hand);
    expect(await hand.finalizersOf('data')).toEqual([protection]);
  });

  scenario('claims change while no controller runs -> the next one finishes the work', async () => {
    await protectedClaim('used');
    await protectedClaim('unused');
    await hand.createPod('web', 'used');
    await stage().stopControllers();
    await hand.createClaim('new');
    await hand.deleteClaim('used');
    await hand.deleteClaim('unused');
    await start();
    await eventually('new is protected', () => isProtected('new'));
    await eventually('unused is gone', () => hand.claimIsGone('unused'));
    await settled(hand);
    expect(await hand.finalizersOf('used')).toEqual([protection]);
    await hand.deletePod('web');
    await eventually('used is gone', () => hand.claimIsGone('used'));
  });

  scenario('API server killed and started again -> work goes on', async () => {
    await protectedClaim('used');
    await hand.createPod('web', 'used');
    await stage().plane.restartApiServer();
    // Kept connections of the test's own client died with the server.
    await eventually('the API server answers', () =>
      isProtected('used').then(
        () => true,
        () => false,
      ),
    );
    await protectedClaim('after');
    await hand.deleteClaim('used');
    await hand.deleteClaim('after');
    await eventually('after is gone', () => hand.claimIsGone('after'));
    expect(await hand.finalizersOf('used')).toEqual([protection]);
    await hand.deletePod('web');
    await eventually('used is gone', () => hand.claimIsGone('used'));
  });
});
