import { describe, test } from '@jest/globals';
import { persistentVolumeClaims } from '@holdfast/core';
import { eventually, useSuiteStage } from '@holdfast/scenario';
import { controlPlaneMissing, startControlPlane } from '@holdfast/testing';
import { handOf, openStage } from './stage.ts';

const suite = controlPlaneMissing() === undefined ? describe : describe.skip;
const featureGates = 'ClaimUnusedCondition=true';

suite('condition Unused after the controller was away', () => {
  const stage = useSuiteStage({ startPlane: () => startControlPlane({ tls: false }), openStage });

  test('C2: the pod went while no controller ran -> at its start the condition turns True', async () => {
    const namespace = await stage().namespace();
    const hand = handOf(stage().client, namespace);
    const unused = async (): Promise<string | undefined> =>
      (
        await stage().client.get(persistentVolumeClaims, { namespace, name: 'data' })
      ).status?.conditions?.find(({ type }) => type === 'Unused')?.status;
    await hand.createClaim('data');
    await hand.createPod('web', 'data');
    await stage().startController({ featureGates });
    await eventually('data is used', async () => (await unused()) === 'False');
    await stage().stopControllers();
    await hand.deletePod('web');
    await stage().startController({ featureGates });
    await eventually('data is unused', async () => (await unused()) === 'True');
  }, 60_000);
});
