import { describe, expect, test } from '@jest/globals';
import { persistentVolumeClaims } from '@holdfast/core';
import { eventually, useSuiteStage } from '@holdfast/scenario';
import { controlPlaneMissing, startControlPlane } from '@holdfast/testing';
import { handOf, openStage, settled } from './stage.ts';

const suite = controlPlaneMissing() === undefined ? describe : describe.skip;
const featureGates = 'ClaimUnusedCondition=true';

suite('condition Unused on a control plane', () => {
  const stage = useSuiteStage({ startPlane: () => startControlPlane({ tls: false }), openStage });

  test('pod comes and goes -> the condition follows, others are kept, and the gate off takes it back', async () => {
    const namespace = await stage().namespace();
    const hand = handOf(stage().client, namespace);
    const ref = { namespace, name: 'data' };
    const conditions = async () =>
      (await stage().client.get(persistentVolumeClaims, ref)).status?.conditions ?? [];
    const unused = async () => (await conditions()).find(({ type }) => type === 'Unused');
    await hand.createClaim('data');
    await stage().client.patch(
      persistentVolumeClaims,
      ref,
      [{ op: 'add', path: '/status/conditions', value: [{ type: 'Resizing', status: 'True' }] }],
      { subresource: 'status' },
    );

    await stage().startController({ featureGates, now: () => new Date('2026-01-02T03:04:05.678Z') });
    await eventually('data is unused', async () => (await unused())?.status === 'True');
    expect(await unused()).toMatchObject({
      reason: 'NoPodsUsingPVC',
      lastTransitionTime: '2026-01-02T03:04:05Z',
    });

    await hand.createPod('web', 'data', { scheduled: false });
    await eventually('data is used', async () => (await unused())?.status === 'False');
    expect(await unused()).toMatchObject({ reason: 'PodUsingPVC' });
    await hand.deletePod('web');
    await eventually('data is unused again', async () => (await unused())?.status === 'True');
    expect((await conditions()).map(({ type }) => type)).toEqual(['Resizing', 'Unused']);

    const { metadata } = await stage().client.get(persistentVolumeClaims, ref);
    await stage().stopControllers();
    await stage().startController({ featureGates });
    await settled(hand);
    expect((await stage().client.get(persistentVolumeClaims, ref)).metadata.resourceVersion).toBe(
      metadata.resourceVersion,
    );

    await stage().stopControllers();
    await stage().startController({});
    await eventually('it is taken back', async () => (await unused()) === undefined);
    expect((await conditions()).map(({ type }) => type)).toEqual(['Resizing']);
  }, 90_000);
});
