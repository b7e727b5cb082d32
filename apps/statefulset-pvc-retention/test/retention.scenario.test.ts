import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { controllerOf, eventsV1, persistentVolumeClaims, type OwnerReference } from '@holdfast/core';
import { eventually, type StagedController } from '@holdfast/scenario';
import {
  controlPlaneMissing,
  garbageCollector,
  kubelet,
  startControlPlane,
  startController,
  statefulSetController,
  type ControlPlane,
  type RunningController,
} from '@holdfast/testing';
import { createLeapingClock } from './leaping-clock.ts';
import {
  atRest,
  collected,
  handOf,
  judged,
  openStage,
  settled,
  type Hand,
  type Options,
  type Policy,
  type Stage,
} from './stage.ts';

const suite = controlPlaneMissing() === undefined ? describe : describe.skip;
const both: Policy = { whenDeleted: 'Delete', whenScaled: 'Delete' };
const none: Policy = { whenDeleted: 'Retain', whenScaled: 'Retain' };
const onScaleDown: Policy = { whenDeleted: 'Retain', whenScaled: 'Delete' };

suite('statefulset-pvc-retention beside stand-ins of the stock controllers', () => {
  let plane: ControlPlane;
  let stage: Stage;
  let hand: Hand;
  let ours: StagedController;
  let collector: RunningController;
  let standIns: readonly RunningController[] = [];

  beforeAll(async () => {
    plane = await startControlPlane({
      tls: false,
      disableAdmissionPlugins: ['StorageObjectInUseProtection'],
    });
    collector = await startController(plane, garbageCollector);
    standIns = [
      collector,
      await startController(plane, statefulSetController({ retention: false })),
      await startController(plane, kubelet()),
    ];
    stage = await openStage(plane);
    ours = await stage.startController({});
  }, 90_000);

  afterAll(async () => {
    await stage.close();
    await Promise.all(standIns.map((standIn) => standIn.stop()));
    await plane.stop();
  }, 60_000);

  const scenario = (name: string, play: () => Promise<void>): void =>
    test(
      name,
      async () => {
        hand = handOf(stage, await stage.namespace());
        await play();
      },
      60_000,
    );
  const reasonsOn = async (kind: string, name: string): Promise<readonly string[]> => {
    const { items } = await stage.client.list(eventsV1, { namespace: hand.namespace });
    return items
      .filter(({ regarding }) => regarding?.kind === kind && regarding.name === name)
      .map(({ reason }) => reason ?? '');
  };
  const ownerUids = async (claim: string): Promise<readonly string[] | undefined> =>
    (await hand.findClaim(claim))?.metadata.ownerReferences?.map(({ uid }) => uid);
  const recorded = async (reason: string, claim: string): Promise<void> => {
    await eventually(`an Event on the claim says ${reason}`, async () =>
      (await reasonsOn('PersistentVolumeClaim', claim)).includes(reason),
    );
    await eventually(`an Event on the set says ${reason}`, async () =>
      (await reasonsOn('StatefulSet', 'web')).includes(reason),
    );
  };
  const withOther = async (options: Options, play: () => Promise<void>): Promise<void> => {
    await ours.stop();
    const other = await stage.startController(options);
    try {
      await play();
    } finally {
      await other.stop();
      ours = await stage.startController({});
    }
  };
  const foreign: OwnerReference = {
    apiVersion: 'v1',
    kind: 'Namespace',
    name: 'default',
    uid: '',
    controller: true,
  };
  const foreignController = async (): Promise<OwnerReference> => {
    const { metadata } = await hand.createClaim(`owner-${crypto.randomUUID().slice(0, 8)}`);
    return { ...foreign, kind: 'PersistentVolumeClaim', name: metadata.name, uid: metadata.uid };
  };

  scenario(
    'start ordinals and two templates -> each wanted claim is owned, those below are not wanted',
    async () => {
      await hand.createSet({ replicas: 2, start: 5, templates: ['data', 'log'], policy: both });
      await hand.running('web-5', 'web-6');
      for (const claim of ['data-web-5', 'data-web-6', 'log-web-5', 'log-web-6']) {
        await hand.owned(claim, 'StatefulSet web*');
      }
      const [data, log] = [await hand.dataOf('data-web-5'), await hand.dataOf('log-web-5')];
      await hand.scale(1);
      await hand.gone('data-web-6', 'log-web-6');
      await settled(hand);
      expect([await hand.dataOf('data-web-5'), await hand.dataOf('log-web-5')]).toEqual([data, log]);
    },
  );

  scenario(
    'sets web and web-1, and names that no template makes -> none is taken for the other',
    async () => {
      const lookAlikes = ['data-web-01', 'data-web-7x', 'data-web', 'other-web-0', 'data-webb-0'];
      for (const name of lookAlikes) {
        await hand.createClaim(name);
      }
      await hand.createClaim('data-web-1');
      await hand.createClaim('data-web-1-0');
      await hand.createSet({ name: 'web', replicas: 2, policy: both });
      await hand.createSet({ name: 'web-1', replicas: 1, policy: both });
      await hand.owned('data-web-1', 'StatefulSet web*');
      await hand.owned('data-web-1-0', 'StatefulSet web-1*');
      await atRest(stage);
      await hand.deleteSet('Background', 'web');
      await hand.gone('data-web-1');
      await settled(hand);
      expect(await hand.ownersOf('data-web-1-0')).toEqual(['StatefulSet web-1*']);
      for (const name of lookAlikes) {
        expect(await hand.ownersOf(name)).toStrictEqual([]);
      }
    },
  );

  scenario('pod ends without grace before anybody looks -> its claim goes all the same', async () => {
    await hand.createSet({ replicas: 2, policy: onScaleDown });
    await hand.running('web-0', 'web-1');
    await hand.scale(1);
    await hand.deletePod('web-1', 0);
    await hand.gone('data-web-1');
  });

  scenario('scaled down and up again while the pod ends -> data there, swapped back', async () => {
    const [, sets, nodeAgent] = standIns;
    await hand.createSet({ replicas: 2, policy: both });
    await hand.running('web-0', 'web-1');
    await hand.owned('data-web-1', 'StatefulSet web*');
    const data = await hand.dataOf('data-web-1');
    await nodeAgent?.pause();
    try {
      await hand.scale(1);
      await hand.owned('data-web-1', 'Pod web-1*');
      await sets?.idle();
      await hand.scale(2);
      await hand.owned('data-web-1', 'StatefulSet web*');
    } finally {
      nodeAgent?.resume();
    }
    await settled(hand);
    await hand.running('web-0', 'web-1');
    expect(await hand.dataOf('data-web-1')).toBe(data);
    await recorded('ClaimWillBeDeleted', 'data-web-1');
  });

  /** Scaled down to one pod, and this happens before the other has ended: its claim survives it. */
  const survivesScaleDown = async (meanwhile: () => Promise<void>): Promise<void> => {
    const [, , nodeAgent] = standIns;
    await hand.createSet({ replicas: 2, policy: both });
    await hand.running('web-0', 'web-1');
    const data = await hand.dataOf('data-web-1');
    await nodeAgent?.pause();
    try {
      await hand.scale(1);
      await hand.owned('data-web-1', 'Pod web-1*');
      await meanwhile();
      await hand.owned('data-web-1');
    } finally {
      nodeAgent?.resume();
    }
    await hand.running('web-0');
    await settled(hand);
    expect(await hand.dataOf('data-web-1')).toBe(data);
  };

  scenario('turned to Retain in the middle of a scale-down -> the pod lets go of the claim', () =>
    survivesScaleDown(() => hand.setPolicy(none)),
  );

  scenario('set orphaned in the middle of a scale-down -> the claim survives its pod', () =>
    survivesScaleDown(() => hand.deleteSet('Orphan')),
  );

  scenario('the same while none of ours runs -> the next process rescues the claim', () =>
    survivesScaleDown(async () => {
      await ours.stop();
      await hand.deleteSet('Orphan');
      await hand.setGone();
      ours = await stage.startController({});
    }),
  );

  scenario(
    'foreign controller comes -> ours goes, the claim survives the set, an Event says why',
    async () => {
      await hand.createSet({ replicas: 1, policy: both });
      await hand.running('web-0');
      await hand.owned('data-web-0', 'StatefulSet web*');
      const other = await foreignController();
      const data = await hand.dataOf('data-web-0');
      await stage.client.patch(persistentVolumeClaims, { namespace: hand.namespace, name: 'data-web-0' }, [
        { op: 'replace', path: '/metadata/ownerReferences', value: [other] },
      ]);
      await recorded('ClaimKept', 'data-web-0');
      await hand.deleteSet('Background');
      await hand.running();
      await settled(hand);
      expect(await hand.dataOf('data-web-0')).toBe(data);
      expect(await hand.ownersOf('data-web-0')).toEqual([`PersistentVolumeClaim ${other.name}*`]);
    },
  );

  scenario('foreign plain owner -> stays beside ours, and keeps the claim when the set goes', async () => {
    const owner = await foreignController();
    await hand.createClaim('data-web-0', [{ ...owner, controller: false }]);
    await hand.createSet({ replicas: 1, policy: both });
    await hand.running('web-0');
    await hand.owned('data-web-0', `PersistentVolumeClaim ${owner.name}`, 'StatefulSet web*');
    await hand.deleteSet('Background');
    await hand.owned('data-web-0', `PersistentVolumeClaim ${owner.name}`);
  });

  scenario(
    'set deleted and made again under its name -> the claims of the first go with it only',
    async () => {
      const first = await hand.createSet({ replicas: 1, policy: both });
      await hand.running('web-0');
      await hand.owned('data-web-0', 'StatefulSet web*');
      await atRest(stage);
      const data = await hand.dataOf('data-web-0');
      await collector.pause();
      try {
        await hand.deleteSet('Background');
        await hand.createSet({ replicas: 1, policy: both });
        await judged(hand);
        expect(await ownerUids('data-web-0')).toEqual([first.metadata.uid]);
      } finally {
        collector.resume();
      }
      const second = await hand.findSet();
      await eventually(
        'the claim of the first is gone',
        async () => (await hand.dataOf('data-web-0')) !== data,
      );
      await eventually('the pod of the second runs', async () => {
        const pod = await hand.findPod('web-0');
        return pod?.status?.phase === 'Running' && controllerOf(pod)?.uid === second?.metadata.uid;
      });
      if ((await hand.dataOf('data-web-0')) === undefined) {
        // Nothing protects claims here: the collector may take the first pod, and the second start on the claim, before
        // it takes that.
        await hand.deletePod('web-0');
      }
      await hand.owned('data-web-0', 'StatefulSet web*');
      expect(await ownerUids('data-web-0')).toEqual([second?.metadata.uid]);
    },
  );

  scenario('scaled down under Retain, later turned to Delete -> kept, an Event says so', async () => {
    await hand.createSet({ replicas: 2, policy: none });
    await hand.running('web-0', 'web-1');
    const data = await hand.dataOf('data-web-1');
    await hand.scale(1);
    await hand.running('web-0');
    await settled(hand);
    await hand.setPolicy(onScaleDown);
    await recorded('ScaleDownMissed', 'data-web-1');
    await settled(hand);
    expect(await hand.dataOf('data-web-1')).toBe(data);
  });

  scenario(
    'scaled down while none of ours runs -> kept; gate CollectMissedScaleDown -> deleted',
    async () => {
      await hand.createSet({ replicas: 2, policy: both });
      await hand.running('web-0', 'web-1');
      await hand.owned('data-web-1', 'StatefulSet web*');
      await ours.stop();
      await hand.scale(1);
      await hand.running('web-0');
      ours = await stage.startController({});
      await recorded('ScaleDownMissed', 'data-web-1');
      await settled(hand);
      expect(await hand.ownersOf('data-web-1')).toEqual(['StatefulSet web*']);
      await withOther({ featureGates: 'CollectMissedScaleDown=true' }, async () => {
        await hand.gone('data-web-1');
        await settled(hand);
        expect(await hand.ownersOf('data-web-0')).toEqual(['StatefulSet web*']);
      });
    },
  );

  const minute = 60_000;
  const undoWindow = { featureGates: 'DeletionGracePeriod=true' };
  const annotations = { 'holdfast.dev/scale-down-grace': '1h' };

  scenario(
    'undo window -> marked; up again clears it; gate off clears it; at its end the claim goes',
    async () => {
      const clock = createLeapingClock();
      const withWindow = { ...undoWindow, clock, ...clock.wallClocks };
      await withOther(withWindow, async () => {
        await hand.createSet({ replicas: 2, policy: both, annotations });
        await hand.running('web-0', 'web-1');
        const data = await hand.dataOf('data-web-1');
        await hand.scale(1);
        await hand.marked('data-web-1');
        await recorded('ClaimWillBeDeleted', 'data-web-1');
        await hand.running('web-0');
        expect(Date.parse((await hand.markOf('data-web-1')) ?? '') - clock.wallClock().getTime()).toBe(
          60 * minute,
        );
        expect(await hand.ownersOf('data-web-1')).toEqual(['StatefulSet web*']);

        await hand.scale(2);
        await hand.running('web-0', 'web-1');
        await hand.unmarked('data-web-1');
        expect(await hand.dataOf('data-web-1')).toBe(data);
        await hand.scale(1);
        await hand.marked('data-web-1');
        await hand.running('web-0');
      });
      // The gate is off here: what the feature put there is taken back.
      await hand.unmarked('data-web-1');

      await withOther(withWindow, async () => {
        await hand.scale(2);
        await hand.running('web-0', 'web-1');
        const data = await hand.dataOf('data-web-1');
        await hand.scale(1);
        await hand.marked('data-web-1');
        await hand.running('web-0');
        clock.leap(59 * minute);
        await settled(hand);
        expect(await hand.dataOf('data-web-1')).toBe(data);
        clock.leap(minute);
        await hand.gone('data-web-1');
      });
    },
  );

  scenario(
    'undo window, set deleted meanwhile, whenDeleted Retain -> unmarked, the claim stays',
    async () => {
      await withOther(undoWindow, async () => {
        await hand.createSet({ replicas: 1, policy: onScaleDown, annotations });
        await hand.running('web-0');
        await hand.scale(0);
        await hand.marked('data-web-0');
        await hand.deleteSet('Background');
        await hand.unmarked('data-web-0');
        await settled(hand);
        expect(await hand.dataOf('data-web-0')).toBeDefined();
      });
    },
  );

  scenario('gate StatefulSetAutoDeletePVC off -> ours is taken back, the stock one left', async () => {
    await hand.createSet({ replicas: 2, policy: both });
    await hand.running('web-0', 'web-1');
    await hand.owned('data-web-0', 'StatefulSet web*');
    await hand.owned('data-web-1', 'StatefulSet web*');
    await stage.client.patch(persistentVolumeClaims, { namespace: hand.namespace, name: 'data-web-1' }, [
      { op: 'replace', path: '/metadata/ownerReferences/0/blockOwnerDeletion', value: true },
    ]);
    await withOther({ featureGates: 'StatefulSetAutoDeletePVC=false' }, async () => {
      await hand.owned('data-web-0');
      await collected(hand);
      expect(await hand.ownersOf('data-web-1')).toEqual(['StatefulSet web*']);
    });
  });

  scenario('sets and writes -> counted by metrics', async () => {
    await hand.createSet({ replicas: 1, policy: both });
    await hand.running('web-0');
    await hand.owned('data-web-0', 'StatefulSet web*');
    const metrics = await ours.registry.metrics();
    expect(metrics).toMatch(
      /^statefulset_pvc_retention_policy\{when_deleted="Delete",when_scaled="Delete"\} [1-9]/m,
    );
    expect(metrics).toMatch(
      /^statefulset_pvc_owner_reference_updates_total\{operation="add",result="success"\} [1-9]/m,
    );
  });
});
