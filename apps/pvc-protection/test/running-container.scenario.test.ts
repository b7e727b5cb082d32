import { beforeAll, describe, expect, test } from '@jest/globals';
import { pods } from '@holdfast/core';
import { eventually, useSuiteStage } from '@holdfast/scenario';
import { controlPlaneMissing, startControlPlane } from '@holdfast/testing';
import { protection } from './objects.ts';
import { handOf, openStage, settled, type Hand } from './stage.ts';

const suite = controlPlaneMissing() === undefined ? describe : describe.skip;
const lists = ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'] as const;

suite('pod whose phase has ended before its containers', () => {
  const stage = useSuiteStage({
    startPlane: () =>
      startControlPlane({
        tls: false,
        disableAdmissionPlugins: ['StorageObjectInUseProtection'],
      }),
    openStage,
  });
  let hand: Hand;
  let setContainer: (pod: string, list: string, state: object) => Promise<void>;

  beforeAll(async () => {
    const namespace = await stage().namespace();
    hand = handOf(stage().client, namespace);
    setContainer = async (name, list, state) => {
      const status = { name: 'c', image: 'pause', imageID: '', ready: false, restartCount: 0, state };
      await stage().client.patch(
        pods,
        { namespace, name },
        [{ op: 'add', path: `/status/${list}`, value: [status] }],
        { subresource: 'status' },
      );
    };
    await stage().startController({}, { clock: stage().fastClock() });
  }, 90_000);

  test('C1: pod Failed, a container of any kind still runs, claim deleted -> stays until it has ended', async () => {
    for (const list of lists) {
      const name = list.toLowerCase();
      await hand.createClaim(name, { finalizers: [protection] });
      await hand.createPod(name, name);
      await setContainer(name, list, { running: { startedAt: '2026-01-01T00:00:00Z' } });
      await hand.finishPod(name, 'Failed');
      await hand.deleteClaim(name);
    }
    await settled(hand);
    for (const list of lists) {
      const name = list.toLowerCase();
      expect(await hand.finalizersOf(name)).toContain(protection);
      await setContainer(name, list, { terminated: { exitCode: 137 } });
      await eventually(`${name} is gone`, () => hand.claimIsGone(name));
    }
  }, 30_000);
});
