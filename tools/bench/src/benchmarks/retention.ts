import { collectionPath, persistentVolumeClaims, pods, statefulSets, type StatefulSet } from '@holdfast/core';
import type { Benchmark } from '../benchmark.ts';
import { json, type ClusterApi } from '../cluster-api.ts';
import { eachAtOnce } from '../each-at-once.ts';
import { createClaims, createNamespaces, deleteClaims, listClaims } from './claims.ts';

const replicas = 3;

/**
 * Sets whose claims were to be kept are changed to delete them with the set, so that each claim gets an owner
 * reference.
 */
export const retention: Benchmark<'sets' | 'namespaces'> = {
  name: 'retention',
  summary: `sets of ${String(replicas)} turned from Retain to Delete, until each claim refers to its set`,
  sizes: {
    sets: { default: 300, description: 'sets that are turned' },
    namespaces: { default: 10, description: 'namespaces that they are spread over' },
  },
  // The plugin would hold the claims that a new round deletes.
  disabledAdmissionPlugins: ['StorageObjectInUseProtection'],
  holdfast: { app: 'statefulset-pvc-retention', flags: ['--yield-to-stock-controller=false'] },
  upstream: { program: 'kube-controller-manager', controllers: ['statefulset-controller'] },
  async prepare(api, sizes) {
    await createNamespaces(api, sizes.namespaces);
    const sets = setRefs(sizes.sets, sizes.namespaces);
    const present = new Set((await listSets(api)).map(({ metadata }) => metadata.name));
    const absent = sets.filter(({ name }) => !present.has(name));
    await eachAtOnce(absent, ({ namespace, name }) =>
      api.post(collectionPath(statefulSets, namespace), setOf(name)),
    );
    await turn(api, await listSets(api), 'Retain');
    await createPods(api, await listSets(api), new Set(absent.map(({ name }) => name)));
    const claims = await listClaims(api);
    await deleteClaims(api, new Set(claims.map(({ metadata }) => metadata.namespace ?? '')));
    await createClaims(
      api,
      sets.flatMap(({ namespace, name }) =>
        ordinals.map((ordinal) => ({ namespace, name: claimName(name, ordinal) })),
      ),
      [],
    );
  },
  setOff: async (api) => turn(api, await listSets(api), 'Delete'),
  goal: (sizes) => ({
    resource: persistentVolumeClaims,
    watched: 'metadata',
    objects: sizes.sets * replicas,
    // One owner: a claim that is being held has a second one, until its reference is confirmed.
    reached: ({ type, object }) => type !== 'DELETED' && object.metadata.ownerReferences?.length === 1,
  }),
};

const ordinals = Array.from({ length: replicas }, (_, ordinal) => ordinal);

interface SetRef {
  readonly namespace: string;
  readonly name: string;
}

function setRefs(count: number, namespaceCount: number): readonly SetRef[] {
  return Array.from({ length: count }, (_, index) => ({
    namespace: `bench-${String(index % namespaceCount)}`,
    name: `set-${String(index)}`,
  }));
}

function claimName(set: string, ordinal: number): string {
  return `data-${set}-${String(ordinal)}`;
}

async function listSets(api: ClusterApi): Promise<readonly StatefulSet[]> {
  const { items } = await api.get<{ readonly items: readonly StatefulSet[] | null }>(
    collectionPath(statefulSets),
    json,
  );
  return items ?? [];
}

async function turn(
  api: ClusterApi,
  sets: readonly StatefulSet[],
  whenDeleted: 'Retain' | 'Delete',
): Promise<void> {
  const spec = { persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled: 'Retain' } };
  const others = sets.filter(
    (set) => set.spec?.persistentVolumeClaimRetentionPolicy?.whenDeleted !== whenDeleted,
  );
  await eachAtOnce(others, ({ metadata }) =>
    api.mergePatch(`${collectionPath(statefulSets, metadata.namespace)}/${metadata.name}`, { spec }),
  );
}

const labels = (set: string): object => ({ app: set });
const container = { name: 'c', image: 'example.com/none' };

/**
 * Parallel and OnDelete, so that the stock controller only has to manage the claims of the pods, which never
 * run.
 */
function setOf(name: string): object {
  return {
    metadata: { name },
    spec: {
      replicas,
      serviceName: name,
      podManagementPolicy: 'Parallel',
      updateStrategy: { type: 'OnDelete' },
      selector: { matchLabels: labels(name) },
      template: { metadata: { labels: labels(name) }, spec: { containers: [container] } },
      volumeClaimTemplates: [
        {
          metadata: { name: 'data' },
          spec: {
            accessModes: ['ReadWriteOnce'],
            resources: { requests: { storage: '1Gi' } },
            storageClassName: 'none',
          },
        },
      ],
    },
  };
}

/**
 * Creates the pods of new sets as the stock controller would, because it manages the claims of pods, not of
 * ordinals.
 */
async function createPods(
  api: ClusterApi,
  sets: readonly StatefulSet[],
  names: ReadonlySet<string>,
): Promise<void> {
  const wanted = sets
    .filter(({ metadata }) => names.has(metadata.name))
    .flatMap((set) => ordinals.map((ordinal) => ({ set: set.metadata, ordinal })));
  await eachAtOnce(wanted, ({ set: { namespace, name, uid }, ordinal }) => {
    const pod = `${name}-${String(ordinal)}`;
    const owner = { apiVersion: 'apps/v1', kind: 'StatefulSet', name, uid, controller: true };
    return api.post(collectionPath(pods, namespace), {
      metadata: {
        name: pod,
        labels: {
          ...labels(name),
          'statefulset.kubernetes.io/pod-name': pod,
          'apps.kubernetes.io/pod-index': String(ordinal),
        },
        ownerReferences: [{ ...owner, blockOwnerDeletion: true }],
      },
      spec: {
        hostname: pod,
        subdomain: name,
        containers: [container],
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: claimName(name, ordinal) } }],
      },
    });
  });
}
