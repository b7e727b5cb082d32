import { expect, test } from '@jest/globals';
import { eventually } from '@holdfast/scenario';
import { allPolicies } from './policies.ts';
import {
  atRest,
  handOf,
  ownerOfWanted,
  settled,
  type Hand,
  type Policy,
  type PolicyPlace,
  type Stage,
} from './stage.ts';

/**
 * The e2e list of KEP-1847 ("Test Plan"), each line with each of these policies. Data is there as long as the claim has
 * the UID that it had.
 *
 * @param place where the policies are written
 * @param alone no stock controller carries the policies out as well: with ours off, nobody does
 * @param policies default: all four
 */
export function kepTestPlan(
  stage: () => Stage,
  place: PolicyPlace,
  alone = true,
  policies: readonly Policy[] = allPolicies,
): void {
  const lineOf =
    (policy: Policy) =>
    (name: string, play: (hand: Hand) => Promise<void>): void =>
      test(`whenDeleted ${policy.whenDeleted}, whenScaled ${policy.whenScaled}: ${name}`, async () => {
        const hand = handOf(stage(), await stage().namespace(), place);
        await hand.createSet({ replicas: 2, policy });
        await hand.running('web-0', 'web-1');
        await hand.owned('data-web-0', ...ownerOfWanted(policy));
        await hand.owned('data-web-1', ...ownerOfWanted(policy));
        await play(hand);
      }, 60_000);
  const data = (hand: Hand) => Promise.all([hand.dataOf('data-web-0'), hand.dataOf('data-web-1')]);

  // First, while there are few sets whose references go and come back with the gate.
  for (const policy of alone ? policies : []) {
    lineOf(policy)(
      'gate turned off and on again -> references go and come back, data there',
      async (hand) => {
        const before = await data(hand);
        await stage().stopControllers();
        try {
          const off = await stage().startController({ featureGates: 'StatefulSetAutoDeletePVC=false' });
          await hand.owned('data-web-0');
          await hand.owned('data-web-1');
          await off.stop();
        } finally {
          await stage().startController({});
        }
        await hand.owned('data-web-0', ...ownerOfWanted(policy));
        await hand.owned('data-web-1', ...ownerOfWanted(policy));
        expect(await data(hand)).toEqual(before);
      },
    );
  }

  for (const policy of policies) {
    const { whenDeleted, whenScaled } = policy;
    const line = lineOf(policy);
    /** After a scale-down to one: the second claim is gone or kept, as whenScaled says; the first is never touched. */
    const scaledDown = async (hand: Hand, before: readonly (string | undefined)[]): Promise<void> => {
      if (whenScaled === 'Delete') {
        await hand.gone('data-web-1');
      } else {
        await hand.running('web-0');
        await settled(hand);
      }
      const [first, second] = await data(hand);
      expect(first).toBe(before[0]);
      expect(second).toBe(whenScaled === 'Delete' ? undefined : before[1]);
    };
    const scaledUpAgain = async (hand: Hand, before: readonly (string | undefined)[]): Promise<void> => {
      await hand.scale(2);
      await hand.running('web-0', 'web-1');
      await hand.owned('data-web-1', ...ownerOfWanted(policy));
      await settled(hand);
      const [first, second] = await data(hand);
      expect(first).toBe(before[0]);
      expect(second).toBeDefined();
      expect(second === before[1]).toBe(whenScaled === 'Retain');
    };

    const whatScalingDoes = whenScaled === 'Delete' ? 'its claim goes' : 'its claim stays';
    line(`scaled to 1 -> ${whatScalingDoes}`, async (hand) => {
      const before = await data(hand);
      await hand.scale(1);
      await scaledDown(hand, before);
    });

    line(`scaled to 1 and to 2 -> ${whenScaled === 'Delete' ? 'empty' : 'data there'}`, async (hand) => {
      const before = await data(hand);
      await hand.scale(1);
      await scaledDown(hand, before);
      await hand.running('web-0');
      await scaledUpAgain(hand, before);
    });

    for (const cascade of ['Background', 'Foreground'] as const) {
      line(`set deleted, ${cascade} -> claims ${whenDeleted === 'Delete' ? 'go' : 'stay'}`, async (hand) => {
        const before = await data(hand);
        await atRest(stage());
        await hand.deleteSet(cascade);
        await hand.running();
        if (whenDeleted === 'Delete') {
          await hand.gone('data-web-0', 'data-web-1');
        } else {
          await settled(hand);
          expect(await data(hand)).toEqual(before);
        }
      });
    }

    line('one pod deleted -> comes back, data there', async (hand) => {
      const before = await data(hand);
      const pod = await hand.findPod('web-1');
      await hand.deletePod('web-1');
      await comesBack(hand, 'web-1', pod?.metadata.uid);
      await settled(hand);
      expect(await data(hand)).toEqual(before);
    });

    line('all pods deleted -> come back, data there', async (hand) => {
      const before = await data(hand);
      const uids = [await hand.findPod('web-0'), await hand.findPod('web-1')].map((pod) => pod?.metadata.uid);
      await Promise.all([hand.deletePod('web-0'), hand.deletePod('web-1')]);
      await comesBack(hand, 'web-0', uids[0]);
      await comesBack(hand, 'web-1', uids[1]);
      await settled(hand);
      expect(await data(hand)).toEqual(before);
    });

    line(`one pod deleted, at once scaled to 1 -> ${whatScalingDoes}`, async (hand) => {
      const before = await data(hand);
      await hand.deletePod('web-1');
      await hand.scale(1);
      await scaledDown(hand, before);
    });

    line(
      `one pod deleted, at once scaled to 1, then to 2 -> ${whenScaled === 'Delete' ? 'empty' : 'data there'}`,
      async (hand) => {
        const before = await data(hand);
        await hand.deletePod('web-1');
        await hand.scale(1);
        await scaledDown(hand, before);
        await hand.running('web-0');
        await scaledUpAgain(hand, before);
      },
    );

    line('rolling update -> new pods, data there', async (hand) => {
      const before = await data(hand);
      const uids = [await hand.findPod('web-0'), await hand.findPod('web-1')].map((pod) => pod?.metadata.uid);
      await hand.roll();
      await comesBack(hand, 'web-1', uids[1]);
      await comesBack(hand, 'web-0', uids[0]);
      await settled(hand);
      expect(await data(hand)).toEqual(before);
    });

    line('set deleted without its dependents -> pods and data there', async (hand) => {
      const before = await data(hand);
      await hand.deleteSet('Orphan');
      await hand.running('web-0', 'web-1');
      await hand.owned('data-web-0');
      await hand.owned('data-web-1');
      await hand.deletePod('web-1');
      await hand.running('web-0');
      await settled(hand);
      expect(await data(hand)).toEqual(before);
    });
  }
}

async function comesBack(hand: Hand, name: string, before: string | undefined): Promise<void> {
  await eventually(`${name} is another pod`, async () => {
    const uid = (await hand.findPod(name))?.metadata.uid;
    return uid !== undefined && uid !== before;
  });
  await hand.running('web-0', 'web-1');
}
