import { afterAll, expect, test } from '@jest/globals';
import { leases, persistentVolumes } from '@holdfast/core';
import { eventually, startApp } from '@holdfast/scenario';
import { startEmbeddedControlPlane } from '@holdfast/testing';
import { handOf } from './stage.ts';
import { useStorageScenes } from './storage-scene.ts';

const hour = 3_600_000;
const lease = { namespace: 'kube-system', name: 'holdfast-pv-reclaim-honor' };
const open = useStorageScenes(afterAll);

test('R1: cluster restored from a backup, undo window ended in the six hours that this lacks -> the volume is kept for now', async () => {
  const { stage, storage } = await open(startEmbeddedControlPlane());
  const namespace = await stage.namespace();
  const hand = handOf(stage, namespace, storage.driver);
  await stage.client.create(leases, lease.namespace, {
    metadata: lease,
    spec: {
      holderIdentity: '',
      leaseDurationSeconds: 1,
      renewTime: new Date(Date.now() - 6 * hour).toISOString().replace('Z', '000Z'),
    },
  });
  /** Released by a claim that is gone. */
  const release = async (short: string, dueFor: number): Promise<void> => {
    const { metadata } = await hand.createVolume(short, {
      policy: 'Retain',
      annotations: { 'holdfast.dev/reclaim-policy': 'Delete', 'holdfast.dev/reclaim-grace': '1h' },
    });
    await stage.client.patch(persistentVolumes, { name: metadata.name }, [
      { op: 'add', path: '/spec/claimRef', value: { namespace, name: 'gone', uid: 'uid-of-gone' } },
      ...Object.entries({
        'delete-after': new Date(Date.now() - dueFor).toISOString(),
        'delete-after-uid': metadata.uid,
        'delete-after-claim-uid': 'uid-of-gone',
      }).map(
        ([name, value]) =>
          ({ op: 'add', path: `/metadata/annotations/holdfast.dev~1${name}`, value }) as const,
      ),
    ]);
    await stage.client.patch(
      persistentVolumes,
      { name: metadata.name },
      [{ op: 'add', path: '/status', value: { phase: 'Released' } }],
      { subresource: 'status' },
    );
  };
  await release('over', 5 * hour);

  const app = startApp('pv-reclaim-honor', [
    `--kubeconfig=${stage.kubeconfigFile}`,
    `--csi-address=${storage.driver.address}`,
    '--feature-gates=ReclaimGracePeriod=true',
    '--leader-elect=true',
    `--leader-elect-resource-namespace=${lease.namespace}`,
    '--metrics-bind-address=0',
    '--health-probe-bind-address=0',
  ]);
  try {
    await eventually('the volume is held', async () =>
      (await hand.finalizersOf('over')).includes('holdfast.dev/undo-window'),
    );
    await hand.createVolume('later', {
      source: { csi: { driver: storage.driver.name, volumeHandle: 'later' } },
      annotations: { 'holdfast.dev/reclaim-grace': '1h' },
    });
    await stage.client.patch(persistentVolumes, { name: hand.nameOf('later') }, [
      { op: 'add', path: '/spec/claimRef', value: { namespace, name: 'later', uid: 'uid-of-later' } },
    ]);
    await stage.client.patch(
      persistentVolumes,
      { name: hand.nameOf('later') },
      [{ op: 'add', path: '/status', value: { phase: 'Released' } }],
      { subresource: 'status' },
    );
    await eventually('what is released after it is marked', async () => {
      const { annotations } = (await hand.volume('later'))?.metadata ?? {};
      return annotations?.['holdfast.dev/delete-after'] !== undefined;
    });
  } finally {
    expect(await app.end('SIGTERM')).toEqual({ code: 0, signal: null });
  }
  expect(await hand.volume('over')).not.toHaveProperty('metadata.deletionTimestamp');
  expect(storage.driver.hasVolume(hand.nameOf('over'))).toBe(true);
}, 60_000);
