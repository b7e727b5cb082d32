import {
  collectionPath,
  finalizers,
  hasFinalizer,
  persistentVolumeClaims,
  pods as podResource,
  type KubernetesObject,
} from '@holdfast/core';
import type { Benchmark } from '../benchmark.ts';
import { metadataOnlyList, type ClusterApi } from '../cluster-api.ts';
import { eachAtOnce } from '../each-at-once.ts';
import {
  claimRefs,
  createClaims,
  createNamespaces,
  listClaims,
  stripFinalizers,
  type ClaimRef,
} from './claims.ts';

/**
 * A controller that starts on a full cluster: it must know all pods before it may judge the first claim,
 * which no pod names.
 */
export const pods: Benchmark<'pods' | 'namespaces'> = {
  name: 'pods',
  summary:
    'a cluster full of pods, until the controller knows them all and protects the one claim that waits',
  sizes: {
    pods: { default: 20_000, description: 'pods of 3 KiB, each with a claim of its own' },
    namespaces: { default: 20, description: 'namespaces that they are spread over' },
  },
  disabledAdmissionPlugins: ['StorageObjectInUseProtection'],
  holdfast: { app: 'pvc-protection', flags: [] },
  upstream: {
    program: 'kube-controller-manager',
    controllers: ['persistentvolumeclaim-protection-controller'],
  },
  async prepare(api, sizes) {
    await createNamespaces(api, sizes.namespaces);
    const waiting = claimRefs(1, sizes.namespaces);
    await createPods(
      api,
      Array.from({ length: sizes.pods }, (_, index) => ({
        namespace: `bench-${String(index % sizes.namespaces)}`,
        name: `data-${podName(index)}`,
      })),
    );
    const claims = await listClaims(api);
    await stripFinalizers(api, claims);
    if (claims.length === 0) {
      await createClaims(api, waiting, []);
    }
  },
  goal: () => ({
    resource: persistentVolumeClaims,
    watched: 'metadata',
    objects: 1,
    reached: ({ object }) => hasFinalizer(object, finalizers.pvcProtection),
  }),
};

/**
 * Creates the missing pods, one for each of the claims that they use, in its namespace. A claim that is
 * listed several times is used by as many pods.
 */
export async function createPods(api: ClusterApi, claims: readonly ClaimRef[]): Promise<void> {
  const present = await podNames(api);
  const absent = [...claims.entries()].filter(([index]) => !present.has(podName(index)));
  await eachAtOnce(absent, ([index, { namespace, name }]) =>
    api.post(collectionPath(podResource, namespace), podOf(index, name)),
  );
}

async function podNames(api: ClusterApi): Promise<ReadonlySet<string>> {
  const { items } = await api.get<{ readonly items: readonly KubernetesObject[] | null }>(
    collectionPath(podResource),
    metadataOnlyList,
  );
  return new Set(items?.map(({ metadata }) => metadata.name));
}

function podName(index: number): string {
  return `web-${String(index)}`;
}

/** A pod as workloads have them. Most of its 3 KiB are fields that no controller of claims reads. */
function podOf(index: number, claimName: string): object {
  const name = podName(index);
  const container = (role: string): object => ({
    name: role,
    image: `registry.example.com/shop/${role}:2026.11.3`,
    args: ['--listen=:8080', '--log-format=json', `--shard=${String(index)}`],
    env: ['REGION', 'TIER', 'CATALOGUE', 'UPSTREAM'].map((variable) => ({
      name: `SHOP_${variable}`,
      value: `${variable.toLowerCase()}-of-${role}.shop.example.com`,
    })),
    ports: [{ containerPort: 8080, name: 'http' }],
    resources: { requests: { cpu: '50m', memory: '64Mi' }, limits: { memory: '128Mi' } },
    readinessProbe: { httpGet: { path: '/ready', port: 'http' }, periodSeconds: 5 },
    livenessProbe: { httpGet: { path: '/live', port: 'http' }, periodSeconds: 10 },
    volumeMounts: [{ name: 'data', mountPath: '/var/lib/shop' }],
  });
  return {
    metadata: {
      name,
      labels: { app: 'web', 'app.kubernetes.io/part-of': 'shop', 'pod-template-hash': '6d4cf56db6' },
      annotations: { 'shop.example.com/checksum': '5f2c1b7e9a0d4836a1c5e7f92b3d4860' },
    },
    spec: {
      nodeName: `node-${String(index % 500)}`,
      containers: [container('server'), container('proxy')],
      volumes: [
        { name: 'data', persistentVolumeClaim: { claimName } },
        { name: 'settings', configMap: { name: 'web-settings' } },
        { name: 'scratch', emptyDir: {} },
      ],
    },
  };
}
