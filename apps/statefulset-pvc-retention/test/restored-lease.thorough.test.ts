import { expect, test } from '@jest/globals';
import { leases, persistentVolumeClaims } from '@holdfast/core';
import { eventually, testProcess } from '@holdfast/scenario';
import { handOf, openStage } from './stage.ts';

const hour = 3_600_000;
const lease = { namespace: 'kube-system', name: 'holdfast-statefulset-pvc-retention' };

testProcess(
  'statefulset-pvc-retention on a cluster that was restored from a backup',
  {
    app: 'statefulset-pvc-retention',
    controlPlane: { disableAdmissionPlugins: ['StorageObjectInUseProtection'] },
    openStage,
    flags: [
      '--leader-elect=true',
      `--leader-elect-resource-namespace=${lease.namespace}`,
      '--feature-gates=DeletionGracePeriod=true',
    ],
  },
  (suite) => {
    test('R1: undo window ended in the six hours that the backup lacks -> its claim is kept for now', async () => {
      const { stage } = suite;
      const hand = handOf(stage, await stage.namespace());
      const { namespace } = hand;
      await stage.client.create(leases, lease.namespace, {
        metadata: lease,
        spec: {
          holderIdentity: '',
          leaseDurationSeconds: 1,
          renewTime: new Date(Date.now() - 6 * hour).toISOString().replace('Z', '000Z'),
        },
      });
      const set = await hand.createSet({
        replicas: 0,
        policy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
        annotations: { 'holdfast.dev/when-scaled': 'Delete', 'holdfast.dev/scale-down-grace': '30m' },
      });
      const mark = async (name: string, setUid: string): Promise<void> => {
        const { uid } = (await hand.createClaim(name)).metadata;
        await stage.client.patch(persistentVolumeClaims, { namespace, name }, [
          {
            op: 'add',
            path: '/metadata/annotations',
            value: {
              'holdfast.dev/delete-after': new Date(Date.now() - 5 * hour).toISOString(),
              'holdfast.dev/delete-after-uid': uid,
              'holdfast.dev/delete-after-scale-down': `StatefulSet.apps/web/${setUid}/${uid}`,
            },
          },
        ]);
      };
      await mark('data-web-0', set.metadata.uid);
      await mark('data-web-1', 'an-earlier-set');

      const app = suite.start();
      // Both are looked at together, and what is under way when the signal comes is done.
      await eventually('the mark of an earlier set is removed', async () => {
        const { annotations } = (await hand.findClaim('data-web-1'))?.metadata ?? {};
        return annotations?.['holdfast.dev/delete-after'] === undefined;
      });
      expect(await app.end('SIGTERM')).toEqual({ code: 0, signal: null });
      const { metadata } = (await hand.findClaim('data-web-0')) ?? {};
      expect(metadata?.annotations).toHaveProperty(['holdfast.dev/delete-after']);
      expect((await stage.client.get(leases, lease)).metadata.annotations).toHaveProperty([
        'holdfast.dev/led-again',
      ]);
    }, 60_000);
  },
);
