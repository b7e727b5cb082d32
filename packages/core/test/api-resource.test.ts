import { expect, test } from '@jest/globals';
import * as core from '@holdfast/core';
import {
  apiVersionOf,
  collectionPath,
  objectPath,
  type ApiResource,
  type KubernetesObject,
  type Stored,
} from '@holdfast/core';

type Backup = Stored<{ spec: { schedule: string }; status?: { lastRun?: Date } }>;

const backups: ApiResource<Backup> = {
  group: 'example.com',
  version: 'v1beta2',
  kind: 'Backup',
  plural: 'backups',
  namespaced: true,
};

test.each<{ resource: ApiResource<KubernetesObject>; apiVersion: string; all: string; shop: string }>([
  {
    resource: core.configMaps,
    apiVersion: 'v1',
    all: '/api/v1/configmaps',
    shop: '/api/v1/namespaces/shop/configmaps',
  },
  { resource: core.events, apiVersion: 'v1', all: '/api/v1/events', shop: '/api/v1/namespaces/shop/events' },
  { resource: core.namespaces, apiVersion: 'v1', all: '/api/v1/namespaces', shop: '/api/v1/namespaces' },
  { resource: core.nodes, apiVersion: 'v1', all: '/api/v1/nodes', shop: '/api/v1/nodes' },
  {
    resource: core.persistentVolumeClaims,
    apiVersion: 'v1',
    all: '/api/v1/persistentvolumeclaims',
    shop: '/api/v1/namespaces/shop/persistentvolumeclaims',
  },
  {
    resource: core.persistentVolumes,
    apiVersion: 'v1',
    all: '/api/v1/persistentvolumes',
    shop: '/api/v1/persistentvolumes',
  },
  { resource: core.pods, apiVersion: 'v1', all: '/api/v1/pods', shop: '/api/v1/namespaces/shop/pods' },
  {
    resource: core.statefulSets,
    apiVersion: 'apps/v1',
    all: '/apis/apps/v1/statefulsets',
    shop: '/apis/apps/v1/namespaces/shop/statefulsets',
  },
  {
    resource: core.services,
    apiVersion: 'v1',
    all: '/api/v1/services',
    shop: '/api/v1/namespaces/shop/services',
  },
  {
    resource: core.serviceAccounts,
    apiVersion: 'v1',
    all: '/api/v1/serviceaccounts',
    shop: '/api/v1/namespaces/shop/serviceaccounts',
  },
  {
    resource: core.daemonSets,
    apiVersion: 'apps/v1',
    all: '/apis/apps/v1/daemonsets',
    shop: '/apis/apps/v1/namespaces/shop/daemonsets',
  },
  {
    resource: core.deployments,
    apiVersion: 'apps/v1',
    all: '/apis/apps/v1/deployments',
    shop: '/apis/apps/v1/namespaces/shop/deployments',
  },
  {
    resource: core.replicaSets,
    apiVersion: 'apps/v1',
    all: '/apis/apps/v1/replicasets',
    shop: '/apis/apps/v1/namespaces/shop/replicasets',
  },
  {
    resource: core.cronJobs,
    apiVersion: 'batch/v1',
    all: '/apis/batch/v1/cronjobs',
    shop: '/apis/batch/v1/namespaces/shop/cronjobs',
  },
  {
    resource: core.jobs,
    apiVersion: 'batch/v1',
    all: '/apis/batch/v1/jobs',
    shop: '/apis/batch/v1/namespaces/shop/jobs',
  },
  {
    resource: core.podDisruptionBudgets,
    apiVersion: 'policy/v1',
    all: '/apis/policy/v1/poddisruptionbudgets',
    shop: '/apis/policy/v1/namespaces/shop/poddisruptionbudgets',
  },
  {
    resource: core.leases,
    apiVersion: 'coordination.k8s.io/v1',
    all: '/apis/coordination.k8s.io/v1/leases',
    shop: '/apis/coordination.k8s.io/v1/namespaces/shop/leases',
  },
  {
    resource: core.storageClasses,
    apiVersion: 'storage.k8s.io/v1',
    all: '/apis/storage.k8s.io/v1/storageclasses',
    shop: '/apis/storage.k8s.io/v1/storageclasses',
  },
  {
    resource: core.volumeAttachments,
    apiVersion: 'storage.k8s.io/v1',
    all: '/apis/storage.k8s.io/v1/volumeattachments',
    shop: '/apis/storage.k8s.io/v1/volumeattachments',
  },
  {
    resource: backups,
    apiVersion: 'example.com/v1beta2',
    all: '/apis/example.com/v1beta2/backups',
    shop: '/apis/example.com/v1beta2/namespaces/shop/backups',
  },
])('$resource.kind -> $apiVersion, $all, $shop', ({ resource, apiVersion, all, shop }) => {
  expect(apiVersionOf(resource)).toBe(apiVersion);
  expect(collectionPath(resource)).toBe(all);
  expect(collectionPath(resource, 'shop')).toBe(shop);
});

test.each<{ namespace: string | undefined; path: string }>([
  { namespace: 'shop', path: '/apis/example.com/v1beta2/namespaces/shop/backups/nightly/status' },
  { namespace: undefined, path: '/apis/example.com/v1beta2/backups/nightly/status' },
])('one object, namespace $namespace -> $path', ({ namespace, path }) => {
  expect(objectPath(backups, { namespace, name: 'nightly' }, 'status')).toBe(path);
});

test('kind of its own by Stored -> metadata that is always there, and times as text', () => {
  const { name, uid, resourceVersion } = { name: 'nightly', uid: 'uid-1', resourceVersion: '7' };
  const backup: Backup = {
    metadata: { name, uid, resourceVersion },
    spec: { schedule: '@daily' },
    status: { lastRun: '2026-11-22T12:00:00Z' },
  };
  expect(backup.status?.lastRun?.slice(0, 4)).toBe('2026');
});
