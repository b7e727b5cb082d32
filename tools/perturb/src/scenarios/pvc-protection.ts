import {
  claimUses,
  finalizers,
  hasFinalizer,
  isScheduled,
  isTerminated,
  isTerminating,
  namespaces,
  persistentVolumeClaims,
  pods,
  type PersistentVolumeClaim,
  type Pod,
} from '@holdfast/core';
import type { Cluster, Invariant, Scenario } from '@holdfast/testing/perturbation';

const namespace = 'shop';
const at = (name: string) => ({ namespace, name });

/** The controller has to protect every claim by itself. */
const plane = { disableAdmissionPlugins: ['StorageObjectInUseProtection'] };

const neverGoneInUse: Invariant = {
  name: 'a claim that a scheduled pod uses is never gone',
  breach: ({ type, kind, object, previous }, state, { isBlind }) => {
    // Only the controller adds the finalizer here, and it cannot protect a claim that it was not sent.
    const isUnknown = isBlind && previous !== undefined && !isTerminating(previous);
    if (type !== 'DELETED' || kind !== 'PersistentVolumeClaim' || isUnknown) {
      return undefined;
    }
    const users = (state.all('Pod') as readonly Pod[]).filter(
      (pod) =>
        pod.metadata.namespace === object.metadata.namespace &&
        isScheduled(pod) &&
        !isTerminated(pod) &&
        claimUses(pod).some(({ claimName }) => claimName === object.metadata.name),
    );
    return users.length === 0
      ? undefined
      : `claim ${object.metadata.name} is gone, and pod ${users.map(({ metadata }) => metadata.name).join()} uses it`;
  },
};

const neverLetGoByOthers: Invariant = {
  name: 'a claim that nobody deletes keeps its finalizer',
  breach: ({ type, kind, object, previous }) =>
    type === 'MODIFIED' &&
    kind === 'PersistentVolumeClaim' &&
    previous !== undefined &&
    hasFinalizer(previous, finalizers.pvcProtection) &&
    !hasFinalizer(object, finalizers.pvcProtection) &&
    !isTerminating(object)
      ? `claim ${object.metadata.name} has lost it`
      : undefined,
};

const onceOnly: Invariant = {
  name: 'the finalizer is there once',
  breach: ({ kind, object }) =>
    kind === 'PersistentVolumeClaim' &&
    (object.metadata.finalizers ?? []).filter((each) => each === finalizers.pvcProtection).length > 1
      ? `claim ${object.metadata.name} has it several times`
      : undefined,
};

const common = { plane, invariants: [neverGoneInUse, neverLetGoByOthers, onceOnly] };

async function createNamespace(cluster: Cluster): Promise<void> {
  await cluster.create(namespaces, { metadata: { name: namespace } });
}

async function createClaim(cluster: Cluster, name: string): Promise<void> {
  await cluster.create(
    persistentVolumeClaims,
    {
      metadata: { name },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    } satisfies { metadata: object; spec: PersistentVolumeClaim['spec'] },
    namespace,
  );
}

async function createPod(cluster: Cluster, name: string, claimName: string, node?: string): Promise<void> {
  await cluster.create(
    pods,
    {
      metadata: { name },
      spec: {
        containers: [{ name: 'c', image: 'pause' }],
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }],
        ...(node === undefined ? {} : { nodeName: node }),
      },
    },
    namespace,
  );
}

const deleteClaim = (cluster: Cluster, name: string): Promise<void> =>
  cluster.delete(persistentVolumeClaims, at(name));
const deletePod = (cluster: Cluster, name: string): Promise<void> =>
  cluster.delete(pods, at(name), { gracePeriodSeconds: 0 });

/** What users, the scheduler and the kubelet do to claims. */
export const scenarios: readonly Scenario[] = [
  {
    ...common,
    name: 'unused',
    description: 'Claims made before and after the start are protected; deleted and unused, they go.',
    prepare: async (cluster) => {
      await createNamespace(cluster);
      await createClaim(cluster, 'old');
    },
    steps: [
      { name: 'create a claim', act: (cluster) => createClaim(cluster, 'new') },
      {
        name: 'delete both claims',
        act: async (cluster) => {
          await deleteClaim(cluster, 'old');
          await deleteClaim(cluster, 'new');
        },
      },
    ],
  },
  {
    ...common,
    name: 'in-use',
    description: 'A claim that is deleted while a pod uses it goes when the pod has gone.',
    prepare: async (cluster) => {
      await createNamespace(cluster);
      await createClaim(cluster, 'data');
    },
    steps: [
      { name: 'start a pod', act: (cluster) => createPod(cluster, 'web', 'data', 'node-1') },
      { name: 'delete the claim', act: (cluster) => deleteClaim(cluster, 'data') },
      {
        name: 'the pod ends',
        act: (cluster) => cluster.merge(pods, at('web'), { status: { phase: 'Succeeded' } }, 'status'),
      },
    ],
  },
  {
    ...common,
    name: 'scheduled-in-the-gap',
    description: 'A pod that names a claim gets its node when the claim has just been deleted.',
    prepare: async (cluster) => {
      await createNamespace(cluster);
      await createClaim(cluster, 'data');
    },
    steps: [
      { name: 'create a pod without a node', act: (cluster) => createPod(cluster, 'web', 'data') },
      {
        name: 'delete the claim, and put the pod on a node',
        act: async (cluster) => {
          await deleteClaim(cluster, 'data');
          await cluster.bind(at('web'), 'node-1');
        },
      },
      { name: 'delete the pod', act: (cluster) => deletePod(cluster, 'web') },
    ],
  },
  {
    ...common,
    name: 'name-reused',
    description:
      'Claim and pod are deleted, others take their names, and the claim is deleted while the new pod uses it.',
    prepare: async (cluster) => {
      await createNamespace(cluster);
      await createClaim(cluster, 'data');
      await createPod(cluster, 'web', 'data', 'node-1');
    },
    steps: [
      { name: 'delete the claim', act: (cluster) => deleteClaim(cluster, 'data') },
      { name: 'delete the pod', act: (cluster) => deletePod(cluster, 'web') },
      {
        name: 'create both anew',
        act: async (cluster) => {
          await createClaim(cluster, 'data');
          await createPod(cluster, 'web', 'data', 'node-2');
        },
      },
      { name: 'delete the new claim', act: (cluster) => deleteClaim(cluster, 'data') },
      { name: 'delete the new pod', act: (cluster) => deletePod(cluster, 'web') },
    ],
  },
];
