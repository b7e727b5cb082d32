import { describe, expect, test } from '@jest/globals';
import { useSuiteStage } from '@holdfast/scenario';
import { controlPlaneMissing, startControlPlane } from '@holdfast/testing';
import { handOf, openStage } from './stage.ts';

const suite = controlPlaneMissing() === undefined ? describe : describe.skip;

/** Names of roles have nearly any character; a guarded patch tests all owners of a claim. */
const owner = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  name: 'R&D <all>',
  uid: '7d1f3d5e-6f0b-4a43-9d0c-0d6a4a8ad3c1',
};

suite('a claim with an owner of an odd name', () => {
  const stage = useSuiteStage({
    startPlane: () =>
      startControlPlane({
        tls: false,
        disableAdmissionPlugins: ['StorageObjectInUseProtection'],
      }),
    openStage,
  });

  test('policy turned from Delete to Retain -> the reference to the set comes, and goes', async () => {
    const hand = handOf(stage(), await stage().namespace());
    await stage().startController({});
    await hand.createClaim('data-web-0', [owner]);
    await hand.createSet({ replicas: 1, policy: { whenDeleted: 'Delete', whenScaled: 'Retain' } });
    await hand.owned('data-web-0', 'ClusterRole R&D <all>', 'StatefulSet web*');
    await hand.setPolicy({ whenDeleted: 'Retain', whenScaled: 'Retain' });
    await hand.owned('data-web-0', 'ClusterRole R&D <all>');
    expect(await hand.dataOf('data-web-0')).toBeDefined();
  });
});
