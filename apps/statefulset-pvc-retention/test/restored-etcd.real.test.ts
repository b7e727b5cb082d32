import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { persistentVolumeClaims } from '@holdfast/core';
import {
  bumpedVersions,
  bumpMissing,
  describeUnless,
  eventually,
  startPair,
  writeOldLease,
  type Pair,
} from '@holdfast/scenario';
import {
  controlPlaneMissing,
  startRealControlPlane,
  type BumpedVersions,
  type RealControlPlane,
} from '@holdfast/testing';
import { handOf, openStage, type Hand, type Stage } from './stage.ts';

/*
 * What an administrator does: stop etcd, put a backup in its place, start it and the API server. A leader and a standby
 * run meanwhile.
 */

const app = 'statefulset-pvc-retention';
const hour = 3_600_000;

describeUnless(controlPlaneMissing({ backend: 'real' }), 'etcd restored from a backup', () => {
  let plane: RealControlPlane;
  let stage: Stage;
  let hand: Hand;
  let pair: Pair;
  /**
   * Made when the lease was six hours old: `data-web-0` has no owner yet, and the undo window of `data-over-0` has
   * ended.
   */
  let old: string;
  let over: string | undefined;

  const isMarked = async (claim: string): Promise<boolean> => (await hand.markOf(claim)) !== undefined;
  const annotate = async (name: string, annotations: Readonly<Record<string, string>>): Promise<void> => {
    await stage.client.patch(persistentVolumeClaims, { namespace: hand.namespace, name }, [
      { op: 'add', path: '/metadata/annotations', value: annotations },
    ]);
  };
  /** A claim whose undo window ended five hours ago. */
  const leaveMarked = async (name: string, setUid: string): Promise<void> => {
    const { uid } = (await hand.createClaim(name)).metadata;
    await annotate(name, {
      'holdfast.dev/delete-after': new Date(Date.now() - 5 * hour).toISOString(),
      'holdfast.dev/delete-after-uid': uid,
      'holdfast.dev/delete-after-scale-down': `StatefulSet.apps/over/${setUid}/${uid}`,
    });
  };
  const isOwned = (claim: string): Promise<void> =>
    eventually(
      `${claim} has its set for an owner`,
      async () => (await hand.ownersOf(claim))?.join() === 'StatefulSet web*',
      60_000,
    );
  /**
   * The backup had `data-over-0` with the time of its window past, and it is not deleted. Its mark is removed if the
   * claims are listed anew before the set, which had been scaled up; then its window begins anew.
   */
  const keepsOver = async (): Promise<void> => {
    const claim = await hand.findClaim('data-over-0');
    expect(claim?.metadata.uid).toBe(over);
    expect(claim?.metadata.deletionTimestamp).toBeUndefined();
    expect(await pair.ledAgain()).toBeDefined();
  };

  beforeAll(async () => {
    plane = await startRealControlPlane({ disableAdmissionPlugins: ['StorageObjectInUseProtection'] });
    stage = await openStage(plane);
    hand = handOf(stage, await stage.namespace());
    await writeOldLease(stage.client, app);
    await hand.createSet({ replicas: 4, policy: { whenDeleted: 'Delete', whenScaled: 'Retain' } });
    const { metadata } = await hand.createSet({
      name: 'over',
      replicas: 0,
      policy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
      annotations: { 'holdfast.dev/when-scaled': 'Delete', 'holdfast.dev/scale-down-grace': '30m' },
    });
    await hand.createClaim('data-web-0');
    await leaveMarked('data-over-0', metadata.uid);
    await leaveMarked('data-over-1', 'an-earlier-set');
    over = await hand.dataOf('data-over-0');
    old = await plane.backUp();
    await hand.scale(2, 'over');
    await annotate('data-over-0', {});
    const { client, kubeconfigFile } = stage;
    const flags = ['--feature-gates=DeletionGracePeriod=true', '--yield-to-stock-controller=false'];
    pair = startPair({ app, client, kubeconfigFile, flags });
    await pair.renewLease();
  }, 120_000);

  afterAll(async () => {
    await pair.kill();
    await stage.close();
    await plane.stop();
  }, 60_000);

  const restoreOld = async (how?: BumpedVersions): Promise<void> => {
    await isOwned('data-web-0');
    await hand.createClaim('data-web-3');
    await isOwned('data-web-3');
    await plane.restore(old, how);
    expect(await hand.dataOf('data-web-3')).toBeUndefined();
    await isOwned('data-web-0');
    await hand.createClaim('data-web-1');
    await isOwned('data-web-1');
    // It is looked at together with the other one of its set.
    await eventually(
      'the mark of an earlier set is removed',
      async () => !(await isMarked('data-over-1')),
      60_000,
    );
    await keepsOver();
  };

  test('P8, R1: claim had no owner yet in the backup -> owned again; one whose undo window has ended since -> kept', async () => {
    await restoreOld();
  }, 240_000);

  test('P8, R1: restored again within the hour, and versions assigned again have passed all that were seen before anybody looks -> noticed all the same', async () => {
    const backup = await pair.whileFrozen(async () => {
      await hand.createClaim('data-web-2');
      return plane.backUp();
    });
    await isOwned('data-web-2');
    await hand.scale(2, 'over');
    await eventually('the mark is removed', async () => !(await isMarked('data-over-0')), 60_000);
    const claim = await hand.createClaim('data-web-3');
    await pair.passVersion(claim.metadata.resourceVersion);
    await isOwned('data-web-3');
    const last = (await hand.findClaim('data-web-3'))?.metadata.resourceVersion ?? '';
    await pair.leaseRenewed();
    await pair.whileFrozen(async () => {
      await plane.restore(backup);
      await pair.passVersion(last);
    });
    expect(await hand.dataOf('data-web-3')).toBeUndefined();
    await isOwned('data-web-2');
    await keepsOver();
  }, 240_000);

  describeUnless(bumpMissing, 'and versions are bumped', () => {
    test('P8, R1: those before count as compacted -> the same', () => restoreOld(bumpedVersions), 240_000);
  });
});
