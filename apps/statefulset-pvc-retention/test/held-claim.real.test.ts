import { describe, expect, test } from '@jest/globals';
import { persistentVolumeClaims, type OwnerReference, type PersistentVolumeClaim } from '@holdfast/core';
import { useSuiteStage } from '@holdfast/scenario';
import { controlPlaneMissing, startControlPlane } from '@holdfast/testing';
import { holdOn } from '../src/decide/hold.ts';
import { collected, handOf, openStage, type Cascade, type Hand } from './stage.ts';

/**
 * What the hold rests on: how the garbage collector of kube-controller-manager treats a claim that refers to itself.
 */
for (const release of ['1.31', '1.36'] as const) {
  const options = {
    backend: 'real',
    release,
    controllers: ['garbage-collector-controller'],
    disableAdmissionPlugins: ['StorageObjectInUseProtection'],
  } as const;
  const suite = controlPlaneMissing(options) === undefined ? describe : describe.skip;
  suite(`held claim, garbage collector of ${release}`, () => {
    const stage = useSuiteStage({ startPlane: () => startControlPlane(options), openStage });

    const toSet = (name: string, uid: string): OwnerReference => ({
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      name,
      uid,
      controller: true,
      blockOwnerDeletion: false,
    });
    const own = async (
      { namespace }: Hand,
      claim: PersistentVolumeClaim,
      owners: readonly OwnerReference[],
    ): Promise<void> => {
      const ref = { namespace, name: claim.metadata.name };
      await stage().client.patch(persistentVolumeClaims, ref, [
        { op: 'add', path: '/metadata/ownerReferences', value: owners },
      ]);
    };
    const self = 'PersistentVolumeClaim data-web-0';

    test('R1: beside a reference to a set that is gone -> that one alone is taken away', async () => {
      const hand = handOf(stage(), await stage().namespace());
      const claim = await hand.createClaim('data-web-0');
      await own(hand, claim, [toSet('web', crypto.randomUUID()), holdOn(claim)]);
      await hand.owned('data-web-0', self);
      await collected(hand);
      expect(await hand.dataOf('data-web-0')).toBe(claim.metadata.uid);
    }, 60_000);

    test.each(['Background', 'Foreground', 'Orphan'] as const)(
      'R1: its set is deleted, %s -> the set goes, the claim stays',
      async (cascade) => {
        const hand = handOf(stage(), await stage().namespace());
        const set = await hand.createSet({ replicas: 0 });
        const claim = await hand.createClaim('data-web-0');
        await own(hand, claim, [toSet('web', set.metadata.uid), holdOn(claim)]);
        await collected(hand);
        await hand.deleteSet(cascade);
        await hand.owned('data-web-0', self);
        // The collector has several workers: one takes the finalizer of an orphaning set when another may have come to
        // the marker.
        await hand.setGone();
        await collected(hand);
        expect(await hand.dataOf('data-web-0')).toBe(claim.metadata.uid);
      },
      60_000,
    );

    test.each<Cascade>(['Background', 'Foreground', 'Orphan'])(
      'R1: deleted itself, %s -> gone',
      async (propagationPolicy) => {
        const hand = handOf(stage(), await stage().namespace());
        const claim = await hand.createClaim('data-web-0');
        await own(hand, claim, [holdOn(claim)]);
        await collected(hand);
        const ref = { namespace: hand.namespace, name: 'data-web-0' };
        await stage().client.delete(persistentVolumeClaims, ref, { propagationPolicy });
        await hand.gone('data-web-0');
      },
      60_000,
    );
  });
}
