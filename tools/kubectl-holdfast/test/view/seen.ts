import type { StorageClass, VolumeAttachment } from '@holdfast/core';
import type { Seen } from '../../src/view/picture-of.ts';
import { bySet, byPod, claimOf, namespace, podOf, setOf, volumeOf } from '../objects.ts';

/** A cluster of nothing, but for what is given. */
export function seenOf(more: Partial<Seen> = {}): Seen {
  return {
    ...{ sets: [], pods: [], claims: [], volumes: [], classes: [], attachments: [] },
    ...{ namespace, protection: () => undefined },
    ...more,
  };
}

export function classOf(name: string, isDefault = false): StorageClass {
  return {
    metadata: {
      ...{ name, uid: `uid-of-${name}`, resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' },
      annotations: isDefault ? { 'storageclass.kubernetes.io/is-default-class': 'true' } : {},
    },
    provisioner: 'disks.example.com',
  };
}

export function attachmentOf(volume: string): VolumeAttachment {
  return {
    metadata: { name: `csi-${volume}`, uid: `uid-of-csi-${volume}`, resourceVersion: '1' },
    spec: { attacher: 'disks.example.com', nodeName: 'node-1', source: { persistentVolumeName: volume } },
    status: { attached: true },
  };
}

export const markedFor = (uid: string, time: string) => ({
  'holdfast.dev/delete-after': time,
  'holdfast.dev/delete-after-uid': uid,
  'holdfast.dev/delete-after-scale-down': `StatefulSet.apps/web/uid-of-web/${uid}`,
});

/**
 * Set web of three claims: one that is being deleted while its pod runs, one that goes with its pod, one in an undo
 * window; and a volume that is left of a fourth.
 *
 * @param due when the window ends, RFC 3339.
 */
export function story(due: string): Seen {
  const volumes = [0, 1, 2].map((ordinal) => {
    const name = `pv-${String(ordinal)}`;
    const volume = volumeOf(
      'Delete',
      { finalizers: ['kubernetes.io/pv-protection', 'external-provisioner.volume.kubernetes.io/finalizer'] },
      { claim: `data-web-${String(ordinal)}` },
    );
    return {
      ...volume,
      metadata: { ...volume.metadata, name, uid: `uid-of-${name}` },
      spec: { ...volume.spec, storageClassName: 'fast' },
    };
  });
  const left = volumeOf('Retain', {}, { phase: 'Released', claim: 'data-web-3' });
  const bound = (ordinal: number) => ({ volumeName: `pv-${String(ordinal)}`, className: 'fast' });
  return seenOf({
    sets: [setOf({ replicas: 2, whenScaled: 'Delete' })],
    pods: [podOf(0), podOf(1)],
    claims: [
      claimOf(0, { ...bound(0), owners: [bySet], deletedAt: '2026-03-01T11:00:00Z' }),
      claimOf(1, { ...bound(1), owners: [byPod(1)] }),
      claimOf(2, { ...bound(2), annotations: markedFor('uid-of-data-web-2', due) }),
    ],
    volumes: [
      ...volumes,
      { ...left, metadata: { ...left.metadata, name: 'pv-left', uid: 'uid-of-pv-left' } },
    ],
    classes: [classOf('fast', true)],
    attachments: [attachmentOf('pv-0')],
  });
}

/** Many claims of one set, each with pod and volume. */
export function manyClaims(count: number): Seen {
  const ordinals = Array.from({ length: count }, (_, ordinal) => ordinal);
  return seenOf({
    sets: [setOf({ replicas: count })],
    pods: ordinals.map((ordinal) => podOf(ordinal)),
    claims: ordinals.map((ordinal) => claimOf(ordinal, { volumeName: `pv-${String(ordinal)}` })),
    volumes: ordinals.map((ordinal) => {
      const volume = volumeOf('Delete', {}, { claim: `data-web-${String(ordinal)}` });
      const name = `pv-${String(ordinal)}`;
      return { ...volume, metadata: { ...volume.metadata, name, uid: `uid-of-${name}` } };
    }),
  });
}
