import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { describeUnless, eventually } from '@holdfast/scenario';
import { controlPlaneMissing, startControlPlane } from '@holdfast/testing';
import { handOf, settled, withBinder, type Hand, type Stage, type Storage } from './stage.ts';
import { useBinderScenes } from './storage-scene.ts';

/*
 * Volumes over one share of Azure, on a control plane: its driver goes by attributes whose names it takes in any case.
 */

const name = 'file.csi.azure.com';

describeUnless(controlPlaneMissing(withBinder), 'volumes over one share of Azure', () => {
  const open = useBinderScenes(afterAll);
  let stage: Stage;
  let storage: Storage;
  let hand: Hand;

  beforeAll(async () => {
    ({ stage, storage } = await open(startControlPlane({ tls: false, ...withBinder }), { name }));
    await stage.startController({ csiAddresses: [storage.driver.address] });
  }, 120_000);

  beforeEach(async () => {
    hand = handOf(stage, await stage.namespace(), storage.driver);
  });

  const csi = (volumeHandle: string, volumeAttributes: Readonly<Record<string, string>>) => ({
    csi: { driver: name, volumeHandle, volumeAttributes },
  });

  test.each([
    {
      what: 'names the share by attributes in another case',
      sourceOf: (share: string) => csi(`kept-${share}`, { ShareName: share, STORAGEACCOUNT: 'account' }),
    },
    {
      what: 'has its account in a Secret, and another name in the place of it in the handle',
      sourceOf: (share: string) => ({
        csi: {
          driver: name,
          volumeHandle: `group#azure-secret#${share}#kept`,
          nodeStageSecretRef: { name: 'azure-secret', namespace: 'default' },
        },
      }),
    },
    {
      what: 'is in-tree, and its account in a Secret of any name',
      sourceOf: (shareName: string) => ({
        azureFile: { secretName: 'azure-secret', secretNamespace: 'default', shareName },
      }),
    },
  ])(
    'bound volume $what, a released volume over it -> the share stays',
    async ({ sourceOf }) => {
      const share = hand.nameOf('share');
      await storage.driver.addVolume(share);
      await hand.bound('kept', { policy: 'Retain', source: sourceOf(share) });
      await hand.held('v', { source: csi(share, { shareName: share, storageAccount: 'account' }) });
      await hand.deleteClaim('v');
      await settled(hand);
      expect(storage.driver.hasVolume(share)).toBe(true);

      await hand.deleteVolume('kept');
      await hand.deleteClaim('kept');
      await eventually('v is gone', () => hand.volumeIsGone('v'));
      expect(storage.driver.hasVolume(share)).toBe(false);
    },
    60_000,
  );
});
