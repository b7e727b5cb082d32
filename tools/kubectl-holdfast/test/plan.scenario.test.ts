import { expect, test } from '@jest/globals';
import { parseFeatureGates, persistentVolumeClaims } from '@holdfast/core';
import { find } from '@holdfast/runtime';
import { eventually } from '@holdfast/scenario';
import { gates } from '@holdfast/statefulset-pvc-retention/decide';
import { statefulSetController, type ControlPlaneOptions } from '@holdfast/testing';
import * as fc from 'fast-check';
import { answer } from '../src/answers/answer.ts';
import type { Explanation } from '../src/explain/explanation.ts';
import { readSet } from '../src/cluster/read-set.ts';
import { plan, type ClaimPlan } from '../src/plan/plan.ts';
import type { Retainers } from '../src/plan/world.ts';
import { pendingOf } from '../src/survey/undo.ts';
import { retention, type RetentionOptions } from './apps.ts';
import { describeScene, type SceneOptions } from './scene.ts';
import { handOf, stories, type Story } from './story.ts';

/*
 * What `plan` says of random sets, policies, owners and actions, compared with what then happens; and where
 * kube-controller-manager is alone, what `explain` says of the claims. HOLDFAST_PLAN_RUNS says how many stories are
 * played of each kind, HOLDFAST_PLAN_SEED which; the seed of a story that fails is in the error.
 */

const runs = Number(process.env['HOLDFAST_PLAN_RUNS'] ?? 8);
const seed = Number(process.env['HOLDFAST_PLAN_SEED'] ?? Date.now() % 0x7fffffff);
/** Stories that are played beside one another. */
const together = 4;

interface Place {
  readonly name: string;
  readonly featureGates: string | undefined;
  readonly windows: boolean;
  readonly real: ControlPlaneOptions;
}

const places: readonly Place[] = [
  {
    name: 'kube-controller-manager alone',
    featureGates: undefined,
    windows: false,
    real: { release: '1.36' },
  },
  {
    name: 'statefulset-pvc-retention alone, with undo windows',
    featureGates: 'DeletionGracePeriod=true',
    windows: true,
    real: { release: '1.31', controllerManagerFeatureGates: { StatefulSetAutoDeletePVC: false } },
  },
  {
    name: 'statefulset-pvc-retention alone, missed scale-downs collected',
    featureGates: 'CollectMissedScaleDown=true',
    windows: false,
    real: { release: '1.31', controllerManagerFeatureGates: { StatefulSetAutoDeletePVC: false } },
  },
];

for (const { name, featureGates, windows, real } of places) {
  const holdfast = featureGates === undefined ? undefined : parseFeatureGates(gates, featureGates);
  const options: SceneOptions<RetentionOptions> = {
    real,
    common: {
      controllers: ['statefulset-controller', 'garbage-collector-controller'],
      // No claim protection runs here: what is deleted is to go.
      disableAdmissionPlugins: ['StorageObjectInUseProtection'],
    },
    standIns: [statefulSetController({ retention: holdfast === undefined })],
    app: retention,
    started: featureGates === undefined ? undefined : { featureGates },
  };
  describeScene(name, options, (scene) => {
    const retainers: Retainers = {
      stock: holdfast === undefined ? 'atWork' : 'absent',
      holdfast: holdfast ?? 'absent',
    };

    const playStory = async (story: Story): Promise<void> => {
      const hand = handOf(scene.client, await scene.stage.namespace(), holdfast !== undefined);
      const rest = async (): Promise<void> => {
        await hand.rest();
        await scene.standInsIdle();
      };
      await hand.create(story.shape);
      await rest();
      for (const step of story.steps) {
        await hand.take(step);
        await rest();
      }
      let planned: readonly ClaimPlan[] = [];
      let uids = new Map<string, string>();
      await eventually('the plan does not depend on anything', async () => {
        const { world, volumes } = await readSet(scene.client, hand.ref);
        planned = plan(world, story.action, retainers, volumes, []);
        uids = new Map([...world.claims.values()].map(({ metadata }) => [metadata.name, metadata.uid]));
        return planned.every(({ outcomes }) => outcomes.length === 1);
      });
      const explained =
        holdfast === undefined ? await explainedFates(planned, story, hand.ref.namespace) : [];
      await hand.act(story.action);
      await rest();
      const said = planned.map(({ claim, outcomes: [{ fate }] }) => [claim, fate]);
      const done = await Promise.all(
        planned.map(async ({ claim }) => [claim, await fateOf(claim, hand.ref.namespace, uids.get(claim))]),
      );
      expect({ ...story, done }).toEqual({ ...story, done: said });
      const fates = new Map(done.map(([claim = '', fate]) => [claim, fate]));
      const explainedAndDone = explained.map(([claim]) => [claim, fates.get(claim)]);
      expect({ ...story, explainedAndDone }).toEqual({ ...story, explainedAndDone: explained });
      const { items } = await scene.client.list(persistentVolumeClaims, { namespace: hand.ref.namespace });
      const listed = pendingOf(items, []).map(({ name }) => name);
      const later = planned.filter(({ outcomes: [{ fate }] }) => fate === 'goesLater');
      expect(listed.toSorted()).toEqual(later.map(({ claim }) => claim).toSorted());
    };

    /**
     * What `explain` says of the claims that its words are of: those that the set is scaled below, or all when it is
     * deleted in the background.
     */
    const explainedFates = async (
      plans: readonly ClaimPlan[],
      { action, shape }: Story,
      namespace: string,
    ): Promise<readonly (readonly [claim: string, fate: string | undefined])[]> => {
      const isOf = ({ ordinal }: ClaimPlan): boolean =>
        action.kind === 'scale' ? ordinal >= shape.start + action.replicas : action.cascade === 'background';
      const what = `StatefulSet web is ${action.kind === 'scale' ? 'scaled below it' : 'deleted'}`;
      return Promise.all(
        plans.filter(isOf).map(async ({ claim }) => {
          const { object } = await answer(
            scene.client,
            { kind: 'explain', of: 'pvc', name: claim },
            { namespace, allNamespaces: false, assume: new Map(), workloads: [] },
          );
          const { ifs } = object as unknown as Explanation;
          const then = ifs.find((each) => each.what === what)?.then;
          return [claim, /^the claim (goes|stays):/.exec(then ?? '')?.[1] ?? then] as const;
        }),
      );
    };

    /** What has become of the claim of this UID. */
    const fateOf = async (claim: string, namespace: string, uid: string | undefined) => {
      const found = await find(scene.client, persistentVolumeClaims, { namespace, name: claim });
      if (found?.metadata.uid !== uid || found?.metadata.deletionTimestamp !== undefined) {
        return 'goes';
      }
      return found?.metadata.annotations?.['holdfast.dev/delete-after'] === undefined ? 'stays' : 'goesLater';
    };

    test(`planned, then done, seed ${String(seed)} -> no claim's fate differs, and undo lists those that go later`, async () => {
      const batch = fc.array(stories(windows), { minLength: together, maxLength: together });
      await fc.assert(
        fc.asyncProperty(batch, async (all) => {
          const ends = await Promise.allSettled(all.map(playStory));
          ends.forEach((end, index) => {
            if (end.status === 'rejected') {
              throw new Error(JSON.stringify(all[index]), { cause: end.reason });
            }
          });
        }),
        { seed, numRuns: Math.ceil(runs / together), endOnFailure: true },
      );
    }, 3_600_000);
  });
}
