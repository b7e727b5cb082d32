import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  namespaces,
  persistentVolumeClaims,
  persistentVolumes,
  pods,
  statefulSets,
  storageClasses,
  volumeAttachments,
  type ApiResource,
  type KubernetesObject,
} from '@holdfast/core';
import {
  connect,
  createProjection,
  isInvalid,
  type ApiClient,
  type Fields,
  type Projection,
  type WatchEvent,
} from '@holdfast/runtime';
import { controlPlaneMissing, startControlPlane, type ControlPlane } from '@holdfast/testing';
import { KubeConfig } from '@kubernetes/client-node/dist/config.js';
import { Registry } from 'prom-client';
import type { FieldTree } from '../../src/wire/field-tree.ts';
import { kinds, type Message } from '../../src/wire/kubernetes-messages.ts';

/*
 * What a real API server writes as JSON and as protobuf is the same once projected, field by field of all that the
 * codec knows.
 */

const namespace = 'wire';
const claimSpec = {
  accessModes: ['ReadWriteOnce'],
  resources: { requests: { storage: '1Gi' }, limits: { storage: '2Gi' } },
  selector: { matchLabels: { a: 'b' }, matchExpressions: [{ key: 'c', operator: 'In', values: ['d', ''] }] },
};
const template = {
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'c', image: 'pause' }] },
};
const metadata = (name: string) => ({
  name,
  labels: { app: 'web', empty: '' },
  annotations: { 'example.com/note': 'Über 漢字 🙂', 'example.com/empty': '' },
  finalizers: ['example.com/held'],
});

interface Kind {
  readonly key: string;
  readonly resource: ApiResource<KubernetesObject>;
  readonly objects: readonly object[];
}

const examples: readonly Kind[] = [
  {
    key: 'v1 PersistentVolumeClaim',
    resource: persistentVolumeClaims,
    objects: [
      { metadata: metadata('no-class'), spec: { ...claimSpec, storageClassName: '' } },
      {
        metadata: {
          ...metadata('owned'),
          ownerReferences: [
            {
              apiVersion: 'v1',
              kind: 'Pod',
              name: 'p',
              uid: 'u-1',
              controller: true,
              blockOwnerDeletion: false,
            },
            { apiVersion: 'v1', kind: 'Pod', name: 'q', uid: 'u-2', controller: false },
            { apiVersion: 'v1', kind: 'Pod', name: 'r', uid: 'u-3' },
          ],
        },
        spec: { ...claimSpec, storageClassName: 'fast', volumeMode: 'Block', volumeName: 'pv' },
      },
    ],
  },
  {
    key: 'v1 Pod',
    resource: pods,
    objects: [
      {
        metadata: metadata('full'),
        spec: {
          ...template.spec,
          nodeName: 'node-1',
          priority: 0,
          automountServiceAccountToken: false,
          terminationGracePeriodSeconds: 0,
          activeDeadlineSeconds: 2_147_483_647,
          nodeSelector: { a: '' },
          volumes: [
            { name: 'data', persistentVolumeClaim: { claimName: 'data', readOnly: true } },
            { name: 'other', persistentVolumeClaim: { claimName: 'other', readOnly: false } },
            { name: 'scratch', ephemeral: { volumeClaimTemplate: { spec: claimSpec } } },
            { name: 'empty', emptyDir: {} },
          ],
        },
      },
      { metadata: { name: 'plain' }, spec: template.spec },
    ],
  },
  {
    key: 'v1 PersistentVolume',
    resource: persistentVolumes,
    objects: [
      {
        metadata: metadata('csi'),
        spec: {
          capacity: { storage: '1Gi' },
          accessModes: ['ReadWriteOnce', 'ReadOnlyMany'],
          persistentVolumeReclaimPolicy: 'Delete',
          mountOptions: ['ro'],
          claimRef: { namespace, name: 'data', uid: 'u-9' },
          csi: {
            driver: 'csi.example.com',
            volumeHandle: 'h-1',
            volumeAttributes: { a: '' },
            nodeStageSecretRef: { name: 's', namespace },
          },
        },
      },
      {
        metadata: metadata('nfs'),
        spec: {
          capacity: { storage: '500M' },
          accessModes: ['ReadWriteMany'],
          storageClassName: '',
          nfs: { server: 'nfs.example.com', path: '/', readOnly: false },
        },
      },
    ],
  },
  {
    key: 'storage.k8s.io/v1 StorageClass',
    resource: storageClasses,
    objects: [
      { metadata: metadata('plain'), provisioner: 'csi.example.com' },
      {
        metadata: metadata('full'),
        provisioner: 'csi.example.com',
        parameters: { type: '' },
        allowVolumeExpansion: false,
        mountOptions: ['ro', 'sync'],
        reclaimPolicy: 'Retain',
        volumeBindingMode: 'WaitForFirstConsumer',
      },
    ],
  },
  {
    key: 'storage.k8s.io/v1 VolumeAttachment',
    resource: volumeAttachments,
    objects: [
      {
        metadata: metadata('csi'),
        spec: { attacher: 'csi.example.com', nodeName: 'node-1', source: { persistentVolumeName: 'csi' } },
      },
    ],
  },
  {
    key: 'apps/v1 StatefulSet',
    resource: statefulSets,
    objects: [
      {
        metadata: metadata('web'),
        spec: {
          replicas: 0,
          selector: { matchLabels: { app: 'web' } },
          serviceName: '',
          template,
          ordinals: { start: 0 },
          persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Retain' },
          volumeClaimTemplates: [
            { metadata: { name: 'data' }, spec: { ...claimSpec, storageClassName: '' } },
          ],
        },
      },
    ],
  },
];

