import { objectIn, type Mutable } from '../json.ts';
import type { OddServer } from '../odd-server.ts';
import { mightBeUsed } from './claim-users.ts';
import { inhabitant, metadata, type Inhabitant, type World } from './world.ts';

const protection = 'kubernetes.io/pvc-protection';
const core = 'io.k8s.api.core.v1';

/** Claims that are used in every possible way and deleted nevertheless, and some claims that nothing uses. */
export function pvcProtectionWorld(): World {
  const inhabitants = new Map<string, Inhabitant>();
  const claim = (name: string, more: Mutable, spec: Mutable, namespace = 'shop', canBeOdd = true): void =>
    void inhabitants.set(
      `persistentvolumeclaims/${namespace}/${name}`,
      inhabitant(
        `${core}.PersistentVolumeClaim`,
        {
          metadata: metadata(name, more, namespace),
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
          status: { phase: 'Bound', conditions: [{ type: 'Unused', status: 'False', message: 'odd' }] },
        },
        canBeOdd,
      ),
    );
  const pod = (name: string, more: Mutable, spec: Mutable, status: Mutable): void =>
    void inhabitants.set(
      `pods/shop/${name}`,
      inhabitant(`${core}.Pod`, { metadata: metadata(name, more, 'shop'), spec, status }),
    );
  const held = { finalizers: [protection] };
  claim('data', held, { volumeName: 'pv-data' });
  claim(
    'user-scratch',
    {
      ...held,
      ownerReferences: [
        {
          apiVersion: 'v1',
          kind: 'Pod',
          name: 'user',
          uid: 'uid-of-user',
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    { volumeName: 'pv-scratch' },
  );
  claim('cold', held, { volumeName: 'pv-cold' });
  claim('new', {}, {});
  // In a namespace of their own, in which nothing is odd.
  claim('good', {}, {}, 'apart', false);
  claim('free', held, { volumeName: 'pv-free' }, 'apart', false);
  pod(
    'user',
    { labels: { app: 'user' } },
    {
      nodeName: 'node-1',
      volumes: [
        { name: 'config', configMap: { name: 'config' } },
        { name: 'data', persistentVolumeClaim: { claimName: 'data' } },
        { name: 'scratch', ephemeral: { volumeClaimTemplate: { spec: { accessModes: ['ReadWriteOnce'] } } } },
      ],
    },
    {
      phase: 'Running',
      containerStatuses: [{ name: 'c', state: { running: { startedAt: '2026-01-01T00:00:00Z' } } }],
    },
  );
  pod(
    'done',
    {},
    { nodeName: 'node-2', volumes: [{ name: 'cold', persistentVolumeClaim: { claimName: 'cold' } }] },
    { phase: 'Succeeded', containerStatuses: [{ name: 'c', state: { terminated: { exitCode: 0 } } }] },
  );
  inhabitants.set(
    'volumeattachments.storage.k8s.io//va-cold',
    inhabitant('io.k8s.api.storage.v1.VolumeAttachment', {
      metadata: metadata('va-cold'),
      spec: { attacher: 'csi.example.com', nodeName: 'node-2', source: { persistentVolumeName: 'pv-cold' } },
      status: { attached: true },
    }),
  );
  return {
    app: 'pvc-protection',
    root: '',
    inhabitants,
    tempt: (server: OddServer) => {
      for (const [location, object] of [...server.objects]) {
        const known = objectIn(object['metadata']);
        if (
          location.startsWith('persistentvolumeclaims/') &&
          !/\/(good|new)$/.test(location) &&
          known !== undefined
        ) {
          server.put(location, {
            ...object,
            metadata: {
              ...known,
              resourceVersion: server.nextVersion(),
              deletionTimestamp: known['deletionTimestamp'] ?? '2026-01-02T00:00:00Z',
            },
          });
        }
      }
    },
    wrongIn: ({ location, before, after, objects }) => {
      const [plural, namespace = ''] = location.split('/');
      const wasHeld = before !== undefined && isHeld(before);
      if (plural !== 'persistentvolumeclaims' || before === undefined || !wasHeld) {
        return undefined;
      }
      if (after !== undefined && isHeld(after)) {
        return undefined;
      }
      return mightBeUsed(before, namespace, objects)
        ? `the finalizer was taken off ${location}, which might be used`
        : undefined;
    },
    owed: (objects) => {
      const good = objects.get('persistentvolumeclaims/apart/good');
      if (good === undefined || !isHeld(good)) {
        return 'claim apart/good has no finalizer';
      }
      return objects.has('persistentvolumeclaims/apart/free')
        ? 'claim apart/free was not released'
        : undefined;
    },
    close: () => undefined,
  };
}

function isHeld(claim: Readonly<Mutable>): boolean {
  const held = objectIn(claim['metadata'])?.['finalizers'];
  return Array.isArray(held) && held.includes(protection);
}
