import { beforeAll, describe, expect, test } from '@jest/globals';
import { persistentVolumeClaims, type EventsEvent } from '@holdfast/core';
import { eventually, useSuiteStage, type StagedController } from '@holdfast/scenario';
import { controlPlaneMissing, startControlPlane } from '@holdfast/testing';
import { handOf, openStage, settled } from './stage.ts';

const suite = controlPlaneMissing() === undefined ? describe : describe.skip;

suite('Events of pvc-protection', () => {
  const stage = useSuiteStage({ startPlane: () => startControlPlane({ tls: false }), openStage });
  let controller: StagedController;

  beforeAll(async () => {
    controller = await stage().startController({});
  }, 90_000);

  const eventsOf = async (namespace: string, claim: string): Promise<readonly EventsEvent[]> =>
    (await stage().eventsOn(namespace)).filter(({ regarding }) => regarding?.name === claim);

  test('claim held by two pods, one after the other gone -> each change and the release are recorded once', async () => {
    const namespace = await stage().namespace();
    const hand = handOf(stage().client, namespace);
    const reasons = async (): Promise<readonly (string | undefined)[]> =>
      (await eventsOf(namespace, 'data')).map(({ reason }) => reason);
    const { metadata } = await hand.createClaim('data');
    await hand.createPod('web-0', 'data');
    await hand.createPod('web-1', 'data');
    await settled(hand);
    await hand.deleteClaim('data');
    await eventually('the postponement is recorded', async () => (await reasons()).length === 1);
    expect(await controller.registry.metrics()).toContain(
      `pvc_protection_terminating_claims{namespace="${namespace}"} 1`,
    );

    await hand.deletePod('web-0');
    await eventually('the change is recorded', async () => (await reasons()).length === 2);
    await hand.deletePod('web-1');
    await eventually('data is gone', () => hand.claimIsGone('data'));
    await eventually('the release is recorded', async () => (await reasons()).length === 3);

    const recorded = await eventsOf(namespace, 'data');
    expect(recorded.map(({ type, reason, note }) => ({ type, reason, note }))).toEqual([
      { type: 'Normal', reason: 'DeletionPostponed', note: expect.stringMatching(/web-[01], web-[01]/) },
      { type: 'Normal', reason: 'DeletionPostponed', note: expect.stringContaining('pod web-1') },
      { type: 'Normal', reason: 'ClaimReleased', note: expect.any(String) },
    ]);
    for (const { regarding, reportingController } of recorded) {
      expect(regarding).toMatchObject({ kind: 'PersistentVolumeClaim', namespace, uid: metadata.uid });
      expect(reportingController).toBe('holdfast.dev/pvc-protection');
    }
    const metrics = await controller.registry.metrics();
    expect(metrics).not.toContain(`pvc_protection_terminating_claims{namespace="${namespace}"}`);
    expect(metrics).toContain('pvc_protection_release_delay_seconds_count 1');
  }, 60_000);

  test('somebody else removes our finalizer from a held claim, which another finalizer keeps -> not counted as held any more', async () => {
    const namespace = await stage().namespace();
    const hand = handOf(stage().client, namespace);
    const isCounted = async (): Promise<boolean> =>
      (await controller.registry.metrics()).includes(
        `pvc_protection_terminating_claims{namespace="${namespace}"} 1`,
      );
    const kept = { finalizers: ['example.com/backup', 'kubernetes.io/pvc-protection'] };
    await hand.createClaim('data', kept);
    await hand.createPod('web', 'data');
    await hand.deleteClaim('data');
    await eventually('data is counted as held', isCounted);
    await stage().client.patch(persistentVolumeClaims, { namespace, name: 'data' }, [
      { op: 'remove', path: '/metadata/finalizers/1' },
    ]);
    await eventually('data is not counted as held', async () => !(await isCounted()));
    expect(await hand.finalizersOf('data')).toEqual(['example.com/backup']);
  }, 60_000);

  test('claim that nobody uses deleted -> goes without an event', async () => {
    const namespace = await stage().namespace();
    const hand = handOf(stage().client, namespace);
    await hand.createClaim('data');
    await hand.deleteClaim('data');
    await eventually('data is gone', () => hand.claimIsGone('data'));
    // Events are sent in order: this one comes after any of the first claim.
    await hand.createClaim('held');
    await hand.createPod('web', 'held');
    await hand.deleteClaim('held');
    await eventually(
      'an Event on held is recorded',
      async () => (await eventsOf(namespace, 'held')).length === 1,
    );
    expect(await eventsOf(namespace, 'data')).toStrictEqual([]);
  }, 60_000);
});
