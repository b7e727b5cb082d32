import { expect } from '@jest/globals';
import { eventually, testDeploy } from '@holdfast/scenario';
import { handOf, openStage } from './stage.ts';

testDeploy({
  app: 'statefulset-pvc-retention',
  controlPlane: {
    disableAdmissionPlugins: ['StorageObjectInUseProtection'],
    // Only who may delete an object may change its owners, and who says that it blocks its owner's deletion needs more.
    enableAdmissionPlugins: ['OwnerReferencesPermissionEnforcement'],
  },
  openStage,
  flags: [
    '--feature-gates=CollectMissedScaleDown=true,DeletionGracePeriod=true',
    '--yield-to-stock-controller=false',
  ],
  work: async (stage, process) => {
    const hand = handOf(stage, await stage.namespace());
    const policy = { whenDeleted: 'Delete', whenScaled: 'Delete' } as const;
    await hand.createSet({ policy });
    await hand.createSet({ name: 'slow', policy, annotations: { 'holdfast.dev/scale-down-grace': '1s' } });
    for (const set of ['web', 'slow']) {
      await hand.createClaim(`data-${set}-0`);
      await hand.createClaim(`data-${set}-1`);
      await hand.owned(`data-${set}-1`, `StatefulSet ${set}*`);
      await hand.scale(1, set);
    }
    await hand.gone('data-web-1', 'data-slow-1');
    expect(await hand.ownersOf('data-web-0')).toEqual(['StatefulSet web*']);
    await eventually('an Event says so', async () =>
      (await stage.eventsOn(hand.namespace)).some(({ reason }) => reason === 'ClaimWillBeDeleted'),
    );
    const metrics = await process.metrics();
    expect(metrics).toMatch(
      /^statefulset_pvc_owner_reference_updates_total\{operation="add",result="success"\} 4$/m,
    );
    expect(metrics).toMatch(
      /^statefulset_pvc_delayed_deletions_total\{operation="delete",result="success"\} 2$/m,
    );
  },
});