function everything(message: Message): FieldTree {
  return Object.fromEntries(
    Object.entries(message).map(([name, { type, form }]): readonly [string, FieldTree[string]] =>
      typeof type !== 'object'
        ? [name, true]
        : [name, form === 'list' ? ([everything(type)] as const) : everything(type)],
    ),
  );
}

describe.each(['1.36', '1.31'] as const)('kube-apiserver %s', (release) => {
  const missing = controlPlaneMissing({ backend: 'real', release });
  const suite = missing === undefined ? describe : describe.skip;

  suite('both encodings', () => {
    let plane: ControlPlane;
    let client: ApiClient;

    beforeAll(async () => {
      plane = await startControlPlane({ backend: 'real', release });
      const { kubeconfig } = plane;
      client = connect({
        kubeConfig: () => {
          const config = new KubeConfig();
          config.loadFromString(kubeconfig);
          return config;
        },
        registry: new Registry(),
        program: 'test',
        version: '0',
      });
      await client.create(namespaces, undefined, { metadata: { name: namespace } });
      for (const { resource, objects } of examples) {
        for (const object of objects) {
          await client.create(resource, resource.namespaced ? namespace : undefined, object);
        }
      }
      // Terminating for good, by their finalizers.
      await client.delete(persistentVolumeClaims, { namespace, name: 'owned' });
    }, 60_000);

    afterAll(async () => {
      await client.close();
      await plane.stop();
    });

    const projectionsOf = ({ key, resource }: Kind) => {
      const whole = createProjection(resource, everything(kinds.get(key) ?? {}) as Fields<KubernetesObject>);
      return { protobuf: whole, json: { fromJson: whole.fromJson } };
    };

    test.each(examples)('$key -> lists are the same', async (kind) => {
      const { protobuf, json } = projectionsOf(kind);
      expect(protobuf.fromProtobuf).toBeDefined();
      const asProtobuf = await client.list(kind.resource, { projection: protobuf });
      const asJson = await client.list(kind.resource, { projection: json });
      expect(asProtobuf.items.length).toBeGreaterThanOrEqual(kind.objects.length);
      expect(asProtobuf.items).toEqual(asJson.items);
    });

    /** All that a watch sends of what is there; none where the server refuses to. */
    const streamed = async (
      resource: ApiResource<KubernetesObject>,
      projection: Projection<KubernetesObject>,
    ): Promise<readonly WatchEvent<KubernetesObject>[]> => {
      const events: WatchEvent<KubernetesObject>[] = [];
      await client.watch(
        resource,
        {
          projection,
          sendInitialEvents: true,
          timeoutSeconds: 20,
          silenceLimit: 20_000,
          signal: new AbortController().signal,
        },
        (event, end) => {
          events.push(event);
          if (event.type === 'BOOKMARK' && event.initialEventsEnd === true) {
            end();
          }
        },
      );
      return events.filter(({ type }) => type !== 'BOOKMARK');
    };

    test.each(examples)('$key -> streamed lists are the same, or refused as invalid', async (kind) => {
      const { protobuf, json } = projectionsOf(kind);
      const [asProtobuf, asJson] = await Promise.all(
        [protobuf, json].map((projection) =>
          streamed(kind.resource, projection).catch((error: unknown) => {
            expect(isInvalid(error)).toBe(true);
            return 'refused';
          }),
        ),
      );
      expect(asProtobuf).toEqual(asJson);
      expect(asProtobuf === 'refused').toBe(release === '1.31');
    });
  });
});
